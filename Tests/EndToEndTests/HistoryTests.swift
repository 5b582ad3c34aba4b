import Glibc
import Support
import System
import Testing

extension EndToEnd {
  @Suite struct HistoryTests {
    private let viewer: Viewer

    init() throws { viewer = try Viewer() }

    // MARK: Views and their limits

    @Test func maxViews_acrossRuns_endTheTelling() throws {
      let feed = try viewer.feed([
        ("1", Colors.red, "anna", #""maxViews": 2"#), ("2", Colors.lime, "ben", #""maxViews": 3"#),
      ])
      #expect(try viewer.watchAll([feed]).names == ["1.png", "2.png"])
      #expect(try viewer.watchAll([feed]).names == ["1.png", "2.png"])
      #expect(try viewer.history() == ["1.png 2 2", "2.png 2 2"])
      let third = try viewer.watchAll([feed])
      #expect(third.names == ["2.png"])
      #expect(third.status == 0)
      let fourth = try viewer.playAll([feed])
      #expect(fourth.names == [])
      #expect(fourth.status == 2)
      #expect(
        fourth.text
          == "storytty: nothing left to play: 2 stories seen as often as allowed\r\n")
    }

    @Test func maxViews_withinARun_countWhenGoingBack() throws {
      let feed = try viewer.feed([
        ("1", Colors.red, "anna", #""maxViews": 1, "imageTime": 0.5"#),
        ("2", Colors.lime, "anna", #""imageTime": 60"#),
      ])
      for arguments in [["--no-history", feed], [feed]] {
        let play = try viewer.play(arguments)
        #expect(play.waitFor(color: Colors.red))
        #expect(play.waitFor(color: Colors.lime))
        play.watch(for: .milliseconds(400))
        play.press(.left)
        play.watch(for: .milliseconds(400))
        #expect(shows(Colors.lime, on: play.terminal.screen))
        #expect(play.quit()?.shellStatus == 0)
        #expect(try play.report().stories.map(\.name) == ["1.png", "2.png", "2.png"])
      }
      #expect(try viewer.history() == ["1.png 1 1", "2.png 2 0"])
    }

    @Test func maxViews_leftBeforeTheEnd_areNotCounted() throws {
      let feed = try viewer.feed([
        ("1", Colors.red, "anna", #""maxViews": 1, "imageTime": 60"#),
        ("2", Colors.lime, "anna", #""imageTime": 60"#),
      ])
      let play = try viewer.play([feed])
      #expect(play.waitFor(color: Colors.red))
      play.watch(for: .milliseconds(500))
      play.press(.right)
      #expect(play.waitFor(color: Colors.lime))
      play.press(.left)
      #expect(play.waitFor(color: Colors.red))
      play.watch(for: .milliseconds(500))
      #expect(play.quit()?.shellStatus == 0)
      #expect(try viewer.history().first == "1.png 2 0")
      #expect(try viewer.playAll([feed]).names == ["1.png", "2.png"])
    }

    /// No key could do what the card would offer.
    @Test func endCard_whereAllViewsAreUsedUp_offersOnlyToQuit() throws {
      let feed = try viewer.feed([("1", Colors.red, "anna", #""maxViews": 1, "imageTime": 0.5"#)])
      let play = try viewer.play([feed])
      #expect(play.waitFor("That was all: 1 story, 1 reel"))
      let card = play.terminal.screen.text
      #expect(card.components(of: "seen as often as allowed") == 1)
      #expect(card.contains("quit"))
      #expect(!card.contains("again") && !card.contains("back"))
      #expect(play.quit()?.shellStatus == 0)
    }

    @Test func failed_isNeverMarked() throws {
      let broken = try viewer.home.write(
        Array("\u{89}PNG\r\n\u{1A}\n and nothing more".utf8), to: "broken.png")
      let good = try viewer.picture(Colors.red, "good.png")
      let played = try viewer.watchAll([broken, good])
      #expect(played.names == ["broken.png", "good.png"])
      #expect(played.status == 3)
      #expect(try viewer.history() == ["good.png 1 1"])
    }

    @Test func secondPlayer_whoseViewsAreUsedUpMeanwhile_goesOn() throws {
      let feed = try viewer.feed([
        ("1", Colors.red, "anna", #""imageTime": 60"#),
        ("2", Colors.lime, "anna", #""imageTime": 0.4, "maxViews": 1"#),
        ("3", Colors.blue, "anna", #""imageTime": 60"#),
      ])
      let (first, second) = (try viewer.play([feed]), try viewer.play([feed]))
      #expect(first.waitFor(color: Colors.red))
      #expect(second.waitFor(color: Colors.red))
      first.press(.right)
      #expect(first.waitFor(color: Colors.lime))
      #expect(first.waitFor(color: Colors.blue))
      // Its views are written down a moment after its end.
      try #require(holds(within: .seconds(10)) { try viewer.history().contains("2.png 1 1") })
      second.press(.right)
      #expect(second.waitFor(color: Colors.blue))
      second.press(.left)
      #expect(second.waitFor(color: Colors.red))
      for play in [first, second] { #expect(play.quit()?.shellStatus == 0) }
      #expect(try first.report().stories.map(\.name) == ["1.png", "2.png", "3.png"])
      #expect(try second.report().stories.map(\.name) == ["1.png", "3.png", "1.png"])
      #expect(try viewer.history().contains("2.png 1 1"))
    }

    @Test func twoPlayers_onTheSameStory_mayBothEndIt() throws {
      let feed = try viewer.feed([
        ("1", Colors.red, "anna", #""imageTime": 3, "maxViews": 1"#),
        ("2", Colors.lime, "anna", #""imageTime": 60"#),
      ])
      let plays = [try viewer.play([feed]), try viewer.play([feed])]
      for play in plays { #expect(play.waitFor(color: Colors.red)) }
      for play in plays { #expect(play.waitFor(color: Colors.lime)) }
      for play in plays { #expect(play.quit()?.shellStatus == 0) }
      #expect(try viewer.history().first == "1.png 2 2")
      #expect(try viewer.playAll([feed]).names == ["2.png"])
    }

    @Test func untimedRun_countsNothing() throws {
      let feed = try viewer.feed([("1", Colors.red, "anna", #""maxViews": 1"#)])
      for _ in 0..<2 { #expect(try viewer.playAll([feed]).names == ["1.png"]) }
      #expect(try viewer.history() == [])
    }

    @Test func restart_isNoSkip() throws {
      let feed = try viewer.feed([
        ("1", Colors.red, "anna", #""imageTime": 60"#),
        ("2", Colors.lime, "anna", #""imageTime": 60"#),
      ])
      let play = try viewer.play([feed])
      #expect(play.waitFor(color: Colors.red))
      play.watch(for: .milliseconds(500))
      play.press(.home)
      play.watch(for: .milliseconds(500))
      play.press(.right)
      #expect(play.waitFor(color: Colors.lime))
      #expect(play.quit()?.shellStatus == 0)
      let total = try JSONValue(parsing: viewer.run(["stats", "--json"]).output)["total"]
      #expect(total["skips"].number == 1)
    }

    // MARK: Time

    @Test func expiredAndTooOld_areLeftOut() throws {
      let items = ["2020-01-01T00:00:00Z", "2999-01-01T00:00:00Z", nil].enumerated().map {
        let expires = $0.element.map { #", "_storytty": {"expires": "\#($0)"}"# } ?? ""
        return """
          {"id": "\($0.offset)", "date_published": "2019-01-01T00:00:00Z",
           "attachments": [{"url": "\($0.offset).png", "mime_type": "image/png"}]\(expires)}
          """
      }
      for number in 0..<3 { _ = try viewer.picture(Colors.red, "\(number).png") }
      let feed = try viewer.home.write(
        #"{"version": "https://jsonfeed.org/version/1", "title": "f", "items": ["#
          + items.joined(separator: ",") + "]}", to: "feed.json")
      #expect(try viewer.playAll([feed]).names == ["1.png", "2.png"])
      #expect(try viewer.playAll(["--max-age", "200y", feed]).names == ["1.png", "2.png"])
      let none = try viewer.playAll(["--max-age", "2w", feed])
      #expect(none.names == [])
      #expect(none.status == 2)
      #expect(
        none.text
          == "storytty: nothing left to play: 1 story expired, 2 stories older than wanted\r\n")
      // Files of a folder have no date of publishing.
      #expect(try viewer.playAll(["--max-age", "1s", viewer.home.path("1.png")]).status == 0)
    }

    // MARK: Words and waits

    @Test func words_followTheRulesToo() throws {
      let feed = try viewer.feed([
        ("1", Colors.red, "anna", #""maxViews": 1"#), ("2", Colors.lime, "anna", #""maxViews": 2"#),
        ("3", Colors.blue, "ben", #""expires": "2020-01-01T00:00:00Z""#),
      ])
      #expect(try viewer.watchAll([feed]).names == ["1.png", "2.png"])
      let words = try Play(["--text", feed], environment: viewer.environment)
      #expect(words.terminal.awaitEnd()?.shellStatus == 0)
      #expect(
        String(decoding: words.terminal.output, as: UTF8.self)
          == "story 1 of 1, anna, picture: title 2\r\n")
      #expect(try viewer.watchAll([feed]).names == ["2.png"])
      let none = try Play(["--text", feed], environment: viewer.environment)
      #expect(none.terminal.awaitEnd()?.shellStatus == 2)
      #expect(
        String(decoding: none.terminal.output, as: UTF8.self)
          == "storytty: nothing left to play: 2 stories seen as often as allowed, "
          + "1 story expired\r\n")
    }

    /// A story from a server that is slower than the story.
    @Test func waits_areCounted() throws {
      let clip = try Clip(.footage, width: 640, height: 360, rate: 30, seconds: 6).file()
      let nginx = try Nginx(rate: 150_000)
      try nginx.serve(file: clip, as: "slow.mp4")
      let play = try viewer.play(["--no-cache", "--no-sound", "\(nginx.url)/slow.mp4"])
      // It loads, and then stands still again and again: all of it would take 40 s.
      let words = "slow.mp4 from 127.0.0.1"
      #expect(play.waitFor(words, within: .seconds(30)))
      #expect(play.terminal.waitUntil(within: .seconds(30)) { !$0.text.contains(words) })
      play.watch(for: .seconds(3))
      #expect(play.quit()?.shellStatus == 0)
      let story = try #require(try play.report().stories.first)
      #expect(story.waits >= 1)
      let total = try JSONValue(parsing: viewer.run(["stats", "--json"]).output)["total"]
      #expect(total["waits"].number == Double(story.waits))
      // Kept in whole milliseconds.
      #expect(abs((total["waitedS"].number ?? 0) * 1000 - story.waitedMs) < 1.01)
    }

    // MARK: Its file

    @Test func killedPlayer_hasCountedWhatWasSeen() throws {
      let pictures = try [("1", Colors.red), ("2", Colors.lime)].map {
        try viewer.picture($0.1, "\($0.0).png")
      }
      let play = try viewer.play(["--image-time", "60"] + pictures)
      #expect(play.waitFor(color: Colors.red))
      play.watch(for: .milliseconds(500))
      play.press(.right)
      #expect(play.waitFor(color: Colors.lime))
      try #require(holds(within: .seconds(10)) { try viewer.history().contains("2.png 1 0") })
      play.terminal.signal(SIGKILL)
      #expect(play.terminal.awaitEnd()?.signal == SIGKILL)
      #expect(try viewer.history() == ["1.png 1 0", "2.png 1 0"])
      #expect(try viewer.playAll(["--resume"] + pictures).names == ["2.png"])
    }

    @Test func noHistory_leavesNoTrace() throws {
      let feed = try viewer.feed([("1", Colors.red, "anna", #""maxViews": 1"#)])
      let play = try viewer.play(["--no-history", "--image-time", "60", feed])
      #expect(play.waitFor(color: Colors.red))
      play.watch(for: .milliseconds(400))
      play.type("m+Q")
      #expect(play.terminal.awaitEnd()?.shellStatus == 0)
      for option in ["--resume", "--unseen-first", "--max-age=9y"] {
        #expect(try viewer.playAll(["--no-history", option, feed]).names == ["1.png"])
      }
      #expect(!fileExists(viewer.home.path("state")))
      #expect(try viewer.history() == [])
      #expect(!fileExists(viewer.home.path("state")))
      #expect(try viewer.playAll([feed]).names == ["1.png"])
      let file = viewer.home.path("state/storytty/history.db")
      let before = try readFile(file)
      #expect(try viewer.playAll(["--no-history", feed]).names == ["1.png"])
      #expect(try readFile(file) == before)
    }

    @Test func file_isPrivate() throws {
      let feed = try viewer.feed([("1", Colors.red, "anna", "")])
      #expect(try viewer.playAll([feed]).status == 0)
      for (name, mode) in [("", 0o700), ("/history.db", 0o600)] {
        var information = stat()
        #expect(stat(viewer.home.path("state/storytty\(name)"), &information) == 0)
        #expect(information.st_mode & 0o777 == mode_t(mode))
      }
    }

    @Test func damagedFile_isSetAside_andSaidOnce() throws {
      _ = try viewer.home.write("nonsense nonsense nonsense", to: "state/storytty/history.db")
      let feed = try viewer.feed([
        ("1", Colors.red, "anna", #""maxViews": 9"#), ("2", Colors.lime, "anna", ""),
      ])
      let words = "the history was damaged: it is set aside and begun anew"
      let played = try viewer.watchAll([feed])
      #expect(played.names == ["1.png", "2.png"])
      #expect(played.status == 0)
      #expect(played.text.components(of: words) == 1)
      #expect(try viewer.watchAll([feed]).text.components(of: words) == 0)
      #expect(try viewer.history() == ["1.png 2 2", "2.png 2 2"])
      #expect(
        directoryEntries(viewer.home.path("state/storytty"))
          == ["history.db", "history.db-journal", "history.db.damaged"])
    }

    @Test(arguments: [["history"], ["history", "--json"], ["stats"], ["stats", "--json"]])
    func damagedFile_isSaidByWhatTellsOfIt(command: [String]) throws {
      _ = try viewer.home.write("nonsense nonsense nonsense", to: "state/storytty/history.db")
      let first = try viewer.run(command)
      #expect(first.status == 0)
      #expect(
        first.errorLines == ["storytty: the history was damaged: it is set aside and begun anew"])
      let second = try viewer.run(command)
      #expect(second.errorLines == [])
      #expect(second.output == first.output)
    }

    @Test func damagedFile_isSaidByTheDoctor() throws {
      _ = try viewer.home.write("nonsense nonsense nonsense", to: "state/storytty/history.db")
      let warning = "  warning      the history was damaged: it is set aside and begun anew\n"
      #expect(try viewer.run(["doctor"]).outputText.contains(warning))
      #expect(try !viewer.run(["doctor"]).outputText.contains(warning))
    }

    /// What cannot be begun for another reason leaves the history as any other run does.
    @Test func logThatCannotBeOpened_closesTheHistory() throws {
      _ = try viewer.home.write("nonsense nonsense nonsense", to: "state/storytty/history.db")
      let feed = try viewer.feed([("1", Colors.red, "anna", #""maxViews": 9"#)])
      let play = try viewer.play(["--untimed", "--log", "/proc/nowhere/log", feed])
      #expect(play.terminal.awaitEnd()?.shellStatus == 1)
      let text = String(decoding: play.terminal.output, as: UTF8.self)
      #expect(text.components(of: "/proc/nowhere/log") == 1)
      #expect(text.components(of: "the history was damaged: it is set aside and begun anew") == 1)
    }

    @Test func heldFile_isDoneWithout_andSaidOnce() throws {
      let feed = try viewer.feed([("1", Colors.red, "anna", #""maxViews": 9"#)])
      #expect(try viewer.watchAll([feed]).status == 0)
      let holder = try LockableFile(
        viewer.home.path("state/storytty/history.db"), creating: false)
      #expect(try holder.hold(0..<(1 << 31), .exclusive))
      let played = try viewer.playAll([feed])
      #expect(played.names == ["1.png"])
      #expect(played.status == 0)
      #expect(played.text.components(of: "no history: another process holds it") == 1)
      holder.release(0..<(1 << 31))
      #expect(try viewer.history() == ["1.png 1 1"])
    }

    @Test func unusableFolder_isDoneWithout_andSaidOnce() throws {
      let feed = try viewer.feed([("1", Colors.red, "anna", "")])
      _ = try viewer.home.write("", to: "state")
      let played = try viewer.playAll([feed])
      #expect(played.status == 0)
      #expect(
        played.text.components(
          of: "storytty: no history: cannot create \(viewer.home.path)/state/storytty: "
            + "Not a directory") == 1)
      let listed = try viewer.run(["history"])
      #expect(listed.status == 0)
      #expect(listed.output == [])
    }

    // MARK: Its commands

    @Test func history_beforeAnything_isEmpty() throws {
      #expect(try viewer.run(["history"]).output == [])
      #expect(try viewer.run(["history", "list", "--json"]).outputText == "[]\n")
      #expect(try viewer.run(["history", "clear"]).status == 0)
      #expect(
        try viewer.run(["stats"]).outputText
          == "stories    0\nin all     0 views, 0 to the end, 0 skips, 0 waits\n"
          + "cache      there is none\n")
      #expect(!fileExists(viewer.home.path("state")))
    }

    @Test func historyAndStats_countExactly() throws {
      let feed = try viewer.feed([
        ("1", Colors.red, "anna", #""imageTime": 60"#),
        ("2", Colors.lime, "anna", #""imageTime": 0.5"#),
      ])
      let play = try viewer.play([feed])
      #expect(play.waitFor(color: Colors.red))
      play.watch(for: .milliseconds(500))
      play.press(.right)
      #expect(play.waitFor("That was all"))
      #expect(play.quit()?.shellStatus == 0)
      func story(_ number: Int, _ completions: Int, _ skips: Int) -> JSONValue {
        .object([
          "source": .text(viewer.home.path("\(number).png")), "title": .text("title \(number)"),
          "views": .number(1), "completions": .number(Double(completions)),
          "skips": .number(Double(skips)), "waits": .number(0), "waitedS": .number(0),
        ])
      }
      let stats = try JSONValue(parsing: viewer.run(["stats", "--json"]).output)
      #expect(Set(stats["stories"].elements.map { $0["source"].text }).count == 2)
      #expect(stats["stories"].elements.contains(story(1, 0, 1)))
      #expect(stats["stories"].elements.contains(story(2, 1, 0)))
      #expect(
        stats["total"]
          == .object([
            "stories": .number(2), "views": .number(2), "completions": .number(1),
            "skips": .number(1), "waits": .number(0), "waitedS": .number(0),
          ]))
      #expect(stats["cache"] == .null)
      #expect(stats.keys == ["cache", "stories", "total"])
      let list = try JSONValue(parsing: viewer.run(["history", "--json"]).output).elements
      #expect(
        list.map(\.keys)
          == Array(repeating: ["completions", "last", "source", "title", "views"], count: 2))
      let text = try viewer.run(["stats"]).outputText
      #expect(text.contains("in all     2 views, 1 to the end, 1 skip, 0 waits\n"))
      #expect(
        text.contains("  1 view, 0 to the end, 1 skip, 0 waits  \(viewer.home.path("1.png"))\n"))

      #expect(try viewer.run(["history", "clear"]).status == 0)
      #expect(try viewer.history() == [])
      #expect(try viewer.playAll([feed]).names == ["1.png", "2.png"])
    }

    @Test(arguments: [
      (["history", "lsit"], "history takes list or clear, not 'lsit'; did you mean 'list'?"),
      (["history", "list", "x"], "history list takes no source"),
      (["stats", "x"], "stats takes no source"),
      (["--unseen-frist", "x"], "unknown option --unseen-frist; did you mean --unseen-first?"),
    ])
    func mistake_isNamed(arguments: [String], words: String) throws {
      let result = try viewer.run(arguments)
      #expect(result.status == 1)
      #expect(result.errorLines == ["storytty: \(words)"])
    }

    @Test(arguments: ["soon", "0d", "-1d", "3 moons", "7", "1:30", "h"])
    func maxAge_withoutAUnit_isRefused(age: String) throws {
      let result = try viewer.run(["--max-age", age, "x"])
      #expect(result.status == 1)
      #expect(
        result.errorLines == [
          "storytty: --max-age takes a time in s, min, h, d, w or y, such as 36h or 7d, not '\(age)'"
        ])
    }

    @Test func options_fromTheConfiguration_work() throws {
      let reels = try viewer.threeReels()
      for name in ["a/1", "a/2"] {
        #expect(try viewer.playAll(["\(reels)/\(name).png"]).status == 0)
      }
      let first = try viewer.home.write("unseen-first = yes\n", to: "config1")
      #expect(try viewer.playAll(["--config", first, reels]).names.count == 6)
      let config = try viewer.home.write("no-history = yes\nmax-age = 7d\n", to: "config2")
      let before = try viewer.history()
      #expect(try viewer.playAll(["--config", config, reels]).status == 0)
      #expect(try viewer.history() == before)
    }
  }
}

extension String {
  /// How often a text occurs in it.
  fileprivate func components(of text: String) -> Int {
    split(separator: text, omittingEmptySubsequences: false).count - 1
  }
}
