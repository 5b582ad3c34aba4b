import Support
import System
import Testing

extension EndToEnd {
  @Suite struct PlayingTests {
    private func threeClips(seconds: Double = 30) throws -> [String] {
      try [Colors.red, Colors.lime, Colors.blue].map { try Colors.clip($0, seconds: seconds) }
    }

    @Test func keysAndMouse_threeClips_areToldInThatOrder() throws {
      let clips = try threeClips()
      let play = try Play(clips)
      #expect(play.waitFor(color: Colors.red))
      let firstSeen = Instant.now
      #expect(play.terminal.screen.alternateScreen)
      #expect(!play.terminal.screen.cursorVisible)
      play.press(.right)
      #expect(play.waitFor(color: Colors.lime))
      play.press(.right)
      #expect(play.waitFor(color: Colors.blue))
      play.press(.left)
      #expect(play.waitFor(color: Colors.lime))
      play.click(column: 20, row: 20)
      #expect(play.waitFor(color: Colors.red))
      play.click(column: 100, row: 20)
      #expect(play.waitFor(color: Colors.lime))
      play.watch(for: .milliseconds(600))
      play.type(" ")
      let paused = Instant.now
      play.watch(for: .milliseconds(700))
      #expect(play.quit()?.shellStatus == 0)
      play.expectRestored()

      let report = try play.report()
      let told = [0, 1, 2, 1, 0, 1].map { clips[$0] }
      #expect(report.stories.map(\.source) == told)
      #expect(report.stories.map(\.kind) == Array(repeating: "video", count: 6))
      #expect(
        report.stories.map(\.status) == Array(repeating: "skipped", count: 5) + ["stopped"])
      #expect(report.stories.allSatisfy { $0.error == nil && $0.framesShown > 0 })
      #expect(report.keys.count == 5)
      #expect(report.transitions.count == 0)
      // What was seen of all of them, and the waits between, are the time until the pause.
      let seen = report.stories.reduce(0) { $0 + $1.presentedMs }
      let waited = report.stories.dropFirst().reduce(0) { $0 + ($1.firstPictureMs ?? 0) }
      let passed = milliseconds(paused - firstSeen)
      #expect(seen <= passed + 150)
      #expect(abs(seen + waited - passed) < 400)
    }

    @Test func end_ofEachStory_bringsTheNextThenTheEndCard() throws {
      let clips = try threeClips(seconds: 0.8)
      let play = try Play(clips)
      #expect(play.waitFor("That was all: 3 stories, 1 reel"))
      #expect(play.terminal.screen.alternateScreen)
      play.type("\r")
      #expect(play.waitFor(color: Colors.red))
      #expect(play.quit()?.shellStatus == 0)
      play.expectRestored()
      let report = try play.report()
      #expect(report.stories.map(\.source) == clips + [clips[0]])
      #expect(report.stories.map(\.status) == ["ended", "ended", "ended", "stopped"])
      for story in report.stories.prefix(3) {
        #expect(abs(story.presentedMs - 800) < 1)
        #expect(abs((story.durationMs ?? 0) - 800) < 1)
        #expect(story.framesDecoded == 8)
        #expect(story.framesShown + story.framesDropped == 8)
      }
      #expect(report.transitions.count == 2)
    }

    @Test func pace_ofOneClip_isItsOwn() throws {
      let play = try Play([try Clip(width: 180, height: 320, seconds: 3).file()])
      #expect(play.waitFor("That was all"))
      let ended = Instant.now
      #expect(play.quit()?.shellStatus == 0)
      let started = try #require(play.terminal.started)
      let passed = milliseconds(ended - started)
      #expect(passed >= 3000)
      #expect(passed < 6000)
      let story = try #require(try play.report().stories.first)
      #expect(story.framesDecoded == 75)
      #expect(story.framesShown + story.framesDropped == 75)
      #expect(abs(story.presentedMs - 3000) < 1)
    }

    @Test func left_onTheFirstStory_restartsIt() throws {
      let clips = try threeClips()
      let play = try Play(clips)
      #expect(play.waitFor(color: Colors.red))
      play.watch(for: .milliseconds(500))
      play.press(.left)
      play.watch(for: .milliseconds(400))
      #expect(play.quit()?.shellStatus == 0)
      let report = try play.report()
      #expect(report.stories.map(\.source) == [clips[0], clips[0]])
      #expect(report.stories.map(\.status) == ["skipped", "stopped"])
    }

    /// Who has paused does not get another story by a seek past the end.
    @Test func seekPastTheEnd_whilePaused_staysThereUntilItGoesOn() throws {
      let clips = [
        try Colors.clip(Colors.red, seconds: 3), try Colors.clip(Colors.lime, seconds: 30),
      ]
      let play = try Play(clips)
      #expect(play.waitFor(color: Colors.red))
      play.type(" ...")
      play.watch(for: .milliseconds(800))
      #expect(shows(Colors.red, on: play.terminal.screen))
      play.type(" ")
      #expect(play.waitFor(color: Colors.lime))
      #expect(play.quit()?.shellStatus == 0)
      let report = try play.report()
      #expect(report.stories.map(\.source) == clips)
      #expect(report.stories.map(\.status) == ["ended", "stopped"])
    }

    @Test func home_restartsAndEnd_endsAll() throws {
      let clips = try threeClips()
      let play = try Play(clips)
      #expect(play.waitFor(color: Colors.red))
      play.press(.right)
      #expect(play.waitFor(color: Colors.lime))
      play.press(.home)
      play.watch(for: .milliseconds(400))
      play.press(.end)
      #expect(play.waitFor("That was all"))
      #expect(play.quit()?.shellStatus == 0)
      let report = try play.report()
      #expect(report.stories.map(\.source) == [clips[0], clips[1], clips[1]])
    }

    /// The keys in the table of stories.md that tell another story, from the middle of three reels
    /// of two.
    @Test(arguments: [
      ("l", 3), ("\r", 3), ("h", 1), ("J", 4), ("\t", 4), ("K", 0), ("\u{1B}[Z", 0),
      ("\u{1B}OC", 3), ("\u{1B}[C", 3), ("\u{1B}OB", 4), ("\u{1B}OA", 0),
    ])
    func key_betweenReels_leadsThere(keys: String, expected: Int) throws {
      let directory = try TemporaryDirectory()
      var names: [String] = []
      for (index, color) in [0xFF0000, 0x00FF00, 0x0000FF, 0xFFFF00, 0xFF00FF, 0x00FFFF]
        .enumerated()
      {
        let png = makePNG(width: 9, height: 16) { _, _ in UInt32(color) }
        names.append(try directory.write(png, to: "reel\(index / 2)/story\(index).png"))
      }
      let play = try Play(["--image-time", "60", directory.path])
      #expect(play.waitFor(color: 0xFF0000))
      play.type("J")
      #expect(play.waitFor(color: 0x0000FF))
      play.type(keys)
      play.watch(for: .milliseconds(400))
      #expect(play.quit()?.shellStatus == 0)
      let report = try play.report()
      #expect(report.stories.map(\.source) == [names[0], names[2], names[expected]])
    }

    @Test func left_onAReelsFirst_givesTheLastOfTheReelBefore() throws {
      let directory = try TemporaryDirectory()
      for (name, color) in [("a/1", Colors.red), ("a/2", Colors.lime), ("b/1", Colors.blue)] {
        try directory.write(makePNG(width: 9, height: 16) { _, _ in color }, to: "\(name).png")
      }
      let play = try Play(["--image-time", "60", directory.path])
      #expect(play.waitFor(color: Colors.red))
      play.type("J")
      #expect(play.waitFor(color: Colors.blue))
      play.press(.left)
      #expect(play.waitFor(color: Colors.lime))
      #expect(play.quit()?.shellStatus == 0)
    }

    @Test func bar_clickOnAnotherSegment_goesThere() throws {
      let clips = try threeClips()
      let play = try Play(clips)
      #expect(play.waitFor(color: Colors.red))
      play.click(column: 100, row: 0)
      #expect(play.waitFor(color: Colors.blue))
      play.click(column: 60, row: 0)
      #expect(play.waitFor(color: Colors.lime))
      #expect(play.quit()?.shellStatus == 0)
    }

    @Test func bar_clickOnTheCurrentSegment_seeks() throws {
      let play = try Play([try Colors.clip(Colors.red)])
      #expect(play.waitFor(color: Colors.red))
      play.click(column: 90, row: 0)
      play.watch(for: .milliseconds(800))
      #expect(play.quit()?.shellStatus == 0)
      let report = try play.report()
      // Three quarters of 30 s, and what was watched since.
      #expect(report.stories.count == 1)
      #expect((report.stories.first?.presentedMs ?? 0) > 22_000)
      #expect((report.stories.first?.presentedMs ?? 0) < 25_500)
    }

    @Test func commaAndPeriod_seekFiveSeconds() throws {
      let play = try Play([try Colors.clip(Colors.red)])
      #expect(play.waitFor(color: Colors.red))
      play.type("..")
      play.watch(for: .milliseconds(600))
      play.type(",")
      play.watch(for: .milliseconds(600))
      #expect(play.quit()?.shellStatus == 0)
      let presented = try play.report().stories.first?.presentedMs ?? 0
      #expect(presented > 5500 && presented < 9000)
    }

    @Test func holdingTheButton_pausesUntilReleased() throws {
      let play = try Play([try Clip(width: 90, height: 160, seconds: 30).file()])
      #expect(play.terminal.waitUntil { $0.synchronizedFrames > 5 })
      play.mouse(true, column: 60, row: 20)
      play.watch(for: .milliseconds(600))
      let before = play.terminal.screen.synchronizedFrames
      play.watch(for: .milliseconds(600))
      // The picture settles to exact once; no further picture comes.
      #expect(play.terminal.screen.synchronizedFrames - before <= 1)
      play.mouse(false, column: 60, row: 20)
      #expect(play.terminal.waitUntil { $0.synchronizedFrames > before + 5 })
      #expect(play.quit()?.shellStatus == 0)
      #expect(try play.report().stories.map(\.status) == ["stopped"])
    }

    @Test func pause_again_goesOn() throws {
      let play = try Play([try Clip(width: 90, height: 160, seconds: 30).file()])
      #expect(play.terminal.waitUntil { $0.synchronizedFrames > 5 })
      play.type("p")
      play.watch(for: .milliseconds(600))
      let before = play.terminal.screen.synchronizedFrames
      play.watch(for: .milliseconds(500))
      #expect(play.terminal.screen.synchronizedFrames - before <= 1)
      play.type("p")
      #expect(play.terminal.waitUntil { $0.synchronizedFrames > before + 5 })
      #expect(play.quit()?.shellStatus == 0)
    }

    @Test func escape_alone_neverQuits() throws {
      let play = try Play([try Colors.clip(Colors.red)])
      #expect(play.waitFor(color: Colors.red))
      play.type("\u{1B}")
      play.watch(for: .milliseconds(300))
      // A split arrow key, and what no key is made of.
      play.type("\u{1B}")
      play.type("x\u{1B}[99~\u{1B}[200;200;200z")
      play.watch(for: .milliseconds(300))
      #expect(play.terminal.ending == nil)
      #expect(play.quit()?.shellStatus == 0)
      play.expectRestored()
    }

    /// As in less; where all of it fits, the keys keep their meanings.
    @Test func help_thatDoesNotFit_scrolls() throws {
      let play = try Play(
        [Colors.clip(Colors.red, seconds: 60), Colors.clip(Colors.lime, seconds: 60)], columns: 40,
        rows: 12)
      #expect(play.waitFor(color: Colors.red))
      play.type("?")
      #expect(play.waitFor("… 6 more"))
      play.press(.down)
      #expect(play.waitFor("… 5 more"))
      play.press(.up)
      #expect(play.waitFor("… 6 more"))
      play.type("\u{1B}[6~")
      #expect(play.waitFor("repaint"))
      #expect(!play.terminal.screen.text.contains("more"))
      play.press(.up)
      #expect(play.waitFor("… 2 more"))
      play.type("\u{1B}[5~")
      #expect(play.waitFor("… 6 more"))
      // What plays takes the help's place.
      play.type("i")
      #expect(play.waitFor("codec"))
      #expect(!play.terminal.screen.text.contains("more"))
      #expect(play.quit()?.shellStatus == 0)
    }

    @Test func helpAndInfo_areShownAndTakenBack() throws {
      let play = try Play([try Colors.clip(Colors.red)])
      #expect(play.waitFor(color: Colors.red))
      play.type("?")
      #expect(play.waitFor("next story"))
      play.type("?")
      #expect(
        play.terminal.waitUntil { !$0.text.contains("next story") && shows(0xFF0000, on: $0) })
      play.type("i")
      #expect(play.waitFor("h264"))
      play.type("i")
      #expect(play.terminal.waitUntil { !$0.text.contains("h264") })
      #expect(play.quit()?.shellStatus == 0)
    }

    @Test func manual_storyEnded_waitsForAKey() throws {
      let clips = try threeClips(seconds: 0.5)
      let play = try Play(["--manual"] + clips)
      #expect(play.waitFor(color: Colors.red))
      play.watch(for: .milliseconds(1200))
      #expect(shows(Colors.red, on: play.terminal.screen))
      play.press(.right)
      #expect(play.waitFor(color: Colors.lime))
      #expect(play.quit()?.shellStatus == 0)
      #expect(try play.report().transitions.count == 0)
    }

    @Test func imageTime_still_staysThatLong() throws {
      let directory = try TemporaryDirectory()
      let png = makePNG(width: 9, height: 16) { _, _ in Colors.red }
      let play = try Play(["--image-time", "0.7", directory.write(png, to: "a.png")])
      #expect(play.waitFor("That was all"))
      #expect(play.quit()?.shellStatus == 0)
      let story = try #require(try play.report().stories.first)
      #expect(story.kind == "picture")
      #expect(story.status == "ended")
      #expect(abs(story.presentedMs - 700) < 1)
      #expect(story.durationMs == 700)
    }

    @Test(.enabled(if: Media.isAvailable)) func end_soundOutlastsTheVideo_keepsTheLastPicture()
      throws
    {
      // One second of pictures, four of sound.
      let play = try Play([try Media.path("video/gen_audio_longer_than_video.mp4")])
      #expect(play.waitFor("That was all"))
      #expect(play.quit()?.shellStatus == 0)
      let story = try #require(try play.report().stories.first)
      #expect(story.status == "ended")
      #expect(abs(story.presentedMs - 4000) < 100)
    }

    @Test func slowLine_keysStillAct() throws {
      let clips = [
        try Clip(width: 1080, height: 1920, rate: 30, seconds: 3).file(),
        try Colors.clip(Colors.lime),
      ]
      let play = try Play(clips, bytesPerSecond: 100_000)
      #expect(play.terminal.waitUntil { $0.synchronizedFrames > 3 })
      play.watch(for: .milliseconds(500))
      play.press(.right)
      #expect(play.waitFor(color: Colors.lime, within: .seconds(5)))
      #expect(play.quit()?.shellStatus == 0)
      play.expectRestored()
    }
  }
}
