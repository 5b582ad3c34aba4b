import Glibc
import Support
import System
import Testing

/// The player without a terminal.
func storytty(
  _ arguments: [String], environment changes: [String: String?] = [:], directory: String? = nil,
  input: String = "", within limit: Duration = .seconds(30)
) throws -> CommandResult {
  try storytty(
    arguments, environment: changes, directory: directory, inputBytes: Array(input.utf8),
    within: limit)
}

/// The same with any bytes on standard input.
func storytty(
  _ arguments: [String], environment changes: [String: String?] = [:], directory: String? = nil,
  inputBytes: [UInt8], within limit: Duration = .seconds(30)
) throws -> CommandResult {
  try run(
    Programs.player, arguments,
    environment: Play.environment(home: "/proc/nowhere", changes: changes), directory: directory,
    input: inputBytes, within: limit)
}

extension EndToEnd {
  @Suite struct CommandLineTests {
    @Test(arguments: ["--help", "-h"])
    func help_isPrinted(option: String) throws {
      let result = try storytty([option])
      #expect(result.status == 0)
      #expect(result.outputText.hasPrefix("Usage: storytty"))
      for word in [
        "show", "list", "doctor", "--untimed", "--report", "--mode", "--color", "--size",
        "JSON Feed, RSS, Atom", "M3U, XSPF, PLS", "WebDAV",
      ] {
        #expect(result.outputText.contains(word))
      }
      #expect(result.outputText.split(separator: "\n").allSatisfy { $0.count <= 100 })
      #expect(result.errors == [])
    }

    /// The last one counts.
    @Test(arguments: [
      (["--json"], true), (["--json", "--no-json"], false), (["--no-json", "--json"], true),
    ])
    func flag_thatIsUndone_isOff(options: [String], isJSON: Bool) throws {
      let directory = try TemporaryDirectory()
      let path = try directory.write(makePNG(width: 4, height: 4) { _, _ in 0xFF }, to: "a.png")
      let result = try storytty(["list"] + options + [path])
      #expect(result.status == 0 && !result.output.isEmpty)
      #expect(result.outputText.hasPrefix("{") == isJSON)
    }

    /// What the configuration has switched on is switched off for one call.
    @Test(arguments: [
      ([], false), (["--cache"], true), (["--cache", "--no-cache"], false),
      (["--no-cache", "--cache"], true),
    ])
    func noCache_ofTheConfiguration_isUndone(options: [String], isUsed: Bool) throws {
      let directory = try TemporaryDirectory()
      let config = try directory.write(
        "cache-dir = \(directory.path("mine"))\nno-cache = yes\n", to: "config")
      let result = try storytty(["cache", "path", "--config", config] + options)
      #expect(result.outputText.contains(directory.path("mine")) == isUsed, "\(result.errorText)")
    }

    /// Nothing else is made an option by that, and nothing else is proposed.
    @Test(arguments: [
      (["--no-help"], "unknown option --no-help; see storytty --help"),
      (["--no-volume", "f"], "unknown option --no-volume; see storytty --help"),
      (["list", "--no-manual", "f"], "--no-manual is an option of playing, not of list"),
      (["show", "--sound", "f"], "--sound is an option of playing, not of show"),
    ])
    func undoing_whereNothingIs_isAMistake(arguments: [String], words: String) throws {
      let result = try storytty(arguments)
      #expect(result.status == 1)
      #expect(result.errorLines == ["storytty: \(words)"])
    }

    @Test func help_namesEachThingOnce() throws {
      let text = try storytty(["--help"]).outputText
      #expect(text.ranges(of: "STORYTTY_LOG").count == 1)
      #expect(text.contains("STORYTTY_LOG chooses what --log records: playback, http, cache"))
    }

    @Test(arguments: [["doctor", "x"], ["doctor", "--", "x.mp4", "y"]])
    func doctor_withASource_isAMistake(arguments: [String]) throws {
      let result = try storytty(arguments)
      #expect(result.status == 1 && result.output == [])
      let first = try #require(arguments.first { $0.hasPrefix("x") })
      #expect(
        result.errorLines == ["storytty: doctor takes no source, and '\(first)' was given"])
    }

    @Test func version_isOneLine() throws {
      let result = try storytty(["--version"])
      #expect(result.status == 0)
      #expect(result.outputText.hasPrefix("storytty "))
      #expect(result.outputText.split(separator: "\n").count == 1)
    }

    /// What only the network needs, thirty libraries, is not waited for by who plays local files.
    @Test func program_isNotLinkedWithTheNetwork() throws {
      let ldd = try #require(Programs.installed("ldd"))
      let needed = try run(ldd, [Programs.player])
      #expect(needed.status == 0)
      #expect(needed.outputText.contains("libncursesw"))
      for name in ["libcurl", "libssl", "libgssapi", "libldap"] {
        #expect(!needed.outputText.contains(name))
      }
    }

    /// Each wrong command line: status 1 and one line that names what is wrong.
    @Test(arguments: [
      (["--nonsense"], "--nonsense"), (["--untimd"], "--untimed"), (["--mode", "x", "f"], "half"),
      (["--mode"], "--mode"), (["--color", "mauve", "f"], "mauve"), (["--size", "80", "f"], "80"),
      (["--size", "0x0", "f"], "0x0"), (["--size", "99999999999999999999x1", "f"], "--size"),
      (["show"], "SOURCE"), (["--image-time", "-1", "f"], "--image-time"),
      (["--at", "abc", "f"], "abc"), (["--fit", "", "f"], "--fit"), (["-x"], "-x"),
    ])
    func mistake_onTheCommandLine_isNamed(arguments: [String], word: String) throws {
      let result = try storytty(arguments)
      #expect(result.status == 1)
      #expect(result.output == [])
      #expect(result.errorLines.count == 1)
      #expect(result.errorText.hasPrefix("storytty: "))
      #expect(result.errorText.contains(word))
    }

    /// It would be left without effect.
    @Test(arguments: [
      (["--at", "3", "f"], "--at is an option of show, not of playing"),
      (["list", "--at", "3", "f"], "--at is an option of show, not of list"),
      (["show", "--resume", "f"], "--resume is an option of playing, not of show"),
      (
        ["show", "--json", "f"],
        "--json is an option of playing, list, history, stats and cache, not of show"
      ),
      (
        ["list", "--mode", "half", "f"],
        "--mode is an option of playing, show and cache, not of list"
      ),
      (["--listen", "127.0.0.1:0", "f"], "--listen is an option of serve, not of playing"),
      (["serve", "--volume", "3", "f"], "--volume is an option of playing, not of serve"),
      (
        ["cache", "prefetch", "--max-age", "3d", "f"],
        "--max-age is an option of playing and list, not of cache"
      ),
      (
        ["history", "--cache-dir", "d"],
        "--cache-dir is an option of playing, show, list, stats, cache and doctor, not of history"
      ),
    ])
    func option_ofAnotherCommand_isNamed(arguments: [String], words: String) throws {
      let result = try storytty(arguments)
      #expect(result.status == 1)
      #expect(result.output == [])
      #expect(result.errorLines == ["storytty: \(words)"])
    }

    /// In the configuration they are for whoever understands them.
    @Test func settings_ofOtherCommands_areNoMistake() throws {
      let directory = try TemporaryDirectory()
      let path = try directory.write(makePNG(width: 4, height: 4) { _, _ in 0xFF }, to: "a.png")
      let config = try directory.write("volume = 3\nlisten = 127.0.0.1:0\n", to: "config")
      #expect(try storytty(["--config", config, "list", path]).status == 0)
    }

    @Test func json_whilePlaying_isAMistake() throws {
      let play = try Play(["--json", try Colors.clip(Colors.red)])
      #expect(play.terminal.awaitEnd()?.shellStatus == 1)
      #expect(play.terminal.screen.text.hasPrefix("storytty: --json is an option of list,"))
    }

    /// The same forms wherever a time is wanted.
    @Test(arguments: [
      ("5", true), ("0.5", true), ("5s", true), ("1:05.5", true), ("1:00:05s", true),
      ("2min", true), ("1.5 h", true), ("3h", true), ("1d", true), ("", false),
      ("3 moons", false), ("-3h", false), ("1:2h", false), ("100y", false), ("inf", false),
      ("1:", false),
    ])
    func time_takesSecondsClocksAndUnits(word: String, isTaken: Bool) throws {
      for option in ["image-time", "at"] {
        // Options are read before the version is printed.
        let result = try storytty(["--\(option)", word, "--version"])
        #expect(result.status == (isTaken ? 0 : 1))
        let words = "--\(option) takes a time, such as 5, 1:05.5 or 2min, not '\(word)'"
        #expect(result.errorLines == (isTaken ? [] : ["storytty: \(words)"]))
      }
    }

    @Test func report_thatCannotBeWritten_isSaid() throws {
      let clip = try Colors.clip(Colors.red, seconds: 0.5)
      let terminal = try PseudoTerminal()
      try terminal.start(
        Programs.player, ["--untimed", "--report", "/proc/nowhere/r.json", clip],
        environment: Play.environment(home: "/proc/nowhere"))
      #expect(terminal.awaitEnd()?.shellStatus == 1)
      #expect(terminal.screen.text.contains("/proc/nowhere/r.json"))
      #expect(terminal.attributesUnchanged)
    }

    @Test func play_withoutATerminal_lists() throws {
      let directory = try TemporaryDirectory()
      try directory.write(makePNG(width: 4, height: 4) { _, _ in 0xFF }, to: "a/one.png")
      let played = try storytty([directory.path])
      let listed = try storytty(["list", directory.path])
      #expect(played.status == 0)
      #expect(played.output == listed.output)
      #expect(played.outputText.contains("one.png"))
    }

    @Test func doctor_saysWhatItKnows() throws {
      let play = try PseudoTerminal()
      try play.start(
        Programs.player, ["doctor"], environment: Play.environment(home: "/proc/nowhere"))
      #expect(play.awaitEnd()?.shellStatus == 0)
      let text = String(decoding: play.output, as: UTF8.self).lowercased()
      for word in [
        "storytty", "xterm-256color", "120x40", "sandbox", "libavcodec", "libseccomp",
        "libmicrohttpd",
      ] {
        #expect(text.contains(word), "\(word)")
      }
      #expect(play.screen.unknown == [])
    }

    @Test func doctor_withoutATerminal_works() throws {
      #expect(try storytty(["doctor"]).status == 0)
    }

    @Test func dumbTerminal_getsWords() throws {
      let clip = try Colors.clip(Colors.red)
      let play = try Play([clip], environment: ["TERM": "dumb"])
      #expect(play.terminal.awaitEnd()?.shellStatus == 0)
      let text = String(decoding: play.terminal.output, as: UTF8.self)
      #expect(text.hasPrefix("story 1 of 1"))
      #expect(!text.contains("\u{1B}"))
    }

    @Test func unknownTerminal_isTakenForAnXterm() throws {
      let play = try Play([try Colors.clip(Colors.red)], environment: ["TERM": "no-such-terminal"])
      #expect(play.waitFor(color: Colors.red))
      #expect(play.quit()?.shellStatus == 0)
      play.expectRestored()
    }

    @Test func noSource_playsTheDemo() throws {
      let play = try Play([])
      #expect(play.terminal.waitUntil { $0.alternateScreen && $0.synchronizedFrames > 3 })
      #expect(play.quit()?.shellStatus == 0)
      play.expectRestored()
      let list = try JSONValue(parsing: storytty(["list", "--json"]).output)
      #expect(list["reels"].elements.count >= 2)
      #expect(list["reels"].elements.flatMap { $0["stories"].elements }.count >= 8)
    }
  }

  @Suite struct ListTests {
    @Test func json_ofAFolder_isTheContract() throws {
      let directory = try TemporaryDirectory()
      let png = makePNG(width: 4, height: 4) { _, _ in 0xFF }
      let clip = try Clip(width: 90, height: 160, seconds: 0.5).file()
      let paths = [
        try directory.copy(clip, as: "anna/2.mp4"), try directory.write(png, to: "anna/10.png"),
        try directory.write(png, to: "ben/one.png"),
      ]
      try directory.write("no media\n", to: "ben/notes.txt")
      let result = try storytty(["list", "--json", directory.path])
      #expect(result.status == 0)
      let json = try JSONValue(parsing: result.output)
      #expect(json.keys == ["reels", "skipped", "title"])
      let reels = json["reels"].elements
      #expect(reels.map { $0["name"].text } == ["anna", "ben"])
      // 2 before 10: natural order.
      let stories = reels.flatMap { $0["stories"].elements }
      #expect(stories.map { $0["source"].text } == paths)
      #expect(stories.map { $0["kind"].text } == ["video", "picture", "picture"])
      for story in stories {
        #expect(
          story.keys == ["durationS", "expires", "id", "kind", "maxViews", "source", "title"])
        #expect(story["id"].text?.isEmpty == false)
      }
    }

    @Test func json_ofAFeed_hasItsWords() throws {
      let directory = try TemporaryDirectory()
      let path = try directory.write(makePNG(width: 4, height: 4) { _, _ in 0xFF }, to: "a.png")
      let feed = try directory.write(
        """
        {"version": "https://jsonfeed.org/version/1.1", "title": "A week",
         "items": [
          {"id": "1", "authors": [{"name": "anna"}], "content_text": "Low tide",
           "attachments": [{"url": "a.png", "mime_type": "image/png",
                            "duration_in_seconds": 7.5}],
           "_storytty": {"maxViews": 3, "expires": "2099-12-05T00:00:00Z"}},
          {"id": 2}
         ]}
        """, to: "feed.json")
      let json = try JSONValue(parsing: storytty(["list", feed, "--json"]).output)
      #expect(json["title"] == .text("A week"))
      let reel = try #require(json["reels"].elements.first)
      #expect(reel["name"] == .text("anna"))
      let story = try #require(reel["stories"].elements.first)
      #expect(story["id"].text?.hasSuffix("1") == true)
      #expect(story["source"] == .text(path))
      #expect(story["kind"] == .text("picture"))
      #expect(story["title"] == .text("Low tide"))
      #expect(story["durationS"] == .number(7.5))
      #expect(story["maxViews"] == .number(3))
      #expect(story["expires"] == .text("2099-12-05T00:00:00Z"))
      let skipped = try #require(json["skipped"].elements.first)
      #expect(skipped.keys == ["reason", "source"])
      #expect(skipped["reason"].text?.isEmpty == false)
    }

    @Test func list_onStandardInput_isRead() throws {
      let directory = try TemporaryDirectory()
      let path = try directory.write(makePNG(width: 4, height: 4) { _, _ in 0xFF }, to: "a.png")
      let result = try storytty(["list", "-", "--json"], input: "\(path)\n# comment\n\n")
      #expect(result.status == 0)
      let json = try JSONValue(parsing: result.output)
      let stories = json["reels"].elements.flatMap { $0["stories"].elements }
      #expect(stories.map { $0["source"].text } == [path])
    }

    @Test func m3u_relativePaths_areFoundBesideIt() throws {
      let directory = try TemporaryDirectory()
      let path = try directory.write(makePNG(width: 4, height: 4) { _, _ in 0xFF }, to: "d/a.png")
      let list = try directory.write("#EXTM3U\r\n#EXTINF:5,A title\r\na.png\r\n", to: "d/l.m3u")
      let json = try JSONValue(parsing: storytty(["list", list, "--json"]).output)
      let stories = json["reels"].elements.flatMap { $0["stories"].elements }
      #expect(stories.map { $0["source"].text } == [path])
      #expect(stories.map { $0["title"].text } == ["A title"])
    }

    /// What a feed says is believed, and pictures are not asked.
    @Test func durations_areFoundOut() throws {
      let directory = try TemporaryDirectory()
      let clip = try Clip(width: 64, height: 36, rate: 25, seconds: 1.2).file()
      let picture = try directory.write(makePNG(width: 4, height: 4) { _, _ in 0xFF }, to: "a.png")
      let broken = try directory.write("no video", to: "broken.mp4")
      let feed = try directory.write(
        """
        {"version": "https://jsonfeed.org/version/1.1", "title": "t", "items": [
          {"id": "1", "attachments": [{"url": "file://\(clip)", "mime_type": "video/mp4"}]},
          {"id": "2", "attachments": [{"url": "file://\(clip)", "mime_type": "video/mp4",
            "duration_in_seconds": 77}]},
          {"id": "3", "attachments": [{"url": "file://\(picture)", "mime_type": "image/png"}]},
          {"id": "4", "attachments": [{"url": "file://\(broken)", "mime_type": "video/mp4"}]}]}
        """, to: "feed.json")
      let found = try storytty(["list", feed, "--durations", "--json"])
      #expect(found.status == 0)
      #expect(found.errorText.hasPrefix("storytty: cannot tell how long broken.mp4 lasts: "))
      let stories = try JSONValue(parsing: found.output)["reels"].elements.flatMap {
        $0["stories"].elements
      }
      #expect(stories.map { $0["durationS"].number } == [1.2, 77, nil, nil])
      let words = try storytty(["list", feed, "--durations"]).outputText.split(separator: "\n")
      #expect(words[1].hasPrefix("  video          1 s  \(clip)"))
      #expect(words[2].hasPrefix("  video         1:17  \(clip)"))
      #expect(words[3].hasPrefix("  picture             \(picture)"))
      let without = try storytty(["list", feed, "--json"])
      #expect(without.errorText.isEmpty)
      let named = try JSONValue(parsing: without.output)["reels"].elements.flatMap {
        $0["stories"].elements
      }
      #expect(named.map { $0["durationS"].number } == [nil, 77, nil, nil])
    }

    @Test func plain_list_namesReelsAndStories() throws {
      let directory = try TemporaryDirectory()
      let path = try directory.write(
        makePNG(width: 4, height: 4) { _, _ in 0xFF }, to: "anna/a.png")
      let result = try storytty(["list", directory.path])
      #expect(result.status == 0)
      #expect(result.outputText.contains("anna\n"))
      #expect(result.outputText.contains(path))
    }
  }
}
