import DecoderLink
import JSONText

/// The properties of a whole animation, from its text. They are checked before the renderer sees it,
/// since that trusts all numbers and draws whatever it is asked to.
package struct LottieOutline: Equatable {
  package private(set) var width = 0
  package private(set) var height = 0
  /// Frames per second.
  package private(set) var rate = 0.0
  package private(set) var frameCount = 0
  /// In frames; the last one may be a fraction.
  private var span = 0.0

  package enum Limit {
    package static let bytes = 8 << 20
    /// The largest width and height; the drawing itself is scaled to the grid.
    package static let side = 65_536
    package static let frames = 36_000
    package static let rates = 1.0...120.0
    /// Used for a rate out of range.
    package static let usualRate = 30.0
    /// Layers and shapes in all; those of a composition that is drawn several times count as often.
    static let parts = 200_000.0
    /// The depth of nested compositions.
    static let nesting = 64
    /// The pixels of all embedded pictures together.
    static let pixels = 16 << 20
    /// The highest frame number.
    static let frameNumber = 1e7
  }

  /// Reads the whole text, at most `Limit.bytes` of it.
  package init(_ text: [UInt8]) throws(DecodingError) {
    var reader = LottieReader(text)
    try reader.read()
    let width = try Self.side(reader.width, reader.height, of: reader.width)
    let height = try Self.side(reader.width, reader.height, of: reader.height)
    (self.width, self.height) = (width, height)
    guard let rate = reader.rate, rate > 0 else {
      throw .damaged("the animation has no frame rate")
    }
    self.rate = Limit.rates.contains(rate) ? rate : Limit.usualRate
    let first = reader.firstFrame ?? 0
    guard let end = reader.endFrame, end > first, abs(first) <= Limit.frameNumber else {
      throw .damaged("the animation has no frames")
    }
    guard end - first <= Double(Limit.frames) else {
      throw DecodingError("the animation has too many frames")
    }
    span = end - first
    // Rates like 29.97 leave a ten-thousandth of a frame, which does not count.
    frameCount = max(1, Int((span - 0.01).rounded(.up)))
    try reader.compositions.check()
  }

  private static func side(
    _ width: Double?, _ height: Double?, of side: Double?
  ) throws(DecodingError) -> Int {
    guard let width, let height, let side else { throw .noAnimation }
    let whole = side.rounded()
    guard whole >= 1, whole <= Double(Limit.side) else {
      let size = [width, height].map { abs($0) < 1e15 ? String(Int($0.rounded())) : "?" }
      let words = size.joined(separator: "x")
      throw whole < 1
        ? .damaged("its size is \(words)") : DecodingError("the animation is too large: \(words)")
    }
    return Int(whole)
  }

  /// The animation's length.
  package var duration: Duration { time(ofFrames: span) }

  /// The time and duration of a frame.
  package func timing(of frame: Int) -> PictureTiming {
    let start = time(ofFrames: Double(frame))
    let end = frame + 1 < frameCount ? time(ofFrames: Double(frame + 1)) : duration
    return PictureTiming(time: start, duration: frameCount > 1 ? max(.zero, end - start) : nil)
  }

  /// The frame at a time; the last one after the end.
  package func frame(at time: Duration) -> Int {
    // A frame's start is rounded to nanoseconds; the frame at that time must be this one.
    let frames = min(Double(frameCount), max(0, (time / .seconds(1) + 2e-9) * rate))
    return min(frameCount - 1, Int(frames))
  }

  private func time(ofFrames frames: Double) -> Duration {
    .nanoseconds(Int64((frames / rate * 1e9).rounded()))
  }
}

/// The compositions of an animation by name, and the cost of drawing each of them.
struct LottieCompositions {
  /// A composition; the outermost has no name.
  struct Composition {
    /// Layers and shapes of its own.
    var parts = 0.0
    /// How often it draws each other composition.
    var uses: [String: Double] = [:]
  }

  var outermost = Composition()
  var named: [String: Composition] = [:]

  private enum Cost {
    case counting
    case known(Double)
  }

  /// Throws if drawing would not end: a few levels of compositions that each draw the next one twice
  /// are already too much.
  func check() throws(DecodingError) {
    var costs: [String: Cost] = [:]
    guard try cost(of: outermost, &costs, depth: 0) <= LottieOutline.Limit.parts else {
      throw .tooComplex
    }
  }

  private func cost(
    of composition: Composition, _ costs: inout [String: Cost], depth: Int
  ) throws(DecodingError) -> Double {
    guard depth <= LottieOutline.Limit.nesting else { throw .tooComplex }
    var sum = composition.parts
    for (name, count) in composition.uses {
      switch costs[name] {
      case .counting: throw .damaged("a part of the animation contains itself")
      case .known(let cost): sum += count * cost
      case nil:
        // A missing composition draws nothing.
        guard let other = named[name] else { continue }
        costs[name] = .counting
        let cost = try cost(of: other, &costs, depth: depth + 1)
        costs[name] = .known(cost)
        sum += count * cost
      }
    }
    return sum
  }
}
