import Glibc
import Support
import System
import Testing

extension EndToEnd {
  /// Where a run begins, and the place that it leaves.
  @Suite struct PlaceTests {
    private let viewer: Viewer

    init() throws { viewer = try Viewer() }

    @Test func unseenFirst_beginsWithReelsThatHoldSomethingUnseen() throws {
      let reels = try viewer.threeReels()
      // All of a, and one of b.
      for name in ["a/1", "a/2", "b/1"] {
        #expect(try viewer.watchAll(["\(reels)/\(name).png"]).status == 0)
      }
      let play = try viewer.play(["--unseen-first", "--untimed", reels])
      #expect(play.terminal.awaitEnd()?.shellStatus == 0)
      let told = try play.report().stories.map { String($0.source.dropFirst(reels.count + 1)) }
      #expect(told == ["b/1", "b/2", "c/1", "c/2", "a/1", "a/2"].map { $0 + ".png" })
    }

    @Test func unseenFirst_ordersTheList() throws {
      let reels = try viewer.threeReels()
      #expect(try viewer.watchAll(["\(reels)/a/1.png", "\(reels)/a/2.png"]).status == 0)
      let list = try viewer.run(["list", "--unseen-first", reels]).outputText
      let lines = list.split(separator: "\n")
      #expect(lines.filter { !$0.hasPrefix(" ") } == ["b", "c", "a  (all seen)"])
      #expect(lines.suffix(2).allSatisfy { $0.hasSuffix("(seen)") })
      for (options, names) in [([], ["a", "b", "c"]), (["--unseen-first"], ["b", "c", "a"])] {
        let list = try viewer.run(["list", "--json"] + options + [reels])
        let listed = try JSONValue(parsing: list.output)["reels"].elements.map { $0["name"].text }
        #expect(listed == names)
      }
    }

    @Test func seenReel_isMarkedWhenItIsComeTo() throws {
      let reels = try viewer.threeReels()
      for name in ["a/1", "a/2", "b/1"] {
        #expect(try viewer.watchAll(["\(reels)/\(name).png"]).status == 0)
      }
      let play = try viewer.play(["--image-time", "60", reels])
      #expect(play.waitFor("a ✓"))
      play.type("J")
      #expect(play.waitFor(color: Colors.lime))
      play.watch(for: .milliseconds(400))
      #expect(!play.terminal.screen.text.contains("✓"))
      #expect(play.quit()?.shellStatus == 0)
      let list = try viewer.run(["list", reels]).outputText
      #expect(list.hasPrefix("a  (all seen)\n  picture   \(reels)/a/1.png  (seen)\n"))
      #expect(list.contains("\nb\n  picture   \(reels)/b/1.png  (seen)\n"))
      #expect(list.hasSuffix("\nc\n  picture   \(reels)/c/1.png\n  picture   \(reels)/c/2.png\n"))
      #expect(!(try viewer.run(["--no-history", "list", reels]).outputText.contains("seen")))
      // Programs get what the source says.
      let story = try JSONValue(parsing: viewer.run(["list", "--json", reels]).output)["reels"]
        .elements[0]["stories"].elements[0]
      #expect(
        story.keys == ["durationS", "expires", "id", "kind", "maxViews", "source", "title"])
    }

    /// Quits at the second of three stories; where a later run begins.
    @Test(arguments: ["q", "Q", "\u{3}"])
    func resume_goesOnAtTheStoryThatWasLeft(keys: String) throws {
      let pictures = try [("1", Colors.red), ("2", Colors.lime), ("3", Colors.blue)].map {
        try viewer.picture($0.1, "\($0.0).png")
      }
      let play = try viewer.play(["--image-time", "60"] + pictures)
      #expect(play.waitFor(color: Colors.red))
      play.press(.right)
      #expect(play.waitFor(color: Colors.lime))
      play.watch(for: .milliseconds(500))
      play.type(keys)
      #expect(play.terminal.awaitEnd() != nil)
      play.expectRestored()
      #expect(try viewer.playAll(pictures).names == ["1.png", "2.png", "3.png"])
      // That run told all there was.
      #expect(try viewer.playAll(["--resume"] + pictures).names == ["1.png", "2.png", "3.png"])

      let again = try viewer.play(["--image-time", "60"] + pictures)
      #expect(again.waitFor(color: Colors.red))
      again.press(.right)
      #expect(again.waitFor(color: Colors.lime))
      again.watch(for: .milliseconds(500))
      again.type(keys)
      #expect(again.terminal.awaitEnd() != nil)
      // Other sources have a place of their own.
      #expect(
        try viewer.playAll(["--resume", pictures[0], pictures[1]]).names == ["1.png", "2.png"])
      #expect(try viewer.playAll(["--resume"] + pictures).names == ["2.png", "3.png"])
    }

    /// Slides: a picture every eight seconds, of which Matroska does not say how long they stay.
    @Test func resume_inAVideoOfFewPictures_goesOnWhereItWas() throws {
      let path = viewer.home.path("slides.mkv")
      let made = try run(
        Programs.installed("ffmpeg") ?? "ffmpeg",
        [
          "-v", "error", "-nostdin", "-f", "lavfi", "-i",
          "color=c=red:s=90x160:r=1/8:d=40,drawbox=c=lime:t=fill:enable='gte(n,1)'", "-c:v",
          "libx264", "-pix_fmt", "yuv420p", path,
        ])
      #expect(made.errorText == "")
      let play = try viewer.play([path])
      #expect(play.waitFor(color: Colors.red))
      play.type("..")
      #expect(play.waitFor(color: Colors.lime))
      play.type(".")
      play.watch(for: .milliseconds(300))
      play.type("Q")
      #expect(play.terminal.awaitEnd()?.shellStatus == 0)
      let again = try viewer.play(["--resume", path])
      #expect(
        again.terminal.waitUntil { shows(Colors.lime, on: $0) || shows(Colors.red, on: $0) })
      #expect(shows(Colors.lime, on: again.terminal.screen))
      #expect(again.quit()?.shellStatus == 0)
      #expect(try again.report().stories[0].presentedMs > 13_000)
    }

    @Test func manual_toldToItsEnd_leavesNoPlace() throws {
      let pictures = try [("1", Colors.red), ("2", Colors.lime)].map {
        try viewer.picture($0.1, "\($0.0).png")
      }
      let play = try viewer.play(["--manual", "--image-time", "0.3"] + pictures)
      #expect(play.waitFor(color: Colors.red))
      play.watch(for: .milliseconds(600))
      play.press(.right)
      #expect(play.waitFor(color: Colors.lime))
      play.watch(for: .milliseconds(800))
      #expect(play.quit()?.shellStatus == 0)
      #expect(try viewer.playAll(["--resume"] + pictures).names == ["1.png", "2.png"])
    }

    /// The place is the story that a run was in, though nothing of it was shown yet.
    @Test(arguments: [true, false])
    func resume_whileAStoryIsLoading_goesOnAtIt(quits: Bool) throws {
      let nginx = try Nginx(rate: 500)
      try nginx.serve(file: Colors.clip(Colors.lime), as: "2.mp4")
      let first = try viewer.picture(Colors.red, "1.png")
      let list = try viewer.home.write("\(first)\n\(nginx.url)/2.mp4\n", to: "list.m3u")
      let options = ["--image-time", "60", "--no-cache", "--no-preload"]
      let play = try viewer.play(options + [list])
      #expect(play.waitFor(color: Colors.red))
      play.watch(for: .milliseconds(500))
      play.press(.right)
      #expect(play.waitFor("2.mp4 from 127.0.0.1"))
      if quits {
        #expect(play.quit() != nil)
      } else {
        play.watch(for: .milliseconds(500))
        play.terminal.signal(SIGKILL)
        #expect(play.terminal.awaitEnd()?.signal == SIGKILL)
      }
      let again = try viewer.play(options + ["--resume", list])
      #expect(again.waitFor("2.mp4 from 127.0.0.1"))
      #expect(again.quit() != nil)
      #expect(try again.report().stories.map(\.name) == ["2.mp4"])
    }

    @Test func resume_atAStoryThatIsToldNoMore_goesOnAtTheNext() throws {
      func feed(second: String) throws -> String {
        try viewer.feed([
          ("1", Colors.red, "anna", ""), ("2", Colors.lime, "anna", second),
          ("3", Colors.blue, "anna", ""),
        ])
      }
      let play = try viewer.play(["--image-time", "60", feed(second: "")])
      #expect(play.waitFor(color: Colors.red))
      play.press(.right)
      #expect(play.waitFor(color: Colors.lime))
      play.watch(for: .milliseconds(500))
      #expect(play.quit()?.shellStatus == 0)
      let expired = try feed(second: #""expires": "2020-01-01T00:00:00Z""#)
      #expect(try viewer.playAll(["--resume", expired]).names == ["3.png"])
    }

    /// Each list on standard input has a place of its own.
    @Test func resume_ofAListOnStandardInput_goesByWhatItNames() throws {
      let pictures = try [("1", Colors.red), ("2", Colors.lime), ("3", Colors.blue)].map {
        try viewer.picture($0.1, "\($0.0).png")
      }
      func play(_ list: [String], _ arguments: [String]) throws -> Play {
        let names = try viewer.home.write(list.joined(separator: "\n"), to: "names")
        let script = try viewer.home.write(
          "#!/bin/sh\nexec '\(Programs.player)' \"$@\" - < '\(names)'\n", to: "play")
        chmod(script, 0o755)
        return try Play(arguments, environment: viewer.environment, program: script)
      }
      func resumed(_ list: [String]) throws -> [String] {
        let play = try play(list, ["--untimed", "--resume"])
        #expect(play.terminal.awaitEnd()?.shellStatus == 0)
        return try play.report().stories.map(\.name)
      }
      let run = try play(pictures, ["--image-time", "60"])
      #expect(run.waitFor(color: Colors.red))
      run.press(.right)
      #expect(run.waitFor(color: Colors.lime))
      run.watch(for: .milliseconds(500))
      #expect(run.quit()?.shellStatus == 0)
      let other = Array(pictures[0...1])
      #expect(try resumed(other) == ["1.png", "2.png"])
      #expect(try resumed(pictures) == ["2.png", "3.png"])
    }

    @Test func quitRemembering_keepsThePosition() throws {
      let clip = try Colors.clip(Colors.red)
      func run(_ arguments: [String], then keys: String) throws -> Double {
        let play = try viewer.play(arguments + [clip])
        #expect(play.waitFor(color: Colors.red))
        play.watch(for: .milliseconds(400))
        play.type(keys)
        #expect(play.terminal.awaitEnd()?.shellStatus == 0)
        play.expectRestored()
        return try play.report().stories.first?.presentedMs ?? 0
      }
      let left = try run([], then: "..Q")
      #expect(left >= 10_000)
      let resumed = try run(["--resume"], then: "Q")
      #expect(resumed > left - 1 && resumed < left + 5000)
      #expect(try run([], then: "q") < 5000)
      // `q` leaves the place at the beginning of the story.
      #expect(try run(["--resume"], then: "q") < 5000)
    }

    @Test func resumedRun_thatIsKilled_keepsThePlace() throws {
      let clip = try Colors.clip(Colors.red)
      let play = try viewer.play([clip])
      #expect(play.waitFor(color: Colors.red))
      play.type("..Q")
      #expect(play.terminal.awaitEnd()?.shellStatus == 0)
      let left = try #require(try play.report().stories.first).presentedMs
      #expect(left >= 10_000)
      let killed = try viewer.play(["--resume", clip])
      #expect(killed.waitFor(color: Colors.red))
      // What is to be remembered of it is in the history by now.
      killed.watch(for: .milliseconds(1500))
      kill(try #require(killed.terminal.identifier), SIGKILL)
      _ = killed.terminal.awaitEnd()
      let again = try viewer.play(["--resume", clip])
      #expect(again.waitFor(color: Colors.red))
      #expect(again.quit()?.shellStatus == 0)
      let resumed = try #require(try again.report().stories.first).presentedMs
      #expect(resumed > left - 1 && resumed < left + 5000)
    }

    @Test func resume_beyondTheEndOfAShorterFile_beginsAtItsBeginning() throws {
      let path = try viewer.home.copy(Colors.clip(Colors.red), as: "clip.mp4")
      let play = try viewer.play([path])
      #expect(play.waitFor(color: Colors.red))
      play.type("....")
      play.watch(for: .milliseconds(600))
      play.type("Q")
      #expect(play.terminal.awaitEnd()?.shellStatus == 0)
      try viewer.home.copy(Colors.clip(Colors.lime, seconds: 2), as: "clip.mp4")
      let again = try viewer.play(["--resume", path])
      #expect(again.waitFor(color: Colors.lime))
      #expect(again.waitFor("That was all"))
      #expect(again.quit()?.shellStatus == 0)
      let story = try #require(try again.report().stories.first)
      #expect(story.status == "ended")
      // All of it was told.
      #expect(story.framesShown + story.framesDropped == 20)
    }
  }
}
