import Glibc
import Pictures
import Support
import System
import Terminal
import Testing

/// A session on a pseudo terminal of this process.
struct Stage {
  let terminal: PseudoTerminal
  let session: TerminalSession

  static let environment = [
    "TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8",
  ]

  init(
    columns: Int = 80, rows: Int = 24, cell: (width: Int, height: Int) = (10, 20),
    mouse: Bool = true, colour: ColourDepth? = nil,
    environment: [String: String] = Stage.environment, name: String? = nil
  ) throws {
    terminal = try PseudoTerminal(columns: columns, rows: rows, cell: cell, name: name)
    var options = TerminalSession.Options(mouse: mouse, colour: colour)
    options.input = terminal.slave
    options.output = terminal.slave
    options.environment = environment
    session = try TerminalSession(options)
  }

  /// Reads until so many events came, or for two seconds.
  func events(_ count: Int) throws -> [InputEvent] {
    var events: [InputEvent] = []
    let deadline = Instant.now + .seconds(2)
    while events.count < count, Instant.now < deadline {
      let interest = Interest(session.inputDescriptor)
      _ = try awaitReadiness(of: [interest], until: Instant.now + .milliseconds(100))
      events += session.readInput()
    }
    return events
  }

  /// Reads the terminal's answer to what every session asks first.
  func settle() throws { #expect(try events(1) == [.synchronizedOutput(true)]) }

  func paint(_ text: String) throws {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      rest = rest.dropFirst(try session.write(rest))
      usleep(100)
    }
  }
}

let story = Chrome(
  segments: Segments(count: 5, current: 2, fill: 0.45), titleLeft: "anna  2 h ago",
  titleRight: "paused", caption: "Low tide at the old pier")

extension TerminalScreen {
  /// Whether the alternate screen was entered and left, and the cursor is back.
  var wasLeft: Bool { alternateEntries > 0 && !alternateScreen && cursorVisible }
}

extension ScreenPen {
  static let red: ScreenPen = {
    var pen = ScreenPen()
    pen.foreground = .palette(1)
    return pen
  }()
  static let heavy: ScreenPen = {
    var pen = ScreenPen()
    pen.bold = true
    return pen
  }()
}
