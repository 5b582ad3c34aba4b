import Support
import Testing

extension EndToEnd {
  @Suite struct ConfigurationTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func list(_ configuration: String, _ arguments: [String]) throws -> CommandResult {
      let path = try directory.write(configuration, to: "config")
      return try run(
        Programs.player, ["--config", path, "list"] + arguments, environment: plainEnvironment)
    }

    @Test(arguments: [
      ("mod = half", ":1: unknown setting 'mod'; did you mean 'mode'?"),
      ("\n# mode\nmode = haf", ":3: --mode takes half, ascii, not 'haf'"),
      ("[keys]\nnext = Rihgt", ":2: unknown key 'Rihgt'"),
      ("[keys]\nnxet = Right", ":2: unknown action 'nxet'; did you mean 'next'?"),
      ("[keyz]", ":1: unknown section [keyz]; did you mean 'keys'?"),
      ("[feed]", ":1: a feed needs a name: [feed NAME]"),
      ("[feed a", ":1: a section ends with ]"),
      ("manual = maybe", ":1: manual is yes or no, not 'maybe'"),
      ("half", ":1: 'half' is no setting: write key = value"),
      ("= half", ":1: a setting needs a key before ="),
      ("report = /tmp/x", ":1: unknown setting 'report'"),
    ])
    func mistake_isNamedWithItsLine(text: String, words: String) throws {
      let result = try list(text, ["x.mp4"])
      #expect(result.status == 1)
      #expect(result.errorLines == ["storytty: \(directory.path)/config\(words)"])
    }

    @Test func feed_byItsName_standsForItsSources() throws {
      try directory.write(makePNG(width: 2, height: 2) { _, _ in 0xFF }, to: "a.png")
      let configuration = "; mine\nmode = ascii\n[feed anna]\nsource = \(directory.path)/a.png\n"
      let result = try list(configuration, ["anna"])
      #expect(result.status == 0)
      #expect(result.outputText.contains("a.png"))
    }

    @Test func missing_configuration_isSaid() throws {
      let result = try run(
        Programs.player, ["--config", "/nonexistent", "list", "x"], environment: plainEnvironment)
      #expect(result.status == 1)
      #expect(result.errorLines.count == 1)
      #expect(result.errorText.contains("/nonexistent"))
    }
  }
}
