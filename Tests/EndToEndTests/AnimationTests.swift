import Support
import System
import Testing

extension EndToEnd {
  /// Animations as stories.
  @Suite struct AnimationTests {
    private let directory: TemporaryDirectory
    init() throws { directory = try TemporaryDirectory() }

    /// A square that fills its animation and does not move.
    private func plain(_ colour: String, time: String = #""fr":30,"ip":0,"op":60"#) -> [UInt8] {
      let square =
        #"{"ty":"rc","d":1,"s":{"a":0,"k":[400,400]},"p":{"a":0,"k":[0,0]},"r":{"a":0,"k":0}}"#
      let fill = #"{"ty":"fl","c":{"a":0,"k":\#(colour)},"o":{"a":0,"k":100}}"#
      return Lottie.text(
        time: time, layers: Lottie.layer(shapes: Lottie.group(square, fill), opacity: 100))
    }

    @Test func shortAnimation_goesRoundForThreeSeconds() throws {
      let path = try directory.write(
        plain("[0,0,1,1]", time: #""fr":20,"ip":0,"op":20"#), to: "a.json")
      let play = try Play([path])
      #expect(play.waitFor(color: Colors.blue))
      #expect(play.waitFor("That was all"))
      #expect(play.quit()?.shellStatus == 0)
      let story = try #require(try play.report().stories.first)
      #expect(story.kind == "animation" && story.status == "ended")
      #expect(story.durationMs == 3_000)
      #expect(story.presentedMs > 2_900)
      #expect(story.framesDecoded >= 60)
      play.expectRestored()
    }

    @Test func longerAnimation_isToldOnce() throws {
      let path = try directory.write(
        plain("[0,1,0,1]", time: #""fr":20,"ip":0,"op":70"#), to: "a.json")
      let play = try Play([path])
      #expect(play.waitFor(color: Colors.lime))
      #expect(play.waitFor("That was all"))
      #expect(play.quit()?.shellStatus == 0)
      let story = try #require(try play.report().stories.first)
      #expect(story.durationMs == 3_500)
      #expect(story.framesDecoded <= 70)
    }

    @Test func untimed_showsEachFrameOnce() throws {
      let path = try directory.write(plain("[1,0,0,1]"), to: "a.json")
      let play = try Play(["--untimed", path])
      #expect(play.terminal.awaitEnd()?.shellStatus == 0)
      let story = try #require(try play.report().stories.first)
      #expect(story.framesShown == 60 && story.framesDecoded == 60)
    }

    @Test func folder_listsAndTellsAnimationsOfEachPacking() throws {
      let manifest = Array(#"{"animations":[{"id":"x"}]}"#.utf8)
      try directory.write(plain("[1,0,0,1]"), to: "s/1.json")
      try directory.write(gzip(plain("[0,1,0,1]")), to: "s/2.tgs")
      try directory.write(
        zip([("manifest.json", manifest), ("animations/x.json", plain("[0,0,1,1]"))]),
        to: "s/3.lottie")
      let listed = try storytty(["list", directory.path("s"), "--json"])
      let stories = try JSONValue(parsing: listed.output)["reels"].elements[0]["stories"].elements
      #expect(stories.map { $0["kind"].text } == ["animation", "animation", "animation"])
      let play = try Play([directory.path("s")])
      for color in [Colors.red, Colors.lime, Colors.blue] {
        #expect(play.waitFor(color: color))
        play.press(.right)
      }
      #expect(play.quit()?.shellStatus == 0)
    }

    @Test func show_givesTheFrameOfThatMoment() throws {
      let path = try directory.write(plain("[0,0,1,1]"), to: "a.json")
      let result = try storytty(["show", path, "--size", "4x2", "--color", "true", "--at", "1"])
      #expect(result.status == 0)
      #expect(result.outputText.contains("0;0;255"))
      let outside = try storytty(["show", path, "--size", "4x2", "--at", "100"])
      #expect(outside.status == 0 && outside.output == result.output)
    }

    /// What other programs write, and rlottie alone would not draw.
    @Test func animation_inOtherWords_isShown_andSaysWhatItLacks() throws {
      let text = String(decoding: plain("[0,0,1,1]"), as: UTF8.self)
        .replacing(#""w":100,"h":100"#, with: #""w":100.0,"h":99.6"#)
        .replacing(#""bm":0"#, with: #""bm":1"#)
      let path = try directory.write(Array(text.utf8), to: "a.json")
      let result = try storytty(["show", path, "--size", "4x2", "--color", "true"])
      #expect(result.status == 0)
      #expect(result.outputText.contains("0;0;255"))
      #expect(result.errorText == "storytty: a.json: it is drawn without: blend modes\n")
    }

    @Test func endlessAnimation_costsItsStoryOnly_andIsKnownAfterwards() throws {
      let slow = try directory.write(Lottie.endless(), to: "slow.json")
      let good = try directory.write(plain("[0,1,0,1]"), to: "good.json")
      let state = directory.path("state")
      for _ in 0..<2 {
        let play = try Play([slow, good], environment: ["XDG_STATE_HOME": state])
        #expect(play.waitFor("cannot play slow.json: the animation takes too long to be drawn"))
        #expect(play.waitFor(color: Colors.lime))
        #expect(play.quit()?.shellStatus == 3)
        play.expectRestored()
      }
      let refused = try readText("\(state)/storytty/refused-animations")
      #expect(refused.split(separator: "\n").count == 1)
    }

    /// `show` remembers a refused animation as playing does, and forgets it where nothing may be
    /// remembered.
    @Test func show_withoutHistory_leavesNoTrace() throws {
      let slow = try directory.write(Lottie.endless(), to: "slow.json")
      for (options, remembers) in [(["--no-history"], false), ([], true)] {
        let state = directory.path("state")
        let result = try storytty(
          ["show", slow, "--size", "4x2"] + options, environment: ["XDG_STATE_HOME": state])
        #expect(result.status == 2)
        #expect(fileExists("\(state)/storytty/refused-animations") == remembers)
      }
    }
  }
}
