import Pictures
import Terminal
import Testing

@Suite struct TerminalAbilitiesTests {
  private typealias Description = TerminalAbilities.Description

  private static func abilities(
    _ environment: [String: String], colours: Int?, direct: Bool = false
  ) -> TerminalAbilities {
    TerminalAbilities(
      environment: environment,
      description: Description(colours: colours, hasDirectColour: direct))
  }

  private struct Promise: Sendable {
    let environment: [String: String]
    let colours: Int?
    var direct = false
    let depth: ColourDepth
  }

  private static let promises: [Promise] = [
    Promise(environment: ["TERM": "xterm-256color"], colours: 256, depth: .palette256),
    Promise(
      environment: ["TERM": "xterm-256color", "XTERM_VERSION": "XTerm(379)"], colours: 256,
      depth: .trueColour),
    Promise(
      environment: ["TERM": "xterm-256color", "XTERM_VERSION": "XTerm(330)"], colours: 256,
      depth: .palette256),
    Promise(
      environment: ["TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"], colours: 256,
      depth: .trueColour),
    Promise(
      environment: ["TERM": "xterm-256color", "TERM_PROGRAM": "Apple_Terminal"], colours: 256,
      depth: .palette256),
    Promise(
      environment: ["TERM": "screen", "XTERM_VERSION": "XTerm(379)"], colours: 8,
      depth: .sixteen),
    Promise(
      environment: ["TERM": "xterm-256color", "COLORTERM": "truecolor"], colours: 256,
      depth: .trueColour),
    Promise(
      environment: ["TERM": "xterm-256color", "COLORTERM": "24bit"], colours: 256,
      depth: .trueColour),
    Promise(
      environment: ["TERM": "xterm-256color", "COLORTERM": "TrueColor"], colours: 256,
      depth: .trueColour),
    Promise(
      environment: ["TERM": "xterm-256color", "COLORTERM": "yes"], colours: 256, depth: .palette256),
    Promise(
      environment: ["TERM": "xterm-256color", "COLORTERM": "truecolor", "NO_COLOR": "1"],
      colours: 256, direct: true, depth: .never),
    Promise(
      environment: ["TERM": "xterm-256color", "COLORTERM": "truecolor", "NO_COLOR": ""],
      colours: 256, depth: .trueColour),
    Promise(
      environment: ["TERM": "xterm-256color"], colours: 256, direct: true, depth: .trueColour),
    Promise(
      environment: ["TERM": "xterm-direct"], colours: 1 << 24, direct: true, depth: .trueColour),
    Promise(environment: ["TERM": "xterm-direct256"], colours: 1 << 24, depth: .trueColour),
    Promise(environment: ["TERM": "xterm"], colours: 8, depth: .sixteen),
    Promise(environment: ["TERM": "rxvt-16color"], colours: 16, depth: .sixteen),
    Promise(environment: ["TERM": "vt100"], colours: nil, depth: .never),
    Promise(environment: ["TERM": "xterm-mono"], colours: nil, depth: .never),
    Promise(environment: ["TERM": "linux"], colours: 8, depth: .sixteen),
    Promise(environment: ["TERM": "linux", "COLORTERM": "truecolor"], colours: 8, depth: .sixteen),
    Promise(environment: ["TERM": "linux-16color"], colours: 16, depth: .sixteen),
    Promise(
      environment: ["TERM": "tmux-256color", "TMUX": "/s,1,0"], colours: 256, depth: .palette256),
    Promise(
      environment: ["TERM": "tmux-256color", "TMUX": "/s,1,0", "COLORTERM": "truecolor"],
      colours: 256, depth: .trueColour),
    Promise(
      environment: ["TERM": "screen-256color", "TMUX": "/s,1,0", "COLORTERM": "24bit"],
      colours: 256, depth: .trueColour),
    Promise(
      environment: ["TERM": "screen-256color", "COLORTERM": "truecolor"], colours: 256,
      depth: .palette256),
    Promise(
      environment: ["TERM": "screen", "COLORTERM": "truecolor"], colours: 8, depth: .sixteen),
    Promise(
      environment: ["TERM": "dumb", "COLORTERM": "truecolor"], colours: 256, direct: true,
      depth: .never),
    Promise(environment: [:], colours: 256, direct: true, depth: .never),
  ]

  @Test(arguments: promises)
  private func colour_fromEnvironmentAndDescription(promise: Promise) {
    let abilities = Self.abilities(
      promise.environment, colours: promise.colours, direct: promise.direct)
    #expect(abilities.colour == promise.depth)
  }

  @Test(arguments: [
    (["LANG": "en_GB.UTF-8"], true),
    (["LANG": "en_GB.utf8"], true),
    (["LANG": "C.UTF-8"], true),
    (["LANG": "C"], false),
    (["LANG": "de_DE.ISO-8859-1"], false),
    ([:], false),
    (["LC_ALL": "C", "LANG": "en_GB.UTF-8"], false),
    (["LC_ALL": "", "LANG": "en_GB.UTF-8"], true),
    (["LC_ALL": "en_GB.UTF-8", "LC_CTYPE": "C", "LANG": "C"], true),
    (["LC_CTYPE": "C.UTF-8", "LANG": "C"], true),
    (["LC_CTYPE": "C", "LANG": "C.UTF-8"], false),
  ])
  func unicode_firstLocaleVariableDecides(environment: [String: String], expected: Bool) {
    let abilities = Self.abilities(environment.merging(["TERM": "xterm"]) { $1 }, colours: 8)
    #expect(abilities.unicode == expected)
  }

  @Test(arguments: [(8, false), (256, true), (1 << 24, true)])
  func unicode_noLocaleAtAll_terminalsOfToday(colours: Int, expected: Bool) {
    #expect(Self.abilities(["TERM": "xterm"], colours: colours).unicode == expected)
    #expect(!Self.abilities(["TERM": "xterm", "LANG": "POSIX"], colours: colours).unicode)
  }

  @Test(arguments: [
    ("xterm", true, false), ("dumb", true, true), ("", true, true), ("unknown", true, true),
    ("teletype", false, true),
  ])
  func isDumb_nameOrDescription(name: String, placesCursor: Bool, expected: Bool) {
    let abilities = TerminalAbilities(
      environment: ["TERM": name], description: Description(placesCursor: placesCursor))
    #expect(abilities.isDumb == expected)
    #expect(abilities.name == name)
  }

  @Test func synchronizedOutput_beforeTheAnswer_isOff() {
    #expect(!Self.abilities(["TERM": "xterm-256color"], colours: 256).synchronizedOutput)
  }
}
