import Glibc
import Support
import System
import Testing

/// All of these drive the built programs, one after another: some of them measure time.
@Suite(.serialized) enum EndToEnd {}

/// The built player on a terminal of its own, with a home of its own.
final class Play {
  let terminal: PseudoTerminal
  let home: TemporaryDirectory
  let reportPath: String

  /// Starts `storytty` with these arguments (and `--report`). A nil value in `environment` takes a
  /// variable away.
  init(
    _ arguments: [String], columns: Int = 120, rows: Int = 40,
    environment changes: [String: String?] = [:], bytesPerSecond: Int? = nil,
    program: String = Programs.player
  ) throws {
    home = try TemporaryDirectory()
    reportPath = home.path("report.json")
    terminal = try PseudoTerminal(
      columns: columns, rows: rows, bytesPerSecond: bytesPerSecond, name: "XTerm(379)")
    // Sound goes nowhere, in real time, unless a test has a device of its own.
    try home.write("pcm.!default { type null }\n", to: "alsa.conf")
    try terminal.start(
      program, ["--report", reportPath] + arguments,
      environment: Play.environment(home: home.path, changes: changes))
  }

  /// What a truecolour terminal's user has, and nothing of the one who runs the tests.
  static func environment(home: String, changes: [String: String?] = [:]) -> [String: String] {
    var environment = [
      "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": home, "TERM": "xterm-256color",
      "COLORTERM": "truecolor", "LC_ALL": "C.UTF-8", "XDG_CACHE_HOME": "\(home)/cache",
      "XDG_STATE_HOME": "\(home)/state", "XDG_CONFIG_HOME": "\(home)/config",
      "ALSA_CONFIG_PATH": "\(home)/alsa.conf",
    ]
    for (name, value) in changes { environment[name] = value }
    return environment
  }

  /// The report; the player must have ended.
  func report() throws -> Report { try Report(path: reportPath) }

  // MARK: The viewer's hands

  enum Key: String {
    case up = "A"
    case down = "B"
    case right = "C"
    case left = "D"
    case home = "H"
    case end = "F"
  }

  /// Presses a cursor key, as the terminal's mode has it sent.
  func press(_ key: Key) {
    terminal.send("\u{1B}\(terminal.screen.modes.contains(1) ? "O" : "[")\(key.rawValue)")
  }

  func type(_ text: String) { terminal.send(text) }

  /// Moves the left button down or up; columns and rows count from 0.
  func mouse(_ down: Bool, column: Int, row: Int) {
    terminal.send("\u{1B}[<0;\(column + 1);\(row + 1)\(down ? "M" : "m")")
  }

  func click(column: Int, row: Int) {
    mouse(true, column: column, row: row)
    mouse(false, column: column, row: row)
  }

  // MARK: The viewer's eyes

  /// Waits until the middle of the screen shows a colour (0xRRGGBB).
  func waitFor(color: UInt32, within limit: Duration = .seconds(15)) -> Bool {
    terminal.waitUntil(within: limit) { shows(color, on: $0) }
  }

  func waitFor(_ text: String, within limit: Duration = .seconds(15)) -> Bool {
    terminal.waitUntil(within: limit) { $0.text.contains(text) }
  }

  /// Lets time pass in which something must, or must not, happen on the screen.
  func watch(for duration: Duration) {
    _ = terminal.waitUntil(within: duration) { _ in false }
  }

  /// Quits and waits for the end.
  func quit() -> Ending? {
    type("q")
    return terminal.awaitEnd()
  }

  /// What must be so after every end, however it came.
  func expectRestored(sourceLocation: SourceLocation = #_sourceLocation) {
    let screen = terminal.screen
    let (attributesUnchanged, alternate) = (terminal.attributesUnchanged, screen.alternateScreen)
    #expect(attributesUnchanged, sourceLocation: sourceLocation)
    #expect(!alternate, sourceLocation: sourceLocation)
    #expect(screen.modes == [7, 25], sourceLocation: sourceLocation)
    #expect(screen.pen == ScreenPen(), sourceLocation: sourceLocation)
    #expect(screen.unknown == [], sourceLocation: sourceLocation)
    #expect(screen.titles == [], sourceLocation: sourceLocation)
    #expect(screen.malformedCharacters == 0, sourceLocation: sourceLocation)
    #expect(Processes.orphanedDecoders() == [], sourceLocation: sourceLocation)
  }
}

/// Whether the middle of a screen shows a colour, as near as video coding leaves it.
func shows(_ color: UInt32, on screen: TerminalScreen) -> Bool {
  let cell = screen[screen.columns / 2, screen.rows / 2]
  guard let halves = cell.halves else { return false }
  return isNear(halves.upper, color) && isNear(halves.lower, color)
}

func isNear(_ shown: ScreenColor, _ color: UInt32, tolerance: Int = 12) -> Bool {
  guard case .rgb(let red, let green, let blue) = shown else { return false }
  let wanted = [color >> 16 & 0xFF, color >> 8 & 0xFF, color & 0xFF].map(Int.init)
  return zip([Int(red), Int(green), Int(blue)], wanted).allSatisfy { abs($0 - $1) <= tolerance }
}

/// Clips of one colour each, told apart by it.
enum Colors {
  static let red: UInt32 = 0xFF0000
  static let lime: UInt32 = 0x00FF00
  static let blue: UInt32 = 0x0000FF
  static let yellow: UInt32 = 0xFFFF00

  /// A clip of a colour; long enough to be watched unless told otherwise.
  static func clip(_ color: UInt32, seconds: Double = 30, sound: Bool = false) throws -> String {
    let digits = String(color, radix: 16)
    let name = "0x" + String(repeating: "0", count: 6 - digits.count) + digits
    return try Clip(
      .color(name), width: 90, height: 160, rate: 10, seconds: seconds, sound: sound
    ).file()
  }
}

/// What /proc says.
enum Processes {
  /// The decoders of a player that still run, but their parent.
  static func decoders(of player: pid_t) -> [pid_t] {
    allDecoders(of: player).filter { !isForkServer($0) }
  }

  /// The process that has forked the decoders of a player.
  static func forkServer(of player: pid_t) -> pid_t? {
    allDecoders(of: player).first(where: isForkServer)
  }

  static func allDecoders(of player: pid_t) -> [pid_t] {
    all().filter { parent(of: $0) == player && isDecoder($0) }
  }

  /// What it has forked has the same command line, and is in its group of processes.
  private static func isForkServer(_ process: pid_t) -> Bool {
    let words = (try? readText("/proc/\(process)/cmdline")) ?? ""
    guard words.contains("--fork-server"), let fields = statFields(process) else { return false }
    return fields.count > 2 && pid_t(fields[2]) == process
  }

  /// Decoders without a player, once they have had the time to end.
  static func orphanedDecoders() -> [pid_t] {
    var found: [pid_t] = []
    _ = holds(within: .seconds(2)) {
      found = all().filter { process in
        guard isDecoder(process), let parent = parent(of: process) else { return false }
        return !name(of: parent).hasPrefix("storytty")
      }
      return found.isEmpty
    }
    return found
  }

  /// The one-letter state: R, S, T, Z ...
  static func state(of process: pid_t) -> String? { statFields(process)?.first }

  static func parent(of process: pid_t) -> pid_t? {
    statFields(process).flatMap { $0.count > 1 ? pid_t($0[1]) : nil }
  }

  /// What follows the name in /proc/PID/stat.
  private static func statFields(_ process: pid_t) -> [String]? {
    guard let text = try? readText("/proc/\(process)/stat"),
      let end = text.lastIndex(of: ")")
    else { return nil }
    return text[text.index(after: end)...].split(separator: " ").map(String.init)
  }

  private static func all() -> [pid_t] { directoryEntries("/proc").compactMap { pid_t($0) } }

  private static func name(of process: pid_t) -> String {
    (try? readText("/proc/\(process)/comm")) ?? ""
  }

  /// Whether it runs the decoder that these tests were given.
  private static func isDecoder(_ process: pid_t) -> Bool {
    absolute("/proc/\(process)/exe") == absolute(Programs.decoder)
  }
}
