import Glibc
import Support
import System
import Testing

/// What `make bench` prints. A time never fails a test here.
@Suite(.serialized) enum Benchmarks {}

/// One program that is measured.
struct Contender {
  var name: String
  var program: String
  var arguments: [String]
  /// How many pictures its output holds, where they can be counted.
  var countFrames: @Sendable ([UInt8]) -> Int? = { _ in nil }

  /// mpv drawing half blocks into a picture of 120x40 cells, nil where it is not installed.
  static func mpv(_ clip: String, untimed: Bool) -> Contender? {
    guard let program = Programs.installed("mpv") else { return nil }
    let pace = untimed ? ["--untimed", "--framedrop=no"] : []
    return Contender(
      name: "mpv", program: program,
      arguments: [
        "--no-config", "--really-quiet", "--vo=tct", "--vo-tct-width=120", "--vo-tct-height=40",
        "--no-audio",
      ] + pace + [clip],
      // Each picture begins where the first one did.
      countFrames: { bytes in
        let first = bytes.firstIndex(of: UInt8(ascii: "f")) ?? bytes.startIndex
        let start = bytes[..<first].lastIndex(of: UInt8(ascii: ";")) ?? first
        let row = bytes[..<start].suffix(while: { 0x30...0x39 ~= $0 })
        return count(of: Array("\u{1B}[".utf8) + row + [UInt8(ascii: ";")], in: bytes)
      })
  }

  /// timg at the same size; it knows no untimed playing, so its time is no measure of speed.
  static func timg(_ clip: String) -> Contender? {
    Programs.installed("timg").map {
      Contender(
        name: "timg", program: $0, arguments: ["-g", "120x40", "-p", "h", clip],
        // Between two pictures it goes up by their height.
        countFrames: { count(ofMovesUpIn: $0) + 1 })
    }
  }
}

/// What one run on a terminal came to.
struct Run {
  var processorMs: Double
  var firstPictureMs: Double?
  var output: [UInt8]
  var peakKiB: Int

  /// Runs a program on a terminal whose picture area is 120x40, to its end or to its first picture.
  static func measure(
    _ contender: Contender, untilFirstPicture: Bool = false, rows: Int = 43
  ) throws -> Run {
    let home = try TemporaryDirectory()
    let terminal = try PseudoTerminal(columns: 120, rows: rows)
    try terminal.start(
      contender.program, contender.arguments, environment: environment(home: home.path))
    var first: Instant?
    if untilFirstPicture {
      let deadline = Instant.now + .seconds(20)
      while first == nil, Instant.now < deadline {
        usleep(500)
        first = firstPicture(on: terminal)
      }
      terminal.send("q")
      if terminal.awaitEnd(within: .seconds(2)) == nil { terminal.signal(SIGTERM) }
    }
    guard let ending = terminal.awaitEnd(within: .seconds(300)), let started = terminal.started
    else { throw SupportError("\(contender.name) did not end") }
    first = first ?? firstPicture(on: terminal)
    return Run(
      processorMs: ending.processorMilliseconds,
      firstPictureMs: first.map { milliseconds($0 - started) },
      output: terminal.output, peakKiB: ending.peakKibibytes)
  }

  static func environment(home: String) -> [String: String] {
    [
      "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": home, "TERM": "xterm-256color",
      "COLORTERM": "truecolor", "LC_ALL": "C.UTF-8",
    ]
  }

  /// When the first colour of a picture came: nothing but pictures has colours of 24 bits.
  private static func firstPicture(on terminal: PseudoTerminal) -> Instant? {
    let bytes = terminal.output.prefix(1 << 16)
    let marks = ["38;2;", "48;2;"].compactMap { find(Array($0.utf8), in: Array(bytes)) }
    return marks.min().flatMap(terminal.arrival(ofByte:))
  }
}

func find(_ needle: [UInt8], in bytes: [UInt8], from start: Int = 0) -> Int? {
  guard bytes.count >= needle.count else { return nil }
  var index = start
  while index + needle.count <= bytes.count {
    if bytes[index] == needle[0], bytes[index..<index + needle.count].elementsEqual(needle) {
      return index
    }
    index += 1
  }
  return nil
}

func count(of needle: [UInt8], in bytes: [UInt8]) -> Int {
  var count = 0
  var start = 0
  while let found = find(needle, in: bytes, from: start) {
    count += 1
    start = found + needle.count
  }
  return count
}

/// Cursor movements up by more than one row.
private func count(ofMovesUpIn bytes: [UInt8]) -> Int {
  var count = 0
  var start = 0
  while let found = find([0x1B, UInt8(ascii: "[")], in: bytes, from: start) {
    start = found + 2
    let digits = bytes[start...].prefix { 0x30...0x39 ~= $0 }
    let end = start + digits.count
    if digits.count > 1, end < bytes.count, bytes[end] == UInt8(ascii: "A") { count += 1 }
  }
  return count
}

func median(_ values: [Double]) -> Double {
  let sorted = values.sorted()
  guard !sorted.isEmpty else { return .nan }
  let middle = sorted.count / 2
  return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

extension BidirectionalCollection {
  /// The longest end of which every element satisfies a condition.
  fileprivate func suffix(while condition: (Element) -> Bool) -> SubSequence {
    var start = endIndex
    while start > startIndex, condition(self[index(before: start)]) { start = index(before: start) }
    return self[start...]
  }
}
