import Glibc
import Support
import System
import Testing

extension EndToEnd {
  /// Many keys: nothing is started in vain, nothing is left behind.
  @Suite struct EnduranceTests {
    private let folder: TemporaryDirectory
    init() throws { folder = try TemporaryDirectory() }

    private var isLong: Bool { getenv("STORYTTY_LONG") != nil }

    /// A list of many stories that are few files.
    private func list(of count: Int) throws -> String {
      let clips = try [Colors.red, Colors.lime, Colors.blue].map { color in
        try Colors.clip(color, seconds: 30)
      }
      let lines = (0..<count).map { clips[$0 % clips.count] }
      return try folder.write("#EXTM3U\n" + lines.joined(separator: "\n") + "\n", to: "many.m3u")
    }

    /// What a process holds.
    private struct Holdings {
      var decoders: Int
      var descriptors: Int
      var residentKibibytes: Int

      init(_ player: pid_t) throws {
        decoders = Processes.decoders(of: player).count
        descriptors = directoryEntries("/proc/\(player)/fd").count
        let pages = try readText("/proc/\(player)/statm").split(separator: " ")[1]
        residentKibibytes = (Int(pages) ?? 0) * 4
      }
    }

    /// Those of the current, the next and the previous story, and one that waits for a story.
    private static let decodersAtRest = 4

    private func waitForRest(_ play: Play, _ player: pid_t) throws -> Holdings {
      _ = play.terminal.waitUntil(within: .seconds(10)) { _ in
        Processes.decoders(of: player).count == EnduranceTests.decodersAtRest
      }
      play.watch(for: .milliseconds(300))
      return try Holdings(player)
    }

    @Test func rightHeldDown_startsNoDecoderInVain() throws {
      // Not to the last one, which has no next.
      let presses = isLong ? 497 : 80
      let play = try Play([list(of: 500)], columns: 80, rows: 24)
      let player = try #require(play.terminal.identifier)
      #expect(play.waitFor(color: Colors.red))
      play.press(.right)
      #expect(play.waitFor(color: Colors.lime))
      let before = try waitForRest(play, player)
      #expect(before.decoders == EnduranceTests.decodersAtRest)
      var seen = Set(Processes.decoders(of: player))
      // Where the machine is busy with other things, a press may come late: then it was calm.
      var calms = 0
      for _ in 0..<presses {
        let pressed = Instant.now
        play.press(.right)
        play.watch(for: .milliseconds(50))
        if Instant.now - pressed > .milliseconds(100) { calms += 1 }
        seen.formUnion(Processes.decoders(of: player))
      }
      #expect(seen.count <= EnduranceTests.decodersAtRest * (1 + calms) + presses / 10)
      #expect(play.waitFor("\(presses + 2)/500"))
      let colors = [Colors.red, Colors.lime, Colors.blue]
      #expect(play.waitFor(color: colors[(presses + 1) % 3]))
      let after = try waitForRest(play, player)
      #expect(after.decoders == before.decoders)
      #expect(after.descriptors == before.descriptors)
      #expect(after.residentKibibytes < before.residentKibibytes + 12 << 10)
      #expect(play.quit()?.shellStatus == 0)
      play.expectRestored()
      #expect(try play.report().stories.count == presses + 2)
    }

    /// Stories that are passed by show the picture that they begin with, not the one at which they
    /// were left.
    @Test func leftHeldDown_showsFirstPictures() throws {
      let clips = try ["red", "lime", "blue", "yellow", "red", "lime"].map { name in
        try Clip(.change(name, "white"), width: 90, height: 160, rate: 10, seconds: 8).file()
      }
      let play = try Play(clips, columns: 80, rows: 24)
      let white: UInt32 = 0xFFFFFF
      for _ in clips.dropFirst() {
        #expect(play.waitFor(color: white))
        play.press(.right)
        #expect(play.terminal.waitUntil(within: .seconds(10)) { !shows(white, on: $0) })
      }
      #expect(play.waitFor(color: white))
      play.press(.left)
      #expect(play.waitFor(color: Colors.red))
      var seesWhite = false
      for _ in 0..<4 {
        play.press(.left)
        _ = play.terminal.waitUntil(within: .milliseconds(40)) { screen in
          seesWhite = seesWhite || shows(white, on: screen)
          return false
        }
      }
      #expect(
        play.terminal.waitUntil(within: .seconds(10)) { screen in
          seesWhite = seesWhite || shows(white, on: screen)
          return shows(Colors.red, on: screen)
        })
      #expect(!seesWhite)
      #expect(play.quit()?.shellStatus == 0)
      play.expectRestored()
    }

    @Test func randomKeys_leaveNothingBehind() throws {
      let count = isLong ? 10_000 : 250
      let play = try Play([list(of: 60), folder.path("none.mp4")], columns: 80, rows: 24)
      let player = try #require(play.terminal.identifier)
      #expect(play.waitFor(color: Colors.red))
      play.press(.right)
      #expect(play.waitFor(color: Colors.lime))
      let before = try waitForRest(play, player)
      let keys = [
        "\u{1B}[C", "\u{1B}[D", "\u{1B}[A", "\u{1B}[B", " ", ",", ".", "c", "v", "f", "i", "?",
        "\u{1B}", "\u{1B}[H", "\u{0C}", "l", "h", "z", "\u{1B}[<0;70;12M\u{1B}[<0;70;12m",
        "\u{1B}[<0;9;12M\u{1B}[<0;9;12m", "\u{1B}[<0;30;1M\u{1B}[<0;30;1m", "\u{1B}[<64;9;12M",
      ]
      var random = SeededRandom(seed: 7)
      for _ in 0..<count {
        play.type(keys[Int.random(in: 0..<keys.count, using: &random)])
        play.watch(for: .milliseconds(Int.random(in: 1...120, using: &random)))
        #expect(play.terminal.identifier != nil)
      }
      // Back to a story in the middle, playing.
      play.type("\u{1B}\u{1B}[H")
      play.press(.home)
      let after = try waitForRest(play, player)
      #expect(after.decoders <= EnduranceTests.decodersAtRest + 1)
      #expect(after.descriptors <= before.descriptors + 2)
      #expect(after.residentKibibytes < before.residentKibibytes + 16 << 10)
      #expect(play.quit()?.shellStatus == 3)
      play.expectRestored()
    }
  }
}
