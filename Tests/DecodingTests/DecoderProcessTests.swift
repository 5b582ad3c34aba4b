import DecoderLink
import Glibc
import Support
import System
import Testing

/// The decoder as a process: what it may not do, and how it ends.
@Suite struct DecoderProcessTests {
  private let clip = Clip(width: 320, height: 180, rate: 25, seconds: 2, sound: true)

  @Test func check_insideTheSandbox_refusesAll() throws {
    let result = try ChildProcess.output(of: Programs.decoder, arguments: ["--check"])
    #expect(
      result.text.hasSuffix(
        """
        decoders: forked from one parent
        sandbox: closed
        open: refused (EPERM)
        socket: refused (EPERM)
        execve: refused (EPERM)
        fork: refused (EPERM)
        ptrace: refused (EPERM)
        kill: refused (EPERM)
        mmap PROT_EXEC: refused (EPERM)
        stat: refused (EPERM)
        sigaction: refused (EPERM)
        sigprocmask: refused (EPERM)

        """))
    for library in [
      "FFmpeg 5.", "libavcodec 59.", "libheif 1.", "libwebpdemux 1.", "libseccomp 2.",
    ] {
      #expect(result.text.contains(library))
    }
    #expect(result.ending == .exited(status: 0))
  }

  @Test func run_withWrongArguments_saysHow() throws {
    let result = try ChildProcess.output(of: Programs.decoder, arguments: ["--nonsense"])
    #expect(result.text.hasPrefix("usage: storytty-decoder [--check]\n"))
    #expect(result.ending == .exited(status: 1))
  }

  @Test func fault_crash_endsTheProcess() throws {
    let conversation = try DecoderConversation(
      contents(clip.file()), arguments: ["--fault", "crash"])
    #expect(try conversation.listen(within: .seconds(10)))
    #expect(conversation.isDead && conversation.info == nil)
    #expect(conversation.ending() == .killed(signal: SIGSEGV))
  }

  @Test func fault_memory_endsTheProcessAtItsLimit() throws {
    let conversation = try DecoderConversation(
      contents(clip.file()), arguments: ["--fault", "memory"])
    #expect(try conversation.listen(within: .seconds(30)))
    #expect(conversation.isDead)
    #expect(conversation.peakKibibytes < 1 << 20)
  }

  @Test func fault_spin_saysNothingMore() throws {
    let conversation = try DecoderConversation(
      contents(clip.file()), arguments: ["--fault", "spin"])
    #expect(try conversation.listen(within: .milliseconds(500)) == false)
    #expect(conversation.info == nil && !conversation.isDead)
    conversation.kill()
  }

  @Test func socket_whenItEnds_endsTheProcess() throws {
    let started = try ChildProcess.start(Programs.decoder, arguments: [], environment: [])
    shutdown(started.socket.number, Int32(SHUT_RDWR))
    let ending = awaitValue { started.process.poll() }
    #expect(ending == .exited(status: 0))
  }

  @Test func credits_boundThePictures() throws {
    let conversation = try DecoderConversation(contents(clip.file()))
    try conversation.listen(for: .milliseconds(300))
    #expect(conversation.pictures.isEmpty)
    #expect(conversation.info?.displayWidth == 320)
    for (credit, total) in [(1, 1), (3, 4), (2, 6)] as [(UInt32, Int)] {
      try conversation.allow(credit)
      #expect(try conversation.listen { $0.pictures.count >= total })
      try conversation.listen(for: .milliseconds(100))
      #expect(conversation.pictures.count == total)
    }
    try conversation.allow(1_000)
    #expect(try conversation.listen())
    #expect(conversation.pictures.count == 50)
    #expect(conversation.ended?.pictures == .seconds(2))
    #expect(
      conversation.pictures.map(\.time) == (0..<50).map { Duration.milliseconds($0 * 40) })
  }

  @Test func shape_whenItChanges_holdsFromTheNextPicture() throws {
    let conversation = try DecoderConversation(contents(clip.file()))
    try conversation.allow(1)
    #expect(try conversation.listen { $0.pictures.count == 1 })
    try conversation.send(.shape(PictureRequest(width: 64, height: 64, fit: .cover)))
    try conversation.allow(1)
    #expect(try conversation.listen { $0.pictures.count == 2 })
    #expect(
      conversation.pictures.map { [$0.bitmap.width, $0.bitmap.height] } == [[120, 68], [64, 64]])
  }

  private static let positions: [(Duration, Duration)] = [
    (.zero, .zero), (.milliseconds(39), .zero), (.milliseconds(40), .milliseconds(40)),
    (.milliseconds(1_000), .milliseconds(1_000)), (.milliseconds(1_019), .milliseconds(1_000)),
    (.milliseconds(1_979), .milliseconds(1_960)), (.seconds(60), .milliseconds(1_960)),
  ]

  /// A seek gives the picture that is shown at the position, whatever was sent before.
  @Test(arguments: positions) func seek_givesTheVeryPicture(to position: Duration, time: Duration)
    throws
  {
    let conversation = try DecoderConversation(contents(clip.file()))
    try conversation.allow(100)
    #expect(try conversation.listen())
    let whole = conversation.pictures
    try conversation.seek(7, to: position)
    try conversation.allow(100)
    #expect(try conversation.listen())
    let after = conversation.pictures.dropFirst(whole.count)
    let first = try #require(after.first)
    #expect(first.serial == 7 && first.time == time)
    #expect(first.bitmap.pixels == whole.first { $0.time == time }?.bitmap.pixels)
    #expect(after.count == whole.drop { $0.time < time }.count)
    #expect(conversation.ended?.serial == 7)
  }

  @Test func seek_whileSending_dropsTheRest() throws {
    let conversation = try DecoderConversation(contents(clip.file()))
    try conversation.allow(5)
    #expect(try conversation.listen { $0.pictures.count == 5 })
    try conversation.seek(1, to: .seconds(1))
    try conversation.seek(2, to: .milliseconds(1_960))
    try conversation.allow(10)
    #expect(try conversation.listen())
    #expect(conversation.pictures.last?.serial == 2)
    #expect(conversation.pictures.last?.time == .milliseconds(1_960))
    #expect(conversation.ended?.serial == 2)
  }

  @Test func open_withAStart_beginsThere() throws {
    let conversation = try DecoderConversation(contents(clip.file()), start: .milliseconds(1_500))
    try conversation.allow(1)
    #expect(try conversation.listen { !$0.pictures.isEmpty })
    #expect(conversation.pictures[0].time == .milliseconds(1_480))
  }

  @Test func open_withoutALength_sendsTheSame() throws {
    let conversation = try DecoderConversation(contents(clip.file()), length: false)
    try conversation.allow(1_000)
    #expect(try conversation.listen())
    #expect(conversation.pictures.count == 50)
  }

  @Test func effort_hurried_leavesPicturesOutInOrder() throws {
    let conversation = try DecoderConversation(contents(clip.file()))
    try conversation.send(.effort(.hurried))
    try conversation.allow(1_000)
    #expect(try conversation.listen())
    #expect(conversation.pictures.count < 50 && conversation.pictures.count > 5)
    let times = conversation.pictures.map(\.time)
    #expect(times == times.sorted())
    #expect(conversation.failure == nil)
  }

  @Test func sound_isWholeAndInTime() throws {
    let conversation = try DecoderConversation(contents(clip.file()), soundRate: 48_000)
    try conversation.allow(1_000)
    try conversation.send(.soundCredit(frames: 1_000_000))
    #expect(try conversation.listen())
    let count = conversation.sounds.reduce(0) { $0 + $1.samples.count / 2 }
    #expect(abs(count - 96_000) <= 1_024)
    var next = Duration.zero
    for run in conversation.sounds where run.frames > 0 {
      #expect(abs((run.time - next) / .seconds(1)) < 0.002)
      next = run.time + .nanoseconds(run.samples.count / 2 * 1_000_000_000 / 48_000)
    }
    #expect(abs((try #require(conversation.soundEnd) - next) / .seconds(1)) < 0.0001)
    // A beep at the start of each second, silence between.
    let samples = conversation.sounds.flatMap(\.samples)
    func loudness(_ from: Double, _ to: Double) -> Int {
      samples[Int(from * 48_000) * 2..<Int(to * 48_000) * 2].map { Int($0.magnitude) }.max() ?? 0
    }
    #expect(loudness(0.01, 0.04) > 10_000 && loudness(1.01, 1.04) > 10_000)
    #expect(loudness(0.2, 0.9) < 1_000 && loudness(1.2, 1.9) < 1_000)
  }

  @Test func sound_withFewCredits_isNoFurtherAheadThanHalfASecond() throws {
    let conversation = try DecoderConversation(contents(clip.file()), soundRate: 48_000)
    try conversation.allow(1)
    #expect(try conversation.listen { !$0.pictures.isEmpty })
    try conversation.listen(for: .milliseconds(200))
    #expect(conversation.sounds.isEmpty)
    try conversation.send(.soundCredit(frames: 1_000_000))
    try conversation.listen(for: .milliseconds(200))
    let last = conversation.sounds.map(\.time).max() ?? .zero
    #expect(last > .milliseconds(400) && last <= .milliseconds(600))
  }

  @Test func sound_credit_isUsedUpToTheLastFrame() throws {
    let conversation = try DecoderConversation(contents(clip.file()), soundRate: 48_000)
    try conversation.allow(1_000)
    for credit in [1, 1_000, 5_000] {
      try conversation.send(.soundCredit(frames: UInt32(credit)))
      let before = conversation.sounds.count
      try conversation.listen { $0.sounds.count > before }
      try conversation.listen(for: .milliseconds(100))
    }
    #expect(conversation.sounds.reduce(0) { $0 + $1.frames } == 6_001)
    var next = Duration.zero
    for run in conversation.sounds {
      #expect(abs((run.time - next) / .seconds(1)) < 0.00003)
      next = run.time + .nanoseconds(run.frames * 1_000_000_000 / 48_000)
    }
    #expect(conversation.ended == nil)
  }

  /// A first picture does not wait for the sound beside it.
  @Test func sound_comesBehindTheFirstPicture() throws {
    let conversation = try DecoderConversation(contents(clip.file()), soundRate: 48_000)
    try conversation.send(.soundCredit(frames: 100_000))
    try conversation.allow(1)
    #expect(try conversation.listen { !$0.pictures.isEmpty })
    #expect(conversation.sounds.isEmpty)
  }

  @Test func sound_soughtInASoundFile_beginsThere() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("count.flac")
    // Each second has a level of its own.
    let made = try run(
      Programs.installed("ffmpeg") ?? "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "aevalsrc=(1+floor(t))/16:s=48000:d=8", "-c:a", "flac",
        path,
      ])
    #expect(made.status == 0)
    let conversation = try DecoderConversation(contents(path), soundRate: 48_000)
    try conversation.allow(1)
    try conversation.listen { !$0.pictures.isEmpty }
    try conversation.seek(1, to: .milliseconds(5_250))
    try conversation.allow(1)
    try conversation.send(.soundCredit(frames: 48_000))
    try conversation.listen { $0.sounds.contains { $0.serial == 1 && $0.frames > 0 } }
    let first = try #require(conversation.sounds.first { $0.serial == 1 && $0.frames > 0 })
    #expect(first.time == .milliseconds(5_250))
    // Six sixteenths; the centre channel goes to both sides, 3 dB lower.
    let level = first.samples[0]
    #expect(first.samples.allSatisfy { $0 == level })
    #expect(abs(Double(level) - 32_768 * 6 / 16 / 2.0.squareRoot()) <= 1)
  }

  /// A story without sound at its start reports that, as far as pictures are sent.
  @Test func sound_thatBeginsLater_isReportedMissing() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("late.mkv")
    let made = try run(
      Programs.installed("ffmpeg") ?? "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "color=c=red:s=64x64:r=25:d=3", "-itsoffset", "2", "-f",
        "lavfi", "-i", "sine=r=48000:d=1", "-c:v", "libx264", "-c:a", "pcm_s16le", path,
      ])
    #expect(made.status == 0)
    let conversation = try DecoderConversation(contents(path), soundRate: 48_000)
    try conversation.allow(1)
    try conversation.send(.soundCredit(frames: 96_000))
    #expect(try conversation.listen { !$0.sounds.isEmpty })
    #expect(conversation.sounds.first?.frames == 0)
    #expect(conversation.sounds.first?.time == .milliseconds(500))
    try conversation.allow(1_000)
    #expect(try conversation.listen())
    let first = try #require(conversation.sounds.first { $0.frames > 0 })
    #expect(abs((first.time - .seconds(2)) / .seconds(1)) < 0.002)
  }
}
