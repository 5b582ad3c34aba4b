import Glibc
import Support
import Synchronization
import Testing

/// How much is measured, as the environment says: STORYTTY_BENCH is unset for one short pass of each
/// part, so that none can rot; `quick` for the main figures; anything else for all.
enum Effort {
  enum Extent { case short, quick, full }

  static let extent: Extent =
    switch variable("STORYTTY_BENCH") {
    case nil: .short
    case "quick": .quick
    default: .full
    }

  static var isFull: Bool { extent == .full }

  /// One of three values, by the extent.
  static func by<Value>(short: Value, quick: Value, full: Value) -> Value {
    switch extent {
    case .short: short
    case .quick: quick
    case .full: full
    }
  }

  /// Runs of each side, in turn.
  static let pairs = by(short: 1, quick: 3, full: 9)

  /// The parts that are measured: those that STORYTTY_BENCH_ONLY names, separated by commas, else
  /// all of the extent.
  static let parts: [Part] = {
    guard let names = variable("STORYTTY_BENCH_ONLY") else {
      return Part.allCases.filter { extent != .quick || $0.seconds.quick != nil }
    }
    return names.split(separator: ",").map { name in
      guard let part = Part(rawValue: String(name)) else {
        print("no benchmark is called '\(name)'; there are: ", terminator: "")
        print(Part.allCases.map(\.rawValue).joined(separator: ", "))
        exit(2)
      }
      return part
    }
  }()

  /// The clips that are measured: real footage where `make bench` could get it, and generated ones.
  static let clips: [(name: String, clip: Clip)] = {
    guard extent != .short else {
      return [("180x320", Clip(.pattern, width: 180, height: 320, rate: 30, seconds: 1))]
    }
    let seconds = by(short: 1.0, quick: 5, full: 10)
    let film = variable("STORYTTY_BENCH_FILM")
    let kinds =
      (film.map { [("film", Clip.Picture.film($0))] } ?? [])
      + (extent == .full || film == nil ? [("generated", .footage)] : [])
    return kinds.flatMap { name, picture in
      [(1080, 1920), (1920, 1080)].map { width, height in
        let clip = Clip(picture, width: width, height: height, rate: 30, seconds: seconds)
        return ("\(name) \(width)x\(height)", clip)
      }
    }
  }()
}

/// A part of the benchmarks, which can be chosen by its name.
enum Part: String, CaseIterable {
  case start, cpu, decode, bytes, keys, gaps, watch, cache, pictures, serve, traffic, slow
  case animations, reactions

  /// What is measured, in words.
  var words: String {
    switch self {
    case .start: "start of the process to the first picture, beside mpv and timg"
    case .cpu: "processor time of both programs, beside decoding alone"
    case .decode: "processor time of the decoder, beside decoding alone"
    case .bytes: "bytes to the terminal, beside mpv and timg"
    case .keys: "key to picture"
    case .gaps: "last picture of a story to the first of the next"
    case .watch: "dropped pictures, memory, idling"
    case .cache: "cached reads, beside plain ones"
    case .pictures: "pixels to cells to bytes"
    case .serve: "serve, beside nginx"
    case .traffic: "bytes that a server sends"
    case .slow: "waits on a slow line"
    case .animations: "drawing animations"
    case .reactions: "reactions over a video"
    }
  }

  /// About how long it takes on two cores; nil where it is no part of the quick ones.
  var seconds: (full: Double, quick: Double?) {
    switch self {
    case .start: (40, 10)
    case .cpu: (360, 30)
    case .decode: (180, nil)
    case .bytes: (70, 20)
    case .keys: (460, 20)
    case .gaps: (500, 20)
    case .watch: (60, 30)
    case .cache: (40, 5)
    case .pictures: (60, 5)
    case .serve: (60, nil)
    case .traffic: (60, nil)
    case .slow: (230, nil)
    case .animations: (30, nil)
    case .reactions: (110, nil)
    }
  }
}

/// Says what is measured now and about how long all of it still takes, and leaves out what was not
/// chosen.
struct Measures: TestTrait, TestScoping {
  let part: Part

  private static let begun = Mutex<[Part]>([])
  private static let start = ContinuousClock.now

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    guard Effort.parts.contains(part) else { return }
    if Effort.extent != .short { announce() }
    try await function()
  }

  private func announce() {
    let line: String? = Measures.begun.withLock { begun in
      guard !begun.contains(part) else { return nil }
      func seconds(_ parts: [Part]) -> Double {
        parts.map { Effort.isFull ? $0.seconds.full : $0.seconds.quick ?? $0.seconds.full }
          .reduce(0, +)
      }
      let elapsed = milliseconds(ContinuousClock.now - Measures.start) / 1000
      // A slower machine takes longer for what is left, too.
      let pace = begun.isEmpty ? 1 : max(0.2, elapsed / seconds(begun))
      let left = seconds(Effort.parts.filter { !begun.contains($0) }) * pace
      begun.append(part)
      let time = left < 90 ? "\(Int(left)) s" : "\(Int(left / 60 + 0.5)) min"
      return "[\(begun.count) of \(Effort.parts.count)] \(part): \(part.words); "
        + "about \(time) left"
    }
    if let line { say(line) }
  }
}

extension Trait where Self == Measures {
  /// The test is a part of the benchmarks.
  static func measures(_ part: Part) -> Self { Measures(part: part) }
}

/// Prints a line at once, also into a pipe.
func say(_ line: String) {
  print(line)
  fflush(nil)
}
