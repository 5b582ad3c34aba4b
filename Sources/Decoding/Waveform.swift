import DecoderLink

/// The loudness of a sound over its length, drawn as bars that light up as it is heard.
final class Waveform {
  /// The length in the container's header, or the real one once it is known.
  private(set) var expected: Duration?
  /// The loudness that was scanned; nil where nothing was scanned yet.
  private var peaks: [Float?] = []
  /// The loudness of sound that was decoded for playback, which may begin and end within a bucket:
  /// drawn where nothing was scanned.
  private var heard: [Float?] = []
  private static let bucketLength = Duration.milliseconds(50)
  private static let bucketsPerSecond = 20.0

  init(expected: Duration?) { self.expected = expected }

  /// Adds the loudness of a scanned run.
  func add(_ run: SoundRun, rate: Int) { Self.add(run, rate: rate, to: &peaks, between: 0) }

  /// Adds the loudness of a run that was decoded for playback.
  func hear(_ run: SoundRun, rate: Int) { Self.add(run, rate: rate, to: &heard, between: nil) }

  private static func add(
    _ run: SoundRun, rate: Int, to peaks: inout [Float?], between gap: Float?
  ) {
    let start = run.time / .seconds(1) * bucketsPerSecond
    let perSample = bucketsPerSecond / Double(rate)
    var index = 0
    while index < run.samples.count {
      let bucket = Int(start + Double(index / 2) * perSample)
      let next = Int(((Double(bucket + 1) - start) / perSample).rounded(.up))
      let end = min(run.samples.count, max(index + 2, next * 2))
      var peak: UInt16 = 0
      for sample in run.samples[index..<end] { peak = max(peak, sample.magnitude) }
      index = end
      guard bucket >= 0, bucket < most else { continue }
      if bucket >= peaks.count {
        peaks.append(contentsOf: repeatElement(gap, count: bucket + 1 - peaks.count))
      }
      peaks[bucket] = max(peaks[bucket] ?? 0, Float(peak) / 32_768)
    }
  }

  private static let most = 1 << 22

  private static func bucket(_ time: Duration) -> Int {
    Int(max(0, min(Double(most), time / bucketLength)))
  }

  /// Leaves a hole between what is known and `time`.
  func leaveOut(until time: Duration) {
    let missing = Self.bucket(time) - peaks.count
    if missing > 0 { peaks.append(contentsOf: repeatElement(nil, count: missing)) }
  }

  /// Counts holes before `end` as silence, since they are not available.
  func giveUp(until end: Duration) {
    for bucket in 0..<min(peaks.count, Self.bucket(end)) { peaks[bucket] = peaks[bucket] ?? 0 }
  }

  /// Whether the loudness at `time` was scanned.
  func isKnown(at time: Duration) -> Bool {
    let bucket = Self.bucket(time)
    return bucket < peaks.count && peaks[bucket] != nil
  }

  /// The first time after `time` of which nothing is known.
  func unknown(after time: Duration) -> Duration {
    let start = min(peaks.count, Self.bucket(time) + 1)
    return Self.bucketLength * (peaks[start...].firstIndex { $0 == nil } ?? peaks.count)
  }

  /// The first hole.
  var hole: Range<Duration>? {
    guard let first = peaks.firstIndex(where: { $0 == nil }) else { return nil }
    let end = peaks[first...].firstIndex { $0 != nil } ?? peaks.count
    return Self.bucketLength * first..<Self.bucketLength * end
  }

  /// Sets the real length.
  func finish(at end: Duration) { expected = end }

  /// Ends the scan; what was decoded for playback is still drawn in holes.
  func close() { if hole == nil { heard = [] } }

  private var known: [Float?] {
    if heard.isEmpty { return peaks }
    return (0..<max(peaks.count, heard.count)).map { bucket in
      (bucket < peaks.count ? peaks[bucket] : nil) ?? (bucket < heard.count ? heard[bucket] : nil)
    }
  }

  /// The loudness of a share of a sound of `length` seconds, 0 to 1; nil where it is not known yet.
  private static func loudness(
    of known: [Float?], length: Double, from: Double, to: Double
  ) -> Float? {
    let first = Int(from * length * bucketsPerSecond)
    guard first < known.count else { return nil }
    let last = min(known.count, max(first + 1, Int(to * length * bucketsPerSecond)))
    return known[first..<last].compactMap(\.self).max()
  }

  /// Draws all of it, with what was heard at `position` lit.
  func draw(width: Int, height: Int, position: Duration) -> Bitmap {
    let known = self.known
    let reached = Double(known.count) / Self.bucketsPerSecond
    let length = max(expected.map { $0 / .seconds(1) } ?? reached, 0.001)
    let heard = min(1, position / .seconds(1) / length) * Double(width)
    let pitch = width >= 48 ? 3 : 1
    var pixels = [UInt32](repeating: 0, count: width * height)
    let middle = Float(height) / 2
    // The loudest part fills the height, unless the sound is nearly silent.
    let loudest = max(0.1, known.lazy.compactMap(\.self).max() ?? 0)
    for x in 0..<width {
      let bar = x / pitch
      let isGap = pitch > 1 && x % pitch == pitch - 1
      let from = Double(bar * pitch) / Double(width)
      let to = Double((bar + 1) * pitch) / Double(width)
      let loud = Self.loudness(of: known, length: length, from: from, to: to)
      let reach = max(0.5, ((loud ?? 0) / loudest).squareRoot() * middle * 0.8)
      let lit = Float(min(1, max(0, heard - Double(x))))
      for y in 0..<height {
        let distance = abs(Float(y) + 0.5 - middle)
        let cover = isGap ? 0 : min(1, max(0, reach - distance + 0.5))
        let ink = Colour.bar(across: Float(x) / Float(width), lit: lit, known: loud != nil)
        pixels[y * width + x] = Colour.ground(down: distance / middle).mixed(ink, cover).packed
      }
    }
    return Bitmap(width: width, height: height, pixels: pixels)
  }
}

/// A colour of the waveform, each part 0 to 255.
private struct Colour {
  var red: Float
  var green: Float
  var blue: Float

  static func ground(down share: Float) -> Colour {
    Colour(red: 16, green: 18, blue: 30).mixed(Colour(red: 6, green: 7, blue: 12), share)
  }

  static func bar(across share: Float, lit: Float, known: Bool) -> Colour {
    let dim = known ? Colour(red: 58, green: 66, blue: 92) : Colour(red: 34, green: 38, blue: 54)
    let bright = Colour(red: 64, green: 208, blue: 196)
      .mixed(Colour(red: 178, green: 120, blue: 255), share)
    return dim.mixed(bright, lit)
  }

  func mixed(_ other: Colour, _ share: Float) -> Colour {
    let share = min(1, max(0, share))
    return Colour(
      red: red + (other.red - red) * share, green: green + (other.green - green) * share,
      blue: blue + (other.blue - blue) * share)
  }

  var packed: UInt32 {
    UInt32(red.rounded()) << 16 | UInt32(green.rounded()) << 8 | UInt32(blue.rounded())
  }
}
