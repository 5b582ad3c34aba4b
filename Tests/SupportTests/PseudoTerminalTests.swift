import Support
import System
import Testing

@Suite struct PseudoTerminalTests {
  private let environment = [
    "PATH": "/usr/bin:/bin", "TERM": "xterm-256color", "LC_ALL": "C.UTF-8",
  ]

  private func shell(_ script: String, on terminal: PseudoTerminal) throws {
    try terminal.start("/bin/sh", ["-c", script], environment: environment)
  }

  @Test func start_program_hasTheTerminalAsItsOwn() throws {
    let terminal = try PseudoTerminal(columns: 50, rows: 20)
    try shell("stty size; tty; ps -o tty= -p $$; ls /proc/self/fd | wc -l", on: terminal)
    #expect(terminal.awaitEnd()?.shellStatus == 0)
    let lines = terminal.screen.text.split(separator: "\n").map(String.init)
    let name = terminal.path
    #expect(lines == ["20 50", name, String(name.dropFirst("/dev/".count)), "4"])
  }

  @Test func awaitEnd_signal_isReported() throws {
    let terminal = try PseudoTerminal()
    try shell("kill -TERM $$", on: terminal)
    let ending = try #require(terminal.awaitEnd())
    #expect(ending.signal == 15)
    #expect(ending.shellStatus == 143)
  }

  @Test func awaitEnd_stillRunning_isNil() throws {
    let terminal = try PseudoTerminal()
    try shell("sleep 60", on: terminal)
    #expect(terminal.awaitEnd(within: .milliseconds(50)) == nil)
  }

  @Test func send_keys_reachTheProgram() throws {
    let terminal = try PseudoTerminal()
    try shell("read line; echo got $line", on: terminal)
    terminal.send("hello\r")
    #expect(terminal.waitUntil { $0.text.contains("got hello") })
  }

  @Test func attributesUnchanged_afterRawMode_isFalse() throws {
    let terminal = try PseudoTerminal()
    #expect(terminal.attributesUnchanged)
    try shell("stty raw -echo", on: terminal)
    #expect(terminal.awaitEnd()?.shellStatus == 0)
    #expect(!terminal.attributesUnchanged)
  }

  @Test func resize_tellsTheProgram() throws {
    let terminal = try PseudoTerminal(columns: 80, rows: 24)
    try shell(
      "trap 'stty size; exit' WINCH; echo ready; while :; do sleep 0.01; done", on: terminal)
    #expect(terminal.waitUntil { $0.text.contains("ready") })
    try terminal.resize(columns: 100, rows: 30)
    #expect(terminal.waitUntil { $0.text.contains("30 100") })
  }

  @Test func hangUp_sendsTheSignal() throws {
    let terminal = try PseudoTerminal()
    try shell("echo ready; sleep 60", on: terminal)
    #expect(terminal.waitUntil { $0.text.contains("ready") })
    terminal.hangUp()
    #expect(terminal.awaitEnd()?.signal == 1)
  }

  @Test(arguments: [
    ("\\033[?2026$p", "^[[?2026;2$y"), ("\\033[?1$p", "^[[?1;0$y"), ("\\033[c", "^[[?62;22c"),
    ("\\033]11;?\\033\\\\", "^[]11;rgb:0000/0000/0000^["),
  ])
  func reader_question_isAnswered(question: String, answer: String) throws {
    let terminal = try PseudoTerminal()
    try shell("printf '\(question)'; sleep 5", on: terminal)
    #expect(terminal.waitUntil { $0.text.contains(answer) })
  }

  @Test func slowLine_takesItsTime() throws {
    let terminal = try PseudoTerminal(bytesPerSecond: 100_000)
    try shell("head -c 50000 /dev/zero | tr '\\0' x; echo; echo done", on: terminal)
    #expect(terminal.waitUntil { $0.text.contains("done") })
    let started = try #require(terminal.started)
    #expect(Instant.now - started > .milliseconds(300))
    #expect(terminal.output.filter { $0 == UInt8(ascii: "x") }.count == 50_000)
  }

  @Test func arrival_ofEachByte_neverGoesBack() throws {
    let terminal = try PseudoTerminal()
    try shell("echo a; sleep 0.1; echo b", on: terminal)
    #expect(terminal.awaitEnd()?.shellStatus == 0)
    let first = try #require(terminal.arrival(ofByte: 0))
    let last = try #require(terminal.arrival(ofByte: terminal.output.count - 1))
    #expect(last - first >= .milliseconds(90))
    #expect(terminal.arrival(ofByte: terminal.output.count) == nil)
  }

  @Test func screen_ofNcurses_isUnderstood() throws {
    let terminal = try PseudoTerminal(columns: 80, rows: 24)
    let server = "storytty-\(UInt32.random(in: 0...UInt32.max))"
    try terminal.start(
      "/usr/bin/tmux", ["-f", "/dev/null", "-L", server, "new", "echo inner; cat"],
      environment: environment)
    #expect(terminal.waitUntil { $0.text.contains("inner") })
    #expect(terminal.screen.unknown == [])
    terminal.send("\u{4}")
    #expect(terminal.awaitEnd() != nil)
    #expect(!terminal.screen.alternateScreen)
  }
}
