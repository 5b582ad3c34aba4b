import Glibc
import Support
import System
import Testing

extension EndToEnd {
  /// Programs between the player and the terminal: each has a terminal of its own inside, which knows
  /// less than the one outside whose name it may hand on.
  @Suite struct MultiplexerTests {
    private let home: TemporaryDirectory

    init() throws { home = try TemporaryDirectory() }

    /// Fills the screen.
    private func clip() throws -> String {
      try Clip(.color("0xFF0000"), width: 160, height: 84, rate: 10, seconds: 30).file()
    }

    /// Every cell of the picture's rows is red.
    private func expectRed(_ terminal: PseudoTerminal) {
      #expect(terminal.waitUntil { Self.redCells(of: $0) == 80 * 21 })
      _ = terminal.waitUntil(within: .milliseconds(700)) { _ in false }
      #expect(Self.redCells(of: terminal.screen) == 80 * 21)
      terminal.send("q")
      #expect(terminal.waitUntil { $0.text.contains("status 0") })
    }

    private static func redCells(of screen: TerminalScreen) -> Int {
      screen.count { cell in
        guard let halves = cell.halves else { return false }
        return isRed(halves.upper) && isRed(halves.lower)
      }
    }

    /// Red, as far as 256 colours have it.
    private static func isRed(_ color: ScreenColor) -> Bool {
      [.palette(196), .palette(9)].contains(color) || isNear(color, Colors.red)
    }

    private func environment(_ name: String) -> [String: String] {
      Play.environment(home: home.path, changes: ["TERM": name])
    }

    private func script(_ name: String, _ options: String = "") throws -> String {
      try home.write(
        """
        TERM=\(name) '\(Programs.player)' --no-history \(options) '\(clip())'
        echo status $?; cat

        """, to: "play.sh")
    }

    @Test func tmux_pictureAndEnd_areRight() throws {
      let tmux = try #require(Programs.installed("tmux"))
      let terminal = try PseudoTerminal(columns: 80, rows: 24, name: "XTerm(379)")
      let config = try home.write(
        """
        set -g default-terminal tmux-256color
        set -as terminal-features ",xterm-256color:RGB"
        set -g status off
        """, to: "tmux.conf")
      let server = "storytty-\(UInt32.random(in: 0...UInt32.max))"
      try terminal.start(
        tmux, ["-f", config, "-L", server, "new", "sh", script("tmux-256color")],
        environment: environment("xterm-256color"))
      expectRed(terminal)
      #expect(Self.redCells(of: terminal.screen) == 0)
      terminal.send("\u{4}")
      #expect(terminal.awaitEnd() != nil)
    }

    /// Also where the TERM inside is the one of the terminal outside.
    @Test(arguments: ["screen-256color", "xterm-256color"])
    func screen_pictureAndEnd_areRight(name: String) throws {
      let screen = try #require(Programs.installed("screen"))
      let terminal = try PseudoTerminal(columns: 80, rows: 24, name: "XTerm(379)")
      let config = try home.write("startup_message off\n", to: "screenrc")
      let folder = home.path("sockets")
      mkdir(folder, 0o700)
      var environment = environment("xterm-256color")
      environment["SCREENDIR"] = folder
      try terminal.start(
        screen, ["-c", config, "-U", "sh", script(name, "--color 256")], environment: environment)
      expectRed(terminal)
      terminal.send("\u{4}")
      #expect(terminal.awaitEnd() != nil)
    }

    /// It has no alternate screen: what was played stays on it.
    @Test func mosh_picture_isRight() throws {
      let server = try #require(Programs.installed("mosh-server"))
      let client = try #require(Programs.installed("mosh-client"))
      let terminal = try PseudoTerminal(columns: 80, rows: 24, name: "XTerm(379)")
      let script = try home.write(
        """
        set -- $('\(server)' new -i 127.0.0.1 -c 256 -- sh '\(script("xterm-256color"))' \
          2> /dev/null | grep CONNECT)
        MOSH_KEY=$4 exec '\(client)' 127.0.0.1 $3
        """, to: "mosh.sh")
      try terminal.start("/bin/sh", [script], environment: environment("xterm-256color"))
      expectRed(terminal)
      terminal.send("\u{4}")
      #expect(terminal.awaitEnd() != nil)
    }
  }
}
