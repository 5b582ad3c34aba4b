import Glibc
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
      ("\n# mode\nmode = haf", ":3: --mode takes half or ascii, not 'haf'"),
      ("[keys]\nnext = Rihgt", ":2: unknown key 'Rihgt'"),
      ("[keys]\nnxet = Right", ":2: unknown action 'nxet'; did you mean 'next'?"),
      ("[keyz]", ":1: unknown section [keyz]; did you mean 'keys'?"),
      ("[feed]", ":1: a feed needs a name: [feed NAME]"),
      ("[feed a", ":1: a section ends with ]"),
      ("\n[feed a]\n[keys]", ":2: the feed 'a' has no source: write source = FILE or URL"),
      ("[feed a]\nsource =", ":2: source needs a value"),
      (
        "[feed a]\nsource = x\n[feed b]\nsource = y\n[feed a]\nsource = x",
        ":5: the feed 'a' stands in line 1 already"
      ),
      ("color = mauve", ":1: --color takes auto, never, 16, 256 or true, not 'mauve'"),
      ("manual = maybe", ":1: manual is yes or no, not 'maybe'"),
      ("half", ":1: 'half' is no setting: write key = value"),
      ("= half", ":1: a setting needs a key before ="),
      ("[hots x]", ":1: unknown section [hots]; did you mean 'host'?"),
      ("[host]", ":1: a host needs a name: [host NAME]"),
      (
        "[host https://dav.example.org:8443/x]",
        ":1: 'https://dav.example.org:8443/x' is an address; write [host dav.example.org:8443]"
      ),
      (
        "[host http://u:CANARY@h/?CANARY]", ":1: 'http://h/' is an address; write [host h:80]"
      ),
      (
        "[host http://nas:8080]",
        ":1: 'http://nas:8080' is an address; write [host nas:8080]"
      ),
      ("[host https://]", ":1: a host needs a name: [host NAME]"),
      ("[host u:CANARY@h]", ":1: 'h' is no host, such as dav.example.org or nas:8080"),
      ("[host a/b]", ":1: 'a/b' is no host, such as dav.example.org or nas:8080"),
      ("[host a]\nuzer = x", ":2: unknown setting 'uzer' of a host; did you mean 'user'?"),
      ("[host a]\nuser =", ":2: user needs a value"),
      ("[host a]\nprofile = webdaw", ":2: unknown profile 'webdaw'; did you mean 'webdav'?"),
      ("[host a]\nheader = X", ":2: write header = NAME: VALUE"),
      ("[host a]\nheader-env = X", ":2: write header-env = NAME: VARIABLE"),
      ("[host a]\nheader-command = X", ":2: write header-command = NAME: COMMAND"),
      ("[host a]\nheader = X Y: z", ":2: 'X Y' is no name of a header"),
      ("[host a]\nheader = X:", ":2: the header X has no value"),
      ("[host a]\nheader = X: a\u{0}b", ":2: the value of header holds a control character"),
      ("[host a]\nuser = a\u{1b}b", ":2: the value of user holds a control character"),
      ("[host a]\r\nheader = X\r\n", ":2: write header = NAME: VALUE"),
      ("[host a]\nheader = Range: bytes=0-", ":2: the header Range is storytty's own"),
      ("[host a]\nheader-env = X: $TOKEN", ":2: '$TOKEN' is no name of an environment variable"),
      ("[host a]\nuser = x\npassword = y\npassword-env = Z", ":4: the password is given twice"),
      ("\n[host a]\npassword-command = x", ":2: a password needs a user: user = NAME"),
      (
        "[host a]\nprofile = box\nuser = x\npassword = y",
        ":1: box takes no password: header-command = Authorization: COMMAND"
      ),
      (
        "[host a]\nca-file = /proc/nowhere",
        ":2: cannot read /proc/nowhere: No such file or directory"
      ),
      ("report = /tmp/x", ":1: unknown setting 'report'"),
    ])
    func mistake_isNamedWithItsLine(text: String, words: String) throws {
      let result = try list(text, ["x.mp4"])
      #expect(result.status == 1)
      #expect(result.errorLines == ["storytty: \(directory.path)/config\(words)"])
    }

    /// What `storytty` alone would play.
    @Test func list_withoutASource_listsTheFeedsOfTheConfiguration() throws {
      for name in ["a.png", "b.png", "c.png"] {
        try directory.write(makePNG(width: 2, height: 2) { _, _ in 0xFF }, to: name)
      }
      let sources = ["b.png", "c.png", "a.png"].map { directory.path($0) }
      let text = "[feed x]\nsource = \(sources[0])\nsource = \(sources[1])\n"
      let result = try list(text + "[feed y]\nsource = \(sources[2])", [])
      #expect(result.status == 0 && result.errors == [])
      let listed = result.outputText.split(separator: "\n").map(String.init)
      let stories = listed.filter { $0.hasPrefix("  ") }
      #expect(stories.count == 3)
      for (line, source) in zip(stories, sources) { #expect(line.contains(source)) }
    }

    /// As editors of other systems save it.
    @Test(arguments: ["\u{FEFF}", ""], ["\n", "\r\n", "\r"])
    func markAndLineEnds_areNoPartOfIt(mark: String, end: String) throws {
      try directory.write(makePNG(width: 2, height: 2) { _, _ in 0xFF }, to: "a.png")
      let lines = [
        "mode = ascii", "", "# mine", "[feed anna]", "source = \(directory.path)/a.png", "",
      ]
      let result = try list(mark + lines.joined(separator: end), ["anna"])
      #expect(result.status == 0)
      #expect(result.errorText == "")
      #expect(result.outputText.contains("\(directory.path)/a.png\n"))
      let wrong = try list(mark + ["", "mod = half"].joined(separator: end), ["anna"])
      #expect(wrong.errorText.contains("/config:2: unknown setting 'mod'"))
    }

    @Test(
      arguments: [
        [0xFF, 0xFE, 0x6D, 0x00], [0xFE, 0xFF, 0x00, 0x6D], [0x6D, 0x00, 0x6F, 0x00],
        [0x00, 0x6D, 0x00, 0x6F],
      ] as [[UInt8]])
    func utf16_isNamed(bytes: [UInt8]) throws {
      let path = try directory.write(bytes, to: "config")
      let result = try run(
        Programs.player, ["--config", path, "list", "x"], environment: plainEnvironment)
      #expect(result.status == 1)
      #expect(result.errorLines == ["storytty: \(path):1: the file is UTF-16: save it as UTF-8"])
    }

    @Test func feed_byItsName_standsForItsSources() throws {
      try directory.write(makePNG(width: 2, height: 2) { _, _ in 0xFF }, to: "a.png")
      let configuration = "; mine\nmode = ascii\n[feed anna]\nsource = \(directory.path)/a.png\n"
      let result = try list(configuration, ["anna"])
      #expect(result.status == 0)
      #expect(result.outputText.contains("a.png"))
    }

    /// Whatever feeds are called, the subcommands stay.
    @Test(arguments: [
      "cache status", "cache list", "cache verify", "cache clear", "cache path", "history list",
      "history clear",
    ])
    func subcommand_withTheNameOfAFeed_staysOne(command: String) throws {
      let words = command.split(separator: " ").map(String.init)
      let configuration = "[feed \(words[1])]\nsource = \(directory.path)/a.png\n"
      let path = try directory.write(configuration, to: "config")
      let result = try run(
        Programs.player, ["--config", path] + words,
        environment: Play.environment(home: directory.path))
      #expect(result.status == 0)
      #expect(result.errorText == "")
    }

    private func list(_ configuration: String, mode: mode_t, folder: mode_t = 0o700) throws
      -> CommandResult
    {
      try directory.write(makePNG(width: 2, height: 2) { _, _ in 0xFF }, to: "a.png")
      let path = try directory.write(configuration, to: "etc/config")
      chmod(path, mode)
      chmod(directory.path("etc"), folder)
      return try run(
        Programs.player, ["--config", path, "list", directory.path("a.png")],
        environment: plainEnvironment)
    }

    @Test(
      arguments: [
        ("user = anna\npassword = pw", 0o600, false), ("user = anna\npassword = pw", 0o604, true),
        ("user = anna\npassword = pw", 0o640, true), ("header = X-Api-Key: k", 0o644, true),
        ("header = X-Client: storytty", 0o644, false),
        ("header-env = Authorization: T", 0o644, false),
        ("header-command = Authorization: pass show x", 0o644, false),
      ] as [(String, mode_t, Bool)])
    func secret_thatOthersMayRead_isWarnedAbout(text: String, mode: mode_t, warns: Bool) throws {
      let result = try list("[host a]\n\(text)\n", mode: mode)
      let path = directory.path("etc/config")
      let line = text.hasPrefix("user") ? 3 : 2
      #expect(result.status == 0)
      #expect(
        result.errorLines
          == (warns
            ? ["storytty: \(path):\(line): others may read this secret; chmod go-r \(path)"] : []))
    }

    @Test(
      arguments: [
        (0o600, 0o700, true), (0o644, 0o755, true), (0o600, 0o1777, true), (0o620, 0o700, false),
        (0o602, 0o700, false), (0o600, 0o770, false), (0o600, 0o777, false),
      ] as [(mode_t, mode_t, Bool)])
    func command_thatOthersMayWrite_isRefused(mode: mode_t, folder: mode_t, runs: Bool) throws {
      let result = try list(
        "[host a]\nheader-command = Authorization: touch \(directory.path("ran"))", mode: mode,
        folder: folder)
      #expect(result.status == (runs ? 0 : 1))
      let words = "others may write this file or its folder, so its commands are not run; "
      #expect(
        result.errorLines
          == (runs
            ? [] : ["storytty: \(directory.path("etc/config")):2: \(words)chmod go-w both"]))
      // Nothing of that host was asked for.
      #expect(!fileExists(directory.path("ran")))
    }

    @Test func missing_configuration_isSaid() throws {
      let result = try run(
        Programs.player, ["--config", "/proc/nowhere", "list", "x"], environment: plainEnvironment)
      #expect(result.status == 1)
      #expect(result.errorLines.count == 1)
      #expect(result.errorText.contains("/proc/nowhere"))
    }
  }
}
