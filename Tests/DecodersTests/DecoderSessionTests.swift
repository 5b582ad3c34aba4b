import DecoderLink
import Glibc
import Support
import System
import Testing

@testable import Decoders
@testable import Resources

/// Sessions with the real decoder, and with programs that misbehave in its place.
@Suite struct DecoderSessionTests {
  private let directory: TemporaryDirectory
  init() throws { directory = try TemporaryDirectory() }

  private let shape = PictureRequest(width: 32, height: 18)

  private func decoder(faulty arguments: String? = nil) throws -> DecoderProgram {
    guard let arguments else { return DecoderProgram(path: Programs.decoder) }
    try directory.write("#!/bin/sh\n\(arguments)\n", to: "storytty-decoder")
    chmod(directory.path + "/storytty-decoder", 0o700)
    return DecoderProgram(path: directory.path + "/storytty-decoder", forks: false)
  }

  private func session(from pool: DecoderPool) throws -> DecoderSession {
    let clip = try Clip(width: 320, height: 180, rate: 25, seconds: 1).file()
    return try DecoderSession(
      from: pool, decoding: MemoryResource(path: clip), opener: nil, shape: shape)
  }

  /// All events until the session has ended or failed, or until the time limit.
  private func events(_ session: DecoderSession, within limit: Duration = .seconds(20)) throws
    -> [DecoderSession.Event]
  {
    let end = Instant.now + limit
    var all: [DecoderSession.Event] = []
    while Instant.now < end {
      let interest = Interest(session.descriptor, writing: session.wantsToWrite)
      let until = min(end, session.deadline ?? end)
      let ready = try awaitReadiness(of: [interest], until: until)
      let new = session.service(ready[0], now: .now)
      all += new
      for event in new {
        switch event {
        case .ended, .failed: return all
        case .picture: session.allow(pictures: 1)
        default: break
        }
      }
    }
    return all
  }

  private func failure(_ events: [DecoderSession.Event]) -> String? {
    guard case .failed(let reason) = events.last else { return nil }
    return reason
  }

  @Test func session_withAClip_sendsAllOfIt() throws {
    let program = try decoder()
    let pool = DecoderPool(program: program)
    try pool.prepare()
    let session = try session(from: pool)
    session.allow(pictures: 1)
    let all = try events(session)
    var pictures: [DecodedPicture] = []
    for case .picture(let picture) in all { pictures.append(picture) }
    #expect(pictures.map(\.time) == (0..<25).map { .milliseconds($0 * 40) })
    #expect(pictures.allSatisfy { $0.bitmap.width == 32 && $0.bitmap.height == 18 })
    guard case .ended(0, let end, nil) = all.last else {
      Issue.record("ended with \(String(describing: all.last))")
      return
    }
    #expect(end == .seconds(1))
  }

  @Test func session_withoutCredit_getsNoPicture() throws {
    let program = try decoder()
    let pool = DecoderPool(program: program)
    let session = try session(from: pool)
    // Once it was forked.
    #expect(holds { session.identifier > 0 && session.deadline == nil })
    session.allow(pictures: 2)
    var count = 0
    let end = Instant.now + .seconds(2)
    while Instant.now < end {
      let interest = Interest(session.descriptor, writing: session.wantsToWrite)
      let ready = try awaitReadiness(of: [interest], until: end)
      for case .picture in session.service(ready[0], now: .now) { count += 1 }
    }
    #expect(count == 2)
  }

  @Test(arguments: [
    ("exit 0", "the decoder ended"),
    ("kill -SEGV $$", "the decoder was ended by signal 11"),
    ("printf 'garbage in place of frames' >&3; exec sleep 60", "the decoder broke the protocol"),
    ("exec 3>&-; exec sleep 60", "the decoder was ended by signal 9"),
  ])
  func session_withAProgramThatMisbehaves_failsWithWords(script: String, reason: String) throws {
    let program = try decoder(faulty: script)
    let pool = DecoderPool(program: program)
    let session = try session(from: pool)
    session.allow(pictures: 1)
    #expect(try failure(events(session)) == reason)
  }

  /// Requests for 4 MiB each, sent again and again without reading an answer.
  @Test func session_withAProgramThatAsksWithoutReading_failsBeforeMemoryFills() throws {
    let read = DecoderMessage.read(request: 1, resource: 0, offset: 0, length: 4 << 20).frame
    try directory.write(read, to: "request")
    let program = try decoder(
      faulty: "while cat \(directory.path)/request >&3; do :; done 2>/dev/null; exec sleep 60")
    let pool = DecoderPool(program: program)
    try directory.write([UInt8](repeating: 7, count: 4 << 20), to: "big")
    let session = try DecoderSession(
      from: pool, decoding: MemoryResource(path: directory.path + "/big"), opener: nil, shape: shape
    )
    #expect(try failure(events(session)) == "the decoder broke the protocol")
  }

  /// A program that sends these messages, then `flood` again and again, and reads nothing.
  private func liar(saying messages: [DecoderMessage], flood: DecoderMessage? = nil) throws
    -> DecoderProgram
  {
    try directory.write(messages.flatMap(\.frame), to: "said")
    try directory.write((0..<1_000).flatMap { _ in flood?.frame ?? [] }, to: "flood")
    let loop =
      flood == nil ? "" : "while cat \(directory.path("flood")) >&3; do :; done 2>/dev/null; "
    return try decoder(faulty: "cat \(directory.path("said")) >&3; \(loop)exec sleep 60")
  }

  @Test(arguments: Lie.all) func session_withALiar_failsWithWords(lie: Lie) throws {
    let pool = DecoderPool(program: try liar(saying: lie.messages))
    let session = try session(from: pool)
    session.allow(pictures: 3)
    let events = try events(session, within: .seconds(5))
    #expect(failure(events) == "the decoder broke the protocol")
    #expect(events.count == lie.believed + 1)
  }

  @Test func session_withALongReason_keeps200Characters() throws {
    let reason = String(repeating: "no ", count: 20_000)
    let pool = DecoderPool(program: try liar(saying: [.failed(reason: reason)]))
    let session = try session(from: pool)
    #expect(try failure(events(session)) == String(reason.prefix(200)))
  }

  @Test func session_withManyNotes_passesOnTheFirstOfEach() throws {
    let long = String(repeating: "no ", count: 20_000)
    let notes = ["it is cut off", "it is cut off", long] + (1...10).map { "note \($0)" }
    let pool = DecoderPool(
      program: try liar(saying: notes.map { .note($0) } + [.failed(reason: "over")]))
    let events = try events(session(from: pool))
    var received: [String] = []
    for case .note(let words) in events { received.append(words) }
    #expect(received == ["it is cut off", String(long.prefix(200))] + (1...6).map { "note \($0)" })
    #expect(failure(events) == "over")
  }

  @Test func session_withAPictureBeforeTheStart_showsItAtTheStart() throws {
    let early = Lie.picture(time: .seconds(-1))
    let pool = DecoderPool(
      program: try liar(saying: [.opened(Lie.info), .picture(early), .failed(reason: "over")]))
    let session = try session(from: pool)
    session.allow(pictures: 1)
    var times: [Duration] = []
    for case .picture(let picture) in try events(session) { times.append(picture.time) }
    #expect(times == [.zero])
  }

  @Test func session_withALargerShapeLater_takesPicturesOfEither() throws {
    let pool = DecoderPool(
      program: try liar(saying: [
        .opened(Lie.info), .picture(Lie.picture(width: 32, height: 18)),
        .picture(Lie.picture(width: 64, height: 36)), .failed(reason: "over"),
      ]))
    let session = try session(from: pool)
    session.reshape(PictureRequest(width: 64, height: 36))
    session.reshape(PictureRequest(width: 8, height: 8))
    session.allow(pictures: 3)
    #expect(try failure(events(session)) == "over")
  }

  /// Messages that bring no progress do not count, however many come.
  @Test(arguments: [true, false]) func session_withAnEndlessFlood_isNotAlive(ofSound: Bool) throws {
    let silence = DecoderMessage.sound(DecodedSound(serial: 0, time: .zero, samples: []))
    let stale = DecoderMessage.picture(Lie.picture())
    let pool = DecoderPool(
      program: try liar(saying: [.opened(Lie.info)], flood: ofSound ? silence : stale))
    let clip = try Clip(width: 320, height: 180, rate: 25, seconds: 1).file()
    let session = try DecoderSession(
      from: pool, decoding: MemoryResource(path: clip), opener: nil, shape: shape, soundRate: 48_000
    )
    session.allow(pictures: 1)
    session.allow(soundFrames: 1)
    if !ofSound { session.seek(to: .seconds(1)) }
    let began = Instant.now
    // The credits of stale pictures are returned: a program that does not read them would fill the
    // player's memory.
    let reason = try failure(events(session))
    #expect(reason == "the decoder hangs" || !ofSound && reason == "the decoder broke the protocol")
    #expect(Instant.now - began < Patience().silence + .seconds(3))
  }

  /// A program that requests ten bytes every 0.1 s, and gets them.
  @Test func session_withAProgramThatAsksForEver_givesItUp() throws {
    let ask = DecoderMessage.read(request: 1, resource: 0, offset: 0, length: 10).frame
    try directory.write(ask, to: "ask")
    let path = directory.path("ask")
    let pool = DecoderPool(
      program: try decoder(
        faulty: "cat <&3 >/dev/null & while cat \(path) >&3; do sleep 0.1; done 2>/dev/null"))
    let session = try session(from: pool)
    session.patience.effort = .seconds(2)
    session.allow(pictures: 1)
    #expect(try failure(events(session)) == "decoding does not end")
  }

  @Test func session_withADecoderOfManyThreads_givesItUp() throws {
    let pool = DecoderPool(
      program: try decoder(faulty: "ulimit -s 256; exec '\(Programs.decoder)' --fault threads"))
    let session = try session(from: pool)
    session.allow(pictures: 1)
    var reason: String?
    let end = Instant.now + .seconds(8)
    while reason == nil, Instant.now < end {
      let ready = try awaitReadiness(
        of: [Interest(session.descriptor)], until: .now + .milliseconds(200))
      reason = failure(session.service(ready[0], now: .now))
    }
    #expect(reason == "the decoder starts too many threads")
  }

  /// What stands before the tag of a playlist in practice does not hide that it is one.
  @Test(arguments: [
    ("#EXTM3U\nx", true), ("\u{FEFF}#EXTM3U\nx", true), ("\n\n# comment\n#EXTM3U\nx", true),
    ("# comment\n", false), ("#EXTM3", false), ("x#EXTM3U\n", false),
  ])
  func session_ofAPlaylist_isKnownAsOne(text: String, expected: Bool) throws {
    let path = try directory.write(text, to: "list")
    let pool = DecoderPool(program: try decoder(faulty: "exec sleep 60"))
    let session = try DecoderSession(
      from: pool, decoding: MemoryResource(path: path), opener: nil, shape: shape)
    #expect(session.isPlaylist == expected)
  }

  /// Sound has credits of its own, which are returned for stale sound.
  @Test func session_withMoreSoundThanAllowed_saysSo() throws {
    func sound(_ frames: Int, serial: UInt32 = 0) -> DecoderMessage {
      .sound(
        DecodedSound(serial: serial, time: .zero, samples: [Int16](repeating: 1, count: 2 * frames))
      )
    }
    let pool = DecoderPool(
      program: try liar(saying: [
        .opened(Lie.info), sound(600), sound(400, serial: 1), sound(600, serial: 1),
        sound(1, serial: 1),
      ]))
    let clip = try Clip(width: 320, height: 180, rate: 25, seconds: 1).file()
    let session = try DecoderSession(
      from: pool, decoding: MemoryResource(path: clip), opener: nil, shape: shape, soundRate: 48_000
    )
    session.allow(soundFrames: 1000)
    session.seek(to: .zero)
    let events = try events(session)
    var heard: [Int] = []
    for case .sound(let sound) in events { heard.append(sound.frames) }
    #expect(heard == [400, 600])
    #expect(failure(events) == "the decoder broke the protocol")
    #expect(session.soundFramesAllowed == 0)
  }

  /// A decoder that has sent all its pictures may wait with the rest of its sound.
  @Test func session_withoutCreditForSound_doesNotHang() throws {
    let pool = DecoderPool(program: try decoder())
    let clip = try Clip(width: 320, height: 180, rate: 25, seconds: 1, sound: true).file()
    let session = try DecoderSession(
      from: pool, decoding: MemoryResource(path: clip), opener: nil, shape: shape, soundRate: 48_000
    )
    session.allow(pictures: 100)
    #expect(holds { session.identifier > 0 && session.deadline == nil })
    session.allow(soundFrames: 48_000)
    #expect(session.deadline != nil)
  }

  /// The second request is too large; both answers are recorded.
  @Test func session_withTooLongARead_saysSo() throws {
    let ask = DecoderMessage.read(request: 7, resource: 0, offset: 0, length: 4 << 20 + 1).frame
    try directory.write(ask, to: "ask")
    let answer = directory.path("answer")
    let program = try decoder(
      faulty: "cat \(directory.path("ask")) >&3; exec cat <&3 >\(answer)")
    let pool = DecoderPool(program: program)
    let session = try session(from: pool)
    _ = try events(session, within: .seconds(1))
    let text = try String(decoding: readFile(answer), as: UTF8.self)
    #expect(text.contains("it requests too much at once"))
    #expect(!text.contains("no such resource"))
  }

  /// What was sent to a program that makes these requests.
  private func answers(
    to asked: [DecoderMessage], _ act: (DecoderSession) -> Void = { _ in }
  ) throws -> [PlayerMessage] {
    try directory.write(asked.flatMap(\.frame), to: "ask")
    let answer = directory.path("answer")
    let program = try decoder(
      faulty: "cat \(directory.path("ask")) >&3; exec cat <&3 >\(answer)")
    let pool = DecoderPool(program: program)
    let session = try session(from: pool)
    act(session)
    _ = try events(session, within: .seconds(2))
    var assembler = FrameAssembler<PlayerMessage>()
    assembler.append(try readFile(answer))
    var messages: [PlayerMessage] = []
    while let message = try assembler.next() { messages.append(message) }
    return Array(messages.dropFirst())
  }

  @Test func allow_ofNothing_sendsNothing() throws {
    let sent = try answers(to: []) { session in
      session.allow(pictures: 0)
      session.allow(soundFrames: 0)
      session.allow(pictures: 2)
      session.allow(soundFrames: 3)
    }
    #expect(sent == [.credit(pictures: 2), .soundCredit(frames: 3)])
  }

  @Test func query_ofAFile_findsAllAvailable() throws {
    let sent = try answers(to: [
      .queryAvailable(request: 1, resource: 0, offset: 500),
      .queryAvailable(request: 2, resource: 9, offset: 500),
    ])
    #expect(
      sent == [.availableUntil(request: 1, end: .max), .availableUntil(request: 2, end: 500)])
  }

  @Test func pool_peak_isTheDecodersOwn() throws {
    let ballast = [UInt8](repeating: 1, count: 400 << 20)
    let pool = DecoderPool(program: try decoder())
    #expect(pool.peakKibibytes == 0)
    do {
      let session = try session(from: pool)
      session.allow(pictures: 1)
      _ = try events(session)
    }
    pool.close()
    #expect(pool.peakKibibytes > 10_000 && pool.peakKibibytes < 300_000)
    #expect(ballast.last == 1)
  }

  /// In a process of its own: beside a larger one, what the kernel keeps of a dead child says
  /// nothing.
  @Test func pool_peakOfADecoderThatEndedByItself_isKnown() async {
    await #expect(processExitsWith: .success) {
      let suite = try DecoderSessionTests()
      let program = try suite.decoder(faulty: "exec '\(Programs.decoder)' --fault memory")
      let pool = DecoderPool(program: program)
      let session = try suite.session(from: pool)
      try #require(suite.failure(suite.events(session)) != nil)
      try #require(pool.peakKibibytes > 700_000 && pool.peakKibibytes <= 1 << 20)
    }
  }

  @Test func session_withASilentProgram_hangsNoLongerThanItsPatience() throws {
    let program = try decoder(faulty: "exec sleep 60")
    let pool = DecoderPool(program: program)
    let session = try session(from: pool)
    session.allow(pictures: 1)
    let began = Instant.now
    #expect(try failure(events(session)) == "the decoder hangs")
    // No deadline is left: one in the past would keep the player's loop busy.
    #expect(session.deadline == nil)
    let took = Instant.now - began
    #expect(took >= Patience().silence && took < Patience().silence + .seconds(3))
  }

  @Test func close_leavesNoProcess() throws {
    let program = try decoder()
    let pool = DecoderPool(program: program)
    try pool.prepare()
    let session = try session(from: pool)
    let identifier = try #require(awaitValue { session.identifier > 0 ? session.identifier : nil })
    #expect(kill(identifier, 0) == 0)
    session.close()
    pool.close()
    #expect(kill(identifier, 0) == -1)
  }

  @Test func candidates_areBesideThePlayerAndInLibexec() {
    #expect(
      DecoderProgram.candidates(besideExecutable: "/usr/local/bin/storytty") == [
        "/usr/local/bin/storytty-decoder",
        "/usr/local/bin/../libexec/storytty/storytty-decoder",
      ])
  }

  private func failure(of file: String, _ pool: DecoderPool) throws -> String? {
    let session = try DecoderSession(
      from: pool, decoding: MemoryResource(path: directory.path(file)), opener: nil, shape: shape)
    session.allow(pictures: 1)
    return try failure(events(session))
  }

  @Test func animation_thatWasTooSlow_isNotTriedAgain() throws {
    try directory.write(Lottie.endless(), to: "slow.json")
    try directory.write(Lottie.endless(name: "other"), to: "other.json")
    try directory.write(Lottie.text(), to: "good.json")
    let path = directory.path("state/refused-animations")
    let words = "the animation takes too long to be drawn"
    let program = try decoder()
    let pool = DecoderPool(program: program, refusedAnimations: RefusedAnimations(path: path))
    #expect(try failure(of: "slow.json", pool) == words)
    let hash = SHA256.hex(of: Lottie.endless())
    #expect(try readText(path) == hash + "\n")
    // Now it is refused before anything is drawn, so the decoder lives to report it.
    try directory.copy(directory.path("slow.json"), as: "copy.json")
    for pool in [
      pool, DecoderPool(program: program, refusedAnimations: RefusedAnimations(path: path)),
    ] {
      let start = Instant.now
      #expect(try failure(of: "copy.json", pool) == words)
      #expect(Instant.now - start < .seconds(5))
      #expect(try failure(of: "good.json", pool) == nil)
    }
    #expect(try failure(of: "other.json", pool) == words)
    #expect(try readText(path).split(separator: "\n").count == 2)
  }

  @Test func refusedAnimations_inADamagedFile_areThoseThatCanBeRead() throws {
    let path = try directory.write("no hash\n\n" + String(repeating: "a", count: 64), to: "refused")
    try directory.write(Lottie.text(), to: "good.json")
    let pool = DecoderPool(program: try decoder(), refusedAnimations: RefusedAnimations(path: path))
    #expect(try failure(of: "good.json", pool) == nil)
  }
}
