import Glibc
import Support
import System
import Testing

extension EndToEnd {
  @Suite struct BadInputTests {
    private func name(_ path: String) -> String {
      path.split(separator: "/").last.map(String.init) ?? path
    }

    /// Files that must fail, made in a directory.
    private static let makers:
      [(name: String, make: @Sendable (TemporaryDirectory, String) throws -> Void)] = [
        ("zero.mp4", { try $0.write([], to: $1) }),
        ("text.mp4", { try $0.write("this is not a video\nline two\n", to: $1) }),
        (
          "random.jpg",
          { directory, name in
            var random = SeededRandom(seed: 1)
            try directory.write(
              (0..<5000).map { _ in UInt8.random(in: 0...255, using: &random) }, to: name)
          }
        ),
        (
          "header.png",
          { try $0.write(Array(makePNG(width: 8, height: 8) { _, _ in 0 }.prefix(20)), to: $1) }
        ),
        ("huge.png", { try $0.write(hugePNG(), to: $1) }),
        (
          "truncated.mp4",
          { directory, name in
            let clip = try readFile(try Clip(width: 90, height: 160, seconds: 1).file())
            // The index is at the end: half of it is nothing.
            try directory.write(Array(clip.prefix(clip.count / 2)), to: name)
          }
        ),
        ("fifo.mp4", { try #require(mkfifo($0.path($1), 0o600) == 0) }),
        ("device.mp4", { try #require(symlink("/dev/zero", $0.path($1)) == 0) }),
        ("loop.mp4", { try #require(symlink($0.path($1), $0.path($1)) == 0) }),
        ("dangling.mp4", { try #require(symlink("/proc/nowhere", $0.path($1)) == 0) }),
        ("empty-directory", { try #require(mkdir($0.path($1), 0o755) == 0) }),
        ("missing.mp4", { _, _ in }),
        (
          "feed.json",
          { try $0.write(#"{"version": "https://jsonfeed.org/version/1.1", "items": 7}"#, to: $1) }
        ),
      ]

    /// Declares 100,000 x 100,000 pixels.
    private static func hugePNG() -> [UInt8] {
      var png = makePNG(width: 8, height: 8) { _, _ in 0 }
      let size: [UInt8] = [0, 1, 0x86, 0xA0]
      png.replaceSubrange(16..<24, with: size + size)
      // The checksum of the header, so that it is believed.
      var checksum = UInt32.max
      for byte in png[12..<29] {
        checksum ^= UInt32(byte)
        for _ in 0..<8 {
          checksum = checksum & 1 == 1 ? checksum >> 1 ^ 0xEDB8_8320 : checksum >> 1
        }
      }
      png.replaceSubrange(
        29..<33, with: (0..<4).map { UInt8(truncatingIfNeeded: ~checksum >> (24 - 8 * $0)) })
      return png
    }

    @Test(arguments: makers.map(\.name))
    func alone_isOneLineAndStatus2(file: String) throws {
      let directory = try TemporaryDirectory()
      let maker = try #require(Self.makers.first { $0.name == file })
      try maker.make(directory, file)
      let path = directory.path(file)
      let terminal = try PseudoTerminal()
      let errors = directory.path("errors")
      let report = directory.path("report.json")
      try terminal.start(
        "/bin/sh",
        ["-c", "\"$0\" --report \"$1\" \"$2\" 2>\"$3\"", Programs.player, report, path, errors],
        environment: Play.environment(home: directory.path))
      #expect(terminal.awaitEnd()?.shellStatus == 2)
      let lines = try readText(errors).split(separator: "\n").map(String.init)
      #expect(lines.count == 1)
      #expect(lines.first?.contains(file) == true, "\(lines)")
      #expect(lines.first?.hasPrefix("storytty: ") == true)
      #expect(terminal.attributesUnchanged)
      #expect(terminal.screen.modes == [7, 25])
      #expect(terminal.screen.unknown == [])
      #expect(fileExists(report))
      #expect(Processes.orphanedDecoders() == [])
    }

    @Test func amongOthers_theNextPlaysAndStatusIs3() throws {
      let directory = try TemporaryDirectory()
      for maker in Self.makers { try maker.make(directory, maker.name) }
      let good = try Colors.clip(Colors.red, seconds: 0.5)
      let names = Self.makers.map(\.name)
      let sources = names.flatMap { [directory.path($0), good] }
      let play = try Play(["--untimed"] + sources)
      #expect(play.terminal.awaitEnd(within: .seconds(60))?.shellStatus == 3)
      play.expectRestored()
      let report = try play.report()
      let ended = report.stories.filter { $0.status == "ended" }
      #expect(ended.map(\.source) == names.map { _ in good })
      let failed = report.stories.filter { $0.status == "failed" }
      #expect(failed.count >= 5)
      #expect(failed.allSatisfy { $0.error?.isEmpty == false && $0.framesShown == 0 })
      // What could not even be opened is named as well, after the end.
      let text = String(decoding: play.terminal.output, as: UTF8.self)
      for name in names { #expect(text.contains(name), "\(name)") }
    }

    @Test func whilePlaying_theErrorIsReadThenTheNextPlays() throws {
      let directory = try TemporaryDirectory()
      let bad = try directory.write("this is not a video\n", to: "bad.mp4")
      let play = try Play([try Colors.clip(Colors.red), bad, try Colors.clip(Colors.lime)])
      #expect(play.waitFor(color: Colors.red))
      play.press(.right)
      #expect(play.waitFor("cannot play bad.mp4: "))
      let shown = Instant.now
      #expect(play.waitFor(color: Colors.lime))
      let read = milliseconds(Instant.now - shown)
      #expect(read > 2500 && read < 5000)
      // Come back to, it is tried once more; the third time its error stands at once.
      for _ in 0..<2 {
        play.press(.left)
        #expect(play.waitFor("cannot play bad.mp4: "))
        play.press(.right)
        // The last good picture stays under an error: the word must be gone too.
        #expect(
          play.terminal.waitUntil {
            shows(Colors.lime, on: $0) && !$0.text.contains("cannot play")
          })
      }
      #expect(play.quit()?.shellStatus == 3)
      play.expectRestored()
      #expect(
        try play.report().stories.map(\.status) == [
          "skipped", "failed", "skipped", "failed", "skipped", "failed", "stopped",
        ])
    }

    /// Runs the player as one who may not read everything: root runs copies of both programs as
    /// nobody.
    private func asSomebody(_ arguments: [String], in directory: TemporaryDirectory) throws
      -> CommandResult
    {
      guard geteuid() == 0 else { return try storytty(arguments) }
      chmod(directory.path, 0o755)
      for (program, name) in [
        (Programs.player, "storytty"), (Programs.decoder, "storytty-decoder"),
      ]
      where !fileExists(directory.path(name)) {
        chmod(try directory.copy(program, as: name), 0o755)
      }
      return try run(
        #require(Programs.installed("setpriv")),
        ["--reuid=65534", "--regid=65534", "--clear-groups", directory.path("storytty")]
          + arguments)
    }

    @Test func unreadable_file_isNamed() throws {
      let directory = try TemporaryDirectory()
      let path = try directory.copy(Colors.clip(Colors.red), as: "secret.mp4")
      chmod(path, 0)
      let result = try asSomebody(["show", path], in: directory)
      #expect(result.status == 2)
      #expect(result.errorText == "storytty: cannot play \(path): permission denied\n")
      // The same one shows it where it may read it.
      chmod(path, 0o644)
      #expect(try asSomebody(["show", path], in: directory).status == 0)
    }

    /// No more than so long for any of these, whatever is in it.
    @Test func fileThatGrowsSmaller_whilePlaying_endsTheStory() throws {
      let directory = try TemporaryDirectory()
      let clip = try Clip(width: 540, height: 960, seconds: 20).file()
      let path = try directory.copy(clip, as: "shrinking.mp4")
      let play = try Play([path, try Colors.clip(Colors.lime)])
      #expect(play.terminal.waitUntil { $0.synchronizedFrames > 3 })
      #expect(truncate(path, 10_000) == 0)
      #expect(play.waitFor(color: Colors.lime, within: .seconds(30)))
      _ = play.quit()
      play.expectRestored()
    }
  }
}
