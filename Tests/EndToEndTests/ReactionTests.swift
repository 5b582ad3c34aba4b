import Support
import System
import Testing

extension EndToEnd {
  /// Reactions over a running story.
  @Suite struct ReactionTests {
    private let directory: TemporaryDirectory

    init() throws {
      directory = try TemporaryDirectory()
      try directory.write(reaction("[0,1,0,1]", frames: 30), to: "anim/heart.json")
      try directory.write(reaction("[1,1,0,1]", frames: 30), to: "anim/star.json")
    }

    /// A still square in one colour that fills all, for so many frames of a thirtieth of a second.
    private func reaction(_ colour: String, frames: Int) -> [UInt8] {
      let square =
        #"{"ty":"rc","d":1,"s":{"a":0,"k":[90,90]},"p":{"a":0,"k":[0,0]},"r":{"a":0,"k":0}}"#
      let fill = #"{"ty":"fl","c":{"a":0,"k":\#(colour)},"o":{"a":0,"k":100}}"#
      return Lottie.text(
        time: #""fr":30,"ip":0,"op":\#(frames)"#,
        layers: Lottie.layer(shapes: Lottie.group(square, fill), opacity: 100))
    }

    private func play(_ arguments: [String], sources: [String]? = nil) throws -> Play {
      let clip = try Colors.clip(Colors.red)
      let play = try Play(
        ["--no-sound", "--no-history"] + arguments + (sources ?? [clip]))
      #expect(play.waitFor(color: Colors.red))
      return play
    }

    private var local: [String] { ["--animations", directory.path("anim")] }

    private func end(_ play: Play) {
      #expect(play.quit()?.shellStatus == 0)
      play.expectRestored()
    }

    @Test func strip_showsNames_andSendsByDigit() throws {
      let play = try play(local)
      play.type("r")
      #expect(play.waitFor("1 heart"))
      #expect(play.waitFor("2 star"))
      play.type("1")
      #expect(play.waitFor(color: Colors.lime))
      // The story went on below it, and is seen again.
      #expect(play.waitFor(color: Colors.red))
      end(play)
    }

    @Test func strip_sendsTheChosen_andClosesByEscape() throws {
      let clips = try [Colors.red, Colors.blue].map { try Colors.clip($0) }
      let play = try play(local, sources: clips)
      play.type("r")
      #expect(play.waitFor("▸1 heart"))
      play.press(.right)
      #expect(play.waitFor("▸2 star"))
      play.type("\r")
      #expect(play.waitFor(color: Colors.yellow))
      play.type("\u{1B}")
      #expect(play.terminal.waitUntil(within: .seconds(5)) { !$0.text.contains("2 star") })
      // Right is what it was before.
      play.press(.right)
      #expect(play.waitFor(color: Colors.blue))
      end(play)
    }

    @Test func help_overTheStrip_takesTheKeysFirst() throws {
      let clips = try [Colors.red, Colors.blue].map { try Colors.clip($0) }
      let play = try play(local, sources: clips)
      play.type("r")
      #expect(play.waitFor("▸1 heart"))
      play.type("?")
      #expect(play.waitFor("reactions shown or not"))
      // Esc closes what is seen: the help, then the strip below it.
      play.type("\u{1B}")
      #expect(play.waitFor("▸1 heart"))
      play.type("?")
      #expect(play.waitFor("reactions shown or not"))
      play.press(.right)
      play.type("?")
      // Right meant the next story, not the next reaction.
      #expect(play.waitFor("▸1 heart"))
      #expect(play.waitFor(color: Colors.blue))
      play.type("\u{1B}")
      #expect(play.terminal.waitUntil(within: .seconds(5)) { !$0.text.contains("1 heart") })
      end(play)
    }

    @Test func listedButNotThere_vanishes_andTheOthersMove() throws {
      try directory.write(
        #"[{"id":"gone"},{"id":"heart"},{"id":"../../etc/passwd"},{"id":"star"}]"#,
        to: "anim/animations.json")
      let play = try play(local)
      play.type("r")
      #expect(play.waitFor("2 star"))
      #expect(play.waitFor("1 heart"))
      #expect(!play.terminal.screen.text.contains("gone"))
      #expect(!play.terminal.screen.text.contains("passwd"))
      play.type("2")
      #expect(play.waitFor(color: Colors.yellow))
      end(play)
    }

    @Test func digits_withoutTheStrip_sendWhatIsKnown() throws {
      let play = try play(local)
      play.type("2")
      #expect(play.waitFor("2 star"))
      play.type("r")
      #expect(play.terminal.waitUntil(within: .seconds(5)) { !$0.text.contains("2 star") })
      play.type("2")
      #expect(play.waitFor(color: Colors.yellow))
      end(play)
    }

    @Test func previews_areAlive() throws {
      let play = try play(local)
      play.type("r")
      // A cell of each reaction's colour in the rows of the strip.
      let isDrawn = play.terminal.waitUntil(within: .seconds(15)) { screen in
        [Colors.lime, Colors.yellow].allSatisfy { colour in
          (screen.rows - 8..<screen.rows - 2).contains { row in
            (0..<screen.columns).contains { column in
              screen[column, row].halves.map { isNear($0.upper, colour) } ?? false
            }
          }
        }
      }
      #expect(isDrawn)
      end(play)
    }

    @Test func repeats_areCounted() throws {
      let play = try play(local)
      play.type("r")
      #expect(play.waitFor("1 heart"))
      play.type("111")
      #expect(play.waitFor("heart x3"))
      end(play)
    }

    @Test func hidden_nothingComes_untilTheyAreShownAgain() throws {
      let play = try play(local)
      play.type("r")
      #expect(play.waitFor("1 heart"))
      play.type("g")
      #expect(play.waitFor("reactions are hidden"))
      play.type("1")
      #expect(!play.waitFor(color: Colors.lime, within: .seconds(2)))
      play.type("g")
      #expect(play.waitFor("reactions are shown"))
      play.type("1")
      #expect(play.waitFor(color: Colors.lime))
      end(play)
    }

    /// What is shown goes at once, over a story that moves and over one that does not.
    @Test(arguments: [true, false])
    func hidden_whileOneIsShown_theStoryIsSeenAgain(moves: Bool) throws {
      try directory.write(reaction("[0,1,0,1]", frames: 400), to: "anim/long.json")
      let still = makePNG(width: 90, height: 160) { _, _ in Colors.red }
      try directory.write(still, to: "still.png")
      let play = try play(
        local + ["--image-time", "60"], sources: moves ? nil : [directory.path("still.png")])
      play.type("r")
      #expect(play.waitFor("2 long"))
      play.type("2")
      #expect(play.waitFor(color: Colors.lime))
      let shown = Instant.now
      play.type("g")
      #expect(play.waitFor("reactions are hidden"))
      #expect(play.waitFor(color: Colors.red))
      // It would have lasted for more than 13 s.
      #expect(Instant.now - shown < .seconds(8))
      end(play)
    }

    @Test func reducedMotion_hasNone() throws {
      let play = try play(local + ["--reduce-motion"])
      play.type("r")
      #expect(play.waitFor("reactions are off"))
      end(play)
    }

    @Test func feed_withoutAny_saysSo() throws {
      let play = try play([])
      play.type("r")
      #expect(play.waitFor("this feed has no reactions"))
      end(play)
    }

    @Test func paused_theStoryStays_whileAReactionIsShown() throws {
      let play = try play(local)
      play.type("r")
      #expect(play.waitFor("1 heart"))
      play.type(" ")
      play.type("1")
      #expect(play.waitFor(color: Colors.lime))
      #expect(play.waitFor(color: Colors.red))
      end(play)
    }

    @Test func story_isAsLongAsWithout() throws {
      let clip = try Colors.clip(Colors.red, seconds: 3)
      let play = try play(local, sources: [clip])
      play.type("r")
      #expect(play.waitFor("1 heart"))
      play.type("1")
      #expect(play.waitFor(color: Colors.lime))
      #expect(play.waitFor("That was all"))
      end(play)
      let story = try #require(try play.report().stories.first)
      #expect(story.status == "ended")
      #expect(story.durationMs == 3_000)
      #expect(story.framesShown + story.framesDropped == 30)
    }

    // MARK: - Received

    private func feed(_ reactions: String, _ clips: [String], endpoint: String = "anim") throws
      -> String
    {
      for (index, clip) in clips.enumerated() { try directory.copy(clip, as: "\(index).mp4") }
      let items = clips.indices.map { index in
        let additions = index == 0 ? #","_storytty":{"reactions":\#(reactions)}"# : ""
        return #"{"id":"\#(index)","attachments":[{"url":"\#(index).mp4"}]\#(additions)}"#
      }
      return try directory.write(
        #"""
        {"version":"https://jsonfeed.org/version/1.1","title":"t",
         "_storytty":{"animations":"\#(endpoint)"},"items":[\#(items.joined(separator: ","))]}
        """#, to: "feed.json")
    }

    @Test func received_comeAtTheirMoments_once() throws {
      let clips = try [Colors.red, Colors.blue].map { try Colors.clip($0) }
      let play = try play(
        [], sources: [feed(#"[{"at":1.5,"id":"heart","from":"ben"}]"#, clips)])
      #expect(play.waitFor(color: Colors.lime))
      #expect(play.waitFor("ben: heart"))
      #expect(play.waitFor(color: Colors.red))
      // Back to before it: it was shown already.
      play.type(",")
      #expect(!play.waitFor(color: Colors.lime, within: .seconds(3)))
      // Another story has none; the same one told anew has it again.
      play.press(.right)
      #expect(play.waitFor(color: Colors.blue))
      play.press(.left)
      #expect(play.waitFor(color: Colors.red))
      #expect(play.waitFor(color: Colors.lime))
      end(play)
    }

    @Test func received_whichAHumanSeesAsText_isHarmless() throws {
      let clips = [try Colors.clip(Colors.red)]
      let hostile = #"\u001b[31m\u202eevil\u0007"#
      let play = try play(
        [], sources: [feed(#"[{"at":0.5,"id":"heart","from":"\#(hostile)"}]"#, clips)])
      #expect(play.waitFor("evil"))
      #expect(play.terminal.screen.unknown == [])
      end(play)
    }

    @Test func reactionsThatCannotBeDrawn_leaveTheirBanners() throws {
      try directory.write(Lottie.endless(), to: "anim/slow.json")
      try directory.write("no animation", to: "anim/text.json")
      try directory.copy(Colors.clip(Colors.blue), as: "anim/film.json")
      let clips = [try Colors.clip(Colors.red)]
      let reactions = ["slow", "text", "film", "none", "heart"].enumerated().map {
        #"{"at":\#(Double($0) * 0.5 + 0.5),"id":"\#($1)","from":"f\#($0)"}"#
      }
      let play = try play([], sources: [feed("[\(reactions.joined(separator: ","))]", clips)])
      for (index, name) in ["slow", "text", "film", "none"].enumerated() {
        #expect(play.waitFor("f\(index): \(name)"))
      }
      #expect(play.waitFor(color: Colors.lime, within: .seconds(20)))
      #expect(play.waitFor(color: Colors.red))
      end(play)
    }

    @Test func reaction_goesWithItsStory_withinItsLength() throws {
      try directory.write(reaction("[0,1,0,1]", frames: 120), to: "anim/long.json")
      let clips = try [Colors.red, Colors.blue].map { try Colors.clip($0) }
      let play = try play(
        [], sources: [feed(#"[{"at":0.5,"id":"long"},{"at":0.6,"id":"star"}]"#, clips)])
      #expect(play.waitFor(color: Colors.lime))
      play.press(.right)
      // What still lies over the next story ends, and what waited does not come.
      #expect(play.waitFor(color: Colors.blue, within: .seconds(5)))
      #expect(!play.waitFor(color: Colors.yellow, within: .seconds(2)))
      end(play)
    }

    @Test func fromTheWeb_theyCome_andFromTheCacheToo() throws {
      let nginx = try Nginx()
      for name in ["heart", "star"] {
        try nginx.serve(file: directory.path("anim/\(name).json"), as: "r/\(name).json")
      }
      try nginx.serve(
        Array(#"[{"id":"heart","title":"Love"},{"id":"star"}]"#.utf8), as: "r/animations.json")
      let options = ["--animations", "\(nginx.url)/r", "--cache-dir", directory.path("cache")]
      for _ in 0..<2 {
        let play = try play(options)
        play.type("r")
        #expect(play.waitFor("1 Love"))
        play.type("1")
        #expect(play.waitFor(color: Colors.lime))
        end(play)
        nginx.stop()
      }
    }
  }
}
