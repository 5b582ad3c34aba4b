import Glibc
import Support
import System
import Testing

extension EndToEnd {
  /// A decoder that fails costs one story.
  @Suite struct DecoderFaultTests {
    @Test func killed_whilePlaying_costsOneStory() throws {
      let clips = try [Colors.red, Colors.lime].map { try Colors.clip($0) }
      let play = try Play([clips[0], clips[1]])
      #expect(play.waitFor(color: Colors.red))
      let player = try #require(play.terminal.identifier)
      play.watch(for: .milliseconds(400))
      // The first that was started tells the first story; the others wait for theirs.
      let playing = try #require(Processes.decoders(of: player).min())
      kill(playing, SIGKILL)
      let name = clips[0].split(separator: "/").last.map(String.init) ?? ""
      #expect(play.waitFor("cannot play \(name)"))
      #expect(play.waitFor(color: Colors.lime))
      #expect(play.quit()?.shellStatus == 3)
      play.expectRestored()
      let report = try play.report()
      #expect(report.stories.map(\.status) == ["failed", "stopped"])
      #expect(report.stories.first?.error?.isEmpty == false)
    }

    @Test func crashed_twice_isNotOpenedAgain() throws {
      let clips = try [Colors.red, Colors.lime].map { try Colors.clip($0) }
      let play = try Play(["--no-preload"] + clips)
      let player = try #require(play.terminal.identifier)
      let name = clips[0].split(separator: "/").last.map(String.init) ?? ""
      for _ in 0..<2 {
        #expect(play.waitFor(color: Colors.red))
        for decoder in Processes.decoders(of: player) { kill(decoder, SIGSEGV) }
        #expect(play.waitFor("cannot play \(name): the decoder was ended by signal 11"))
        #expect(play.waitFor(color: Colors.lime))
        play.press(.left)
      }
      #expect(play.waitFor("cannot play \(name): its decoder has crashed before"))
      #expect(play.waitFor(color: Colors.lime))
      #expect(play.quit()?.shellStatus == 3)
      play.expectRestored()
    }

    @Test func killed_parentOfTheDecoders_costsNoStory() throws {
      let clips = try [Colors.red, Colors.lime, Colors.blue].map { try Colors.clip($0) }
      let play = try Play(clips)
      #expect(play.waitFor(color: Colors.red))
      play.watch(for: .milliseconds(400))
      let player = try #require(play.terminal.identifier)
      let parent = try #require(Processes.forkServer(of: player))
      kill(parent, SIGKILL)
      for color in [Colors.lime, Colors.blue] {
        play.press(.right)
        #expect(play.waitFor(color: color))
        play.watch(for: .milliseconds(400))
      }
      #expect(try #require(Processes.forkServer(of: player)) != parent)
      #expect(play.quit()?.shellStatus == 0)
      play.expectRestored()
    }

    /// A player beside a decoder of which the first one that decodes misbehaves.
    private func faulty(_ fault: String, in directory: TemporaryDirectory) throws -> String {
      let program = try directory.copy(Programs.player, as: "storytty")
      let wrapper = """
        #!/bin/sh
        if mkdir '\(directory.path("struck"))'; then
          exec '\(Programs.decoder)' "$@" --fault \(fault)
        fi
        exec '\(Programs.decoder)' "$@"
        """
      let decoder = try directory.write(wrapper, to: "storytty-decoder")
      chmod(program, 0o755)
      chmod(decoder, 0o755)
      return program
    }

    @Test(arguments: [("crash", 8), ("memory", 20), ("spin", 45), ("threads", 20)])
    func fault_ofOneDecoder_costsOneStory(fault: String, seconds: Int) throws {
      let directory = try TemporaryDirectory()
      let program = try faulty(fault, in: directory)
      let clips = try [Colors.red, Colors.lime, Colors.blue].map { try Colors.clip($0, seconds: 1) }
      let play = try Play(["--untimed"] + clips, program: program)
      #expect(play.terminal.awaitEnd(within: .seconds(seconds))?.shellStatus == 3)
      play.expectRestored()
      let report = try play.report()
      #expect(report.stories.map(\.source) == clips)
      #expect(report.stories.map(\.status) == ["failed", "ended", "ended"])
      #expect(report.stories.first?.error?.isEmpty == false)
      // It may spin for 10 s of its own time, and not much longer.
      #expect(report.cpuMs.decoders < 15_000)
      #expect(report.maxRssKiB.decoders < 1_100_000)
    }

    @Test func missing_decoder_isSaidAtTheStart() throws {
      let directory = try TemporaryDirectory()
      let program = try directory.copy(Programs.player, as: "storytty")
      chmod(program, 0o755)
      let play = try Play([try Colors.clip(Colors.red)], program: program)
      #expect(play.terminal.awaitEnd()?.shellStatus == 1)
      #expect(play.terminal.screen.text.contains("storytty-decoder"))
      play.expectRestored()
    }

    @Test func decoders_whilePlaying_holdFourDescriptors() throws {
      let play = try Play([try Colors.clip(Colors.red), try Colors.clip(Colors.lime)])
      #expect(play.waitFor(color: Colors.red))
      play.watch(for: .milliseconds(500))
      let player = try #require(play.terminal.identifier)
      let decoders = Processes.decoders(of: player)
      #expect(!decoders.isEmpty)
      for decoder in decoders {
        #expect(directoryEntries("/proc/\(decoder)/fd") == ["0", "1", "2", "3"])
        for number in 0...2 {
          #expect(absolute("/proc/\(decoder)/fd/\(number)") == "/dev/null")
        }
        let status = try readText("/proc/\(decoder)/status")
        #expect(status.contains("\nSeccomp:\t2\n"))
        #expect(
          try readText("/proc/\(decoder)/limits").contains("Max address space         1073741824"))
      }
      #expect(play.quit()?.shellStatus == 0)
      play.expectRestored()
    }

    @Test func selfCheck_ofTheSandbox_passes() throws {
      let result = try run(Programs.decoder, ["--check"])
      #expect(result.status == 0)
      for word in ["open", "socket", "execve", "stat", "sigaction", "sigprocmask"] {
        #expect(result.outputText.contains("\n\(word): refused (EPERM)\n"))
      }
    }
  }
}
