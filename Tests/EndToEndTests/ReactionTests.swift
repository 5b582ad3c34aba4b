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

    private func play(_ arguments: [String], rows: Int = 40) throws -> Play {
      let clip = try Colors.clip(Colors.red)
      return try Play(
        ["--no-sound", "--animations", directory.path("anim")] + arguments + [clip], rows: rows)
    }

    @Test func strip_showsNames_andSendsByDigit() throws {
      let play = try play([])
      #expect(play.waitFor(color: Colors.red))
      play.type("r")
      #expect(play.waitFor("heart"))
      #expect(play.waitFor("star"))
      play.type("1")
      #expect(play.waitFor(color: Colors.lime))
      // The story went on below it, and is seen again.
      #expect(play.waitFor(color: Colors.red))
      #expect(play.quit()?.shellStatus == 0)
      play.expectRestored()
    }
  }
}
