import Glibc
import Support
import System
import Testing

extension EndToEnd {
  /// What is heard: the built player on a sound server of its own, recorded.
  @Suite struct SoundTests {
    private let directory: TemporaryDirectory
    init() throws { directory = try TemporaryDirectory() }

    // MARK: Sources

    /// A wave that never repeats and has no step: any piece of it can be found again.
    private static func song(_ frames: Range<Int>) -> [Int16] {
      frames.map { frame in
        let time = Double(frame) / 48_000
        let phase = 2 * Double.pi * (300 * time + 40 * time * time)
        return Int16((8000 * sin(phase) + 4000 * sin(2 * Double.pi * 1234.5 * time)).rounded())
      }
    }

    /// A rectangle of 200 Hz: every sample has the same magnitude.
    private static func tone(_ level: Int16, seconds: Double) -> [Int16] {
      (0..<Int(seconds * 48_000)).map { $0 % 240 < 120 ? level : -level }
    }

    private func tone(_ level: Int16, seconds: Double, as name: String) throws -> String {
      try directory.write(makeWave(SoundTests.tone(level, seconds: seconds)), to: name)
    }

    private func play(_ server: SoundServer, _ arguments: [String]) throws -> Play {
      try Play(arguments, environment: server.environment)
    }

    // MARK: Together

    @Test func flashAndBeep_comeTogether() throws {
      let server = try SoundServer()
      let recording = try server.record()
      let clip = try Clip(.flash, width: 90, height: 160, rate: 25, seconds: 8, sound: true).file()
      let play = try play(server, [clip])
      #expect(play.waitFor("That was all", within: .seconds(30)))
      #expect(play.quit()?.shellStatus == 0)
      let beeps = recording.onsets(above: 3000).map(recording.moment)
      #expect(beeps.count == 8)
      var offsets: [Double] = []
      // The first picture is shown before the sound device is open.
      for flash in flashes(play).dropFirst() {
        let offset = beeps.map { milliseconds($0 - flash) }.min { abs($0) < abs($1) }
        offsets.append(try #require(offset))
      }
      #expect(offsets.count == 7)
      let median = offsets.sorted()[offsets.count / 2]
      #expect(abs(median) < 40, "\(offsets)")
      let story = try #require(try play.report().stories.first)
      #expect(story.status == "ended")
      let reported = try #require(story.avOffsetMsP50)
      #expect(reported >= 0 && reported < 40)
      #expect(try #require(story.avOffsetMsP99) >= reported)
    }

    /// When the middle of the screen became white.
    private func flashes(_ play: Play) -> [Instant] {
      var screen = TerminalScreen(columns: 120, rows: 40)
      var isWhite = false
      var moments: [Instant] = []
      for chunk in play.terminal.chunks {
        screen.feed(chunk.bytes)
        let isWhiteNow = shows(0xFFFFFF, on: screen)
        if isWhiteNow, !isWhite { moments.append(chunk.arrival) }
        isWhite = isWhiteNow
      }
      return moments
    }

    @Test func twoStories_cutFromOneSound_areHeardWithoutAGap() throws {
      let server = try SoundServer()
      let recording = try server.record()
      let cut = 2 * 48_000 + 17
      let first = try directory.write(makeWave(SoundTests.song(0..<cut)), to: "1.wav")
      let second = try directory.write(makeWave(SoundTests.song(cut..<4 * 48_000)), to: "2.wav")
      let play = try play(server, [first, second])
      #expect(play.waitFor("That was all", within: .seconds(30)))
      #expect(play.quit()?.shellStatus == 0)
      // 100 ms on both sides of the cut are what they were before it was made.
      #expect(recording.find(SoundTests.song(cut - 4800..<cut + 4800)) != nil)
      let report = try play.report()
      #expect(report.stories.map(\.status) == ["ended", "ended"])
      #expect(report.transitions.count == 1)
    }

    /// Another player uses up the last view of what comes next: nothing of it is heard.
    @Test func storyToldNoMore_isNotHeard() throws {
      let server = try SoundServer()
      let recording = try server.record()
      let tones = [("1", Int16(4000), 5.0), ("2", 12_000, 1), ("3", 8000, 2)]
      let entries = try tones.map { name, level, seconds in
        _ = try tone(level, seconds: seconds, as: "\(name).wav")
        let limit = name == "2" ? "1" : "9"
        return """
          {"id": "\(name)", "attachments": [{"url": "\(name).wav", "mime_type": "audio/wav"}],
           "_storytty": {"maxViews": \(limit)}}
          """
      }
      let feed = try directory.write(
        """
        {"version": "https://jsonfeed.org/version/1.1", "title": "f",
         "items": [\(entries.joined(separator: ","))]}
        """, to: "feed.json")
      var environment: [String: String?] = server.environment.mapValues { $0 }
      environment["XDG_STATE_HOME"] = directory.path("state")
      let play = try Play([feed], environment: environment)
      #expect(recording.waitFor(above: 3000))
      // Meanwhile the other one tells it to its end.
      let other = try Play(["--no-sound", feed], environment: environment)
      other.watch(for: .milliseconds(500))
      other.press(.right)
      other.watch(for: .milliseconds(1500))
      #expect(other.quit()?.shellStatus == 0)
      let told = try other.report().stories
      #expect(told.map(\.status).prefix(2) == ["skipped", "ended"])
      #expect(play.waitFor("That was all", within: .seconds(30)))
      #expect(play.quit()?.shellStatus == 0)
      #expect(try play.report().stories.map(\.status) == ["ended", "ended"])
      #expect(!held(4000, in: recording.samples).isEmpty)
      #expect(!held(8000, in: recording.samples).isEmpty)
      #expect(held(12_000, in: recording.samples).isEmpty)
    }

    @Test func nextKey_theOldSoundEndsAndTheNewBegins() throws {
      let server = try SoundServer()
      let recording = try server.record()
      let clips = [
        try tone(4000, seconds: 20, as: "1.wav"), try tone(12_000, seconds: 20, as: "2.wav"),
      ]
      let play = try play(server, clips)
      #expect(recording.waitFor(above: 3000))
      play.watch(for: .milliseconds(1500))
      let pressed = Instant.now
      play.press(.right)
      #expect(recording.waitFor(above: 8000))
      play.watch(for: .milliseconds(500))
      #expect(play.quit()?.shellStatus == 0)
      let quit = Instant.now
      play.watch(for: .milliseconds(300))
      let samples = recording.samples
      let (old, new) = (held(4000, in: samples), held(12_000, in: samples))
      let end = try #require(old.last)
      let begin = try #require(new.first)
      #expect(milliseconds(recording.moment(of: end) - pressed) < 150)
      #expect(milliseconds(recording.moment(of: begin) - pressed) < 400)
      // Nothing of the old one is heard again, nothing else within the new one, and nothing at all
      // after the end.
      #expect(end < begin)
      let lastHeld = try #require(new.last)
      #expect(samples[begin...lastHeld].allSatisfy { $0.magnitude == 12_000 })
      let last = try #require(recording.last(above: 0))
      #expect(last - lastHeld < 480)
      #expect(milliseconds(recording.moment(of: last) - quit) < 50)
    }

    /// The frames at which a tone of that level stays: a fade passes it at one frame.
    private func held(_ level: Int16, in samples: [Int16]) -> [Int] {
      samples.indices.dropLast().filter {
        samples[$0].magnitude == level && samples[$0 + 1].magnitude == level
      }
    }

    @Test func pause_isSilentAndGoesOn() throws {
      let server = try SoundServer()
      let recording = try server.record()
      let play = try play(server, [try tone(4000, seconds: 20, as: "1.wav")])
      #expect(recording.waitFor(above: 3000))
      play.watch(for: .milliseconds(800))
      let pressed = Instant.now
      play.type("p")
      play.watch(for: .milliseconds(800))
      let last = try #require(recording.last(above: 0))
      #expect(milliseconds(recording.moment(of: last) - pressed) < 150)
      let silent = recording.samples.count
      #expect(silent - last > 14_400)
      play.type("p")
      #expect(recording.waitFor(above: 3000, from: silent))
      // A seek is heard too.
      play.type("..")
      play.watch(for: .milliseconds(800))
      #expect(recording.waitFor(above: 3000, from: recording.samples.count))
      #expect(play.quit()?.shellStatus == 0)
      let presented = try #require(try play.report().stories.first).presentedMs
      #expect(presented > 11_000 && presented < 14_000)
    }

    // MARK: How loud

    @Test func volumeAndMute_areExactAndRemembered() throws {
      let server = try SoundServer()
      let recording = try server.record()
      let file = try tone(16_000, seconds: 30, as: "1.wav")
      let play = try play(server, ["--volume", "50", file])
      // 16,000 times the cube of a half.
      #expect(recording.waitFor(above: 1999))
      play.type("+")
      #expect(play.waitFor("volume 55 %"))
      #expect(recording.waitFor(above: 2661))
      play.type("m")
      #expect(play.waitFor("muted"))
      play.watch(for: .milliseconds(500))
      let silent = recording.samples.count
      play.watch(for: .milliseconds(500))
      let later = recording.samples[silent...]
      #expect(later.count > 10_000 && later.allSatisfy { $0 == 0 })
      play.type("m--")
      #expect(play.waitFor("volume 45 %"))
      play.watch(for: .milliseconds(500))
      // The wheel turns it up.
      play.terminal.send("\u{1B}[<64;60;20M")
      #expect(play.waitFor("volume 50 %"))
      #expect(play.quit()?.shellStatus == 0)
      let levels = Set(recording.samples.map(\.magnitude))
      for percent in [50, 55, 45] {
        let level = 16_000 * Double(percent * percent * percent) / 1e6
        #expect(levels.contains(UInt16(level.rounded())), "\(percent) %")
      }
      #expect(levels.max() == 2662)
      let kept = "\(play.home.path)/state/storytty/sound"
      #expect(try readText(kept) == "volume 50\n")
      var status = stat()
      #expect(stat(kept, &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    @Test func rememberedVolume_isUsedUnlessOneIsGiven() throws {
      let server = try SoundServer()
      let recording = try server.record()
      let state = try TemporaryDirectory()
      try state.write("volume 50 muted\n", to: "storytty/sound")
      let file = try tone(16_000, seconds: 30, as: "1.wav")
      let environment = server.environment.merging(["XDG_STATE_HOME": state.path]) { $1 }
      let play = try Play([file], environment: environment)
      play.watch(for: .seconds(1))
      #expect(recording.last(above: 0) == nil)
      play.type("m")
      #expect(play.waitFor("volume 50 %"))
      #expect(recording.waitFor(above: 1999))
      #expect(play.quit()?.shellStatus == 0)
      #expect(try readText(state.path("storytty/sound")) == "volume 50\n")
      let other = try Play(["--volume", "100", file], environment: environment)
      #expect(recording.waitFor(above: 15_999))
      #expect(other.quit()?.shellStatus == 0)
      // An option is for one run.
      #expect(try readText(state.path("storytty/sound")) == "volume 50\n")
    }

    // MARK: Over a slow line

    /// A tone as an MP3 of 128 kbit/s.
    private func music(seconds: Int, cover: Bool = false) throws -> String {
      let path = directory.path("music.mp3")
      let picture = ["-f", "lavfi", "-i", "color=c=red:s=320x320:d=0.04:r=25"]
      let beside = ["-map", "0", "-map", "1", "-c:v", "png", "-disposition:v", "attached_pic"]
      let made = try run(
        Programs.installed("ffmpeg") ?? "ffmpeg",
        ["-v", "error", "-f", "lavfi", "-i", "sine=f=300:r=48000:d=\(seconds)"]
          + (cover ? picture + beside : [])
          + ["-af", "volume=4", "-c:a", "libmp3lame", "-b:a", "128k", path], within: .seconds(60))
      guard made.status == 0 else { throw SupportError(made.errorText) }
      return path
    }

    /// The line is a third faster than the sound: its waveform takes no byte from that. Once the
    /// server is gone, what is here is heard all the same.
    @Test func slowLine_whatIsHeardComesFirst() throws {
      let server = try SoundServer()
      let nginx = try Nginx()
      try nginx.serve(file: music(seconds: 120), as: "music.mp3")
      let line = try SlowLine(to: nginx.port, bytesPerSecond: 22_000)
      let sources = ["--cache-dir", directory.path("cache"), "\(line.url)/music.mp3"]
      let recording = try server.record()
      let play = try play(server, sources)
      #expect(recording.waitFor(above: 3000))
      play.watch(for: .seconds(9))
      #expect(play.quit()?.shellStatus == 0)
      let story = try #require(try play.report().stories.first)
      #expect(story.waits <= 2 && story.waitedMs < 1500, "\(story.waits), \(story.waitedMs) ms")
      #expect(story.presentedMs > 7000)
      nginx.stop()
      let again = try server.record()
      let offline = try self.play(server, sources)
      #expect(again.waitFor(above: 3000))
      offline.watch(for: .seconds(5))
      #expect(offline.quit()?.shellStatus == 0)
      let rest = try #require(try offline.report().stories.first)
      #expect(rest.error == nil && rest.waits == 0 && rest.presentedMs > 4000)
    }

    /// A cover lies in the first bytes, and is seen before more of them have come.
    @Test(arguments: [[], ["--no-sound"]]) func slowLine_aCoverIsSeenAtOnce(options: [String])
      throws
    {
      let server = try SoundServer()
      let nginx = try Nginx(rate: 22_000)
      try nginx.serve(file: music(seconds: 120, cover: true), as: "music.mp3")
      let play = try play(
        server, options + ["--cache-dir", directory.path("cache"), "\(nginx.url)/music.mp3"])
      play.watch(for: .seconds(3))
      #expect(play.quit()?.shellStatus == 0)
      let first = try #require(try play.report().stories.first?.firstPictureMs)
      #expect(first < 3000, "\(first) ms")
    }

    // MARK: Without

    @Test func noSound_isSilentAndLoadsNothing() throws {
      let server = try SoundServer()
      let recording = try server.record()
      let play = try play(server, ["--no-sound", try tone(16_000, seconds: 30, as: "1.wav")])
      // The waveform lights up, ten times a second.
      #expect(play.terminal.waitUntil { $0.synchronizedFrames > 10 })
      #expect(try !librariesOf(play).contains("libasound"))
      play.type("m")
      #expect(play.waitFor("played without sound"))
      #expect(play.quit()?.shellStatus == 0)
      #expect(recording.last(above: 0) == nil)
      #expect(try #require(try play.report().stories.first).presentedMs > 500)
    }

    @Test func silentStory_loadsNothing() throws {
      let play = try Play([try Colors.clip(Colors.red)])
      #expect(play.waitFor(color: Colors.red))
      play.watch(for: .milliseconds(300))
      #expect(try !librariesOf(play).contains("libasound"))
      #expect(play.quit()?.shellStatus == 0)
    }

    private func librariesOf(_ play: Play) throws -> String {
      try readText("/proc/\(try #require(play.terminal.identifier))/maps")
    }

    @Test func missingDevice_isSaidAndStoriesPlay() throws {
      let config = try directory.write(SoundServer.alsa("type hw card 99"), to: "alsa.conf")
      let clips = [
        try Colors.clip(Colors.red, seconds: 2, sound: true),
        try Colors.clip(Colors.blue, seconds: 1, sound: true),
      ]
      let play = try Play(clips, environment: ["ALSA_CONFIG_PATH": config])
      #expect(play.waitFor("no sound: the sound device does not open"))
      #expect(play.waitFor("That was all"))
      #expect(play.quit()?.shellStatus == 0)
      play.expectRestored()
      let report = try play.report()
      #expect(report.stories.map(\.status) == ["ended", "ended"])
      #expect(report.stories.map(\.avOffsetMsP99) == [nil, nil])
      #expect(report.stories.map(\.framesDropped) == [0, 0])
    }

    @Test func lostDevice_picturesGoOnAndTheSoundComesBack() throws {
      let server = try SoundServer()
      let before = try server.record()
      let clip = try Clip(.pattern, width: 90, height: 160, rate: 25, seconds: 40, sound: true)
        .file()
      let play = try play(server, [clip])
      #expect(before.waitFor(above: 3000))
      server.stop()
      #expect(play.waitFor("no sound: the sound device is gone"))
      let frames = play.terminal.screen.synchronizedFrames
      #expect(
        play.terminal.waitUntil(within: .seconds(10)) { $0.synchronizedFrames > frames + 50 })
      try server.start()
      let after = try server.record()
      #expect(play.waitFor("sound is back"))
      #expect(after.waitFor(above: 3000))
      #expect(play.quit()?.shellStatus == 0)
      let story = try #require(try play.report().stories.first)
      // The time did not stand still meanwhile.
      #expect(story.framesDropped < 25)
    }

    @Test func doctor_tellsTheDevice() throws {
      let server = try SoundServer()
      var environment = plainEnvironment
      for (name, value) in server.environment { environment[name] = value }
      let told = try run(Programs.player, ["doctor"], environment: environment).outputText
      #expect(told.contains("default, 48000 Hz stereo, 100 ms buffer, ALSA 1."))
      server.stop()
      let missing = try run(Programs.player, ["doctor"], environment: environment).outputText
      #expect(missing.contains("sound          the sound device does not open: "))
    }
  }
}
