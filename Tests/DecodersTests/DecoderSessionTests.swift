import DecoderLink
import Decoders
import Glibc
import Resources
import Support
import System
import Testing

/// Sessions with the real decoder, and with programs that misbehave in its place.
@Suite struct DecoderSessionTests {
  private let directory: TemporaryDirectory
  init() throws { directory = try TemporaryDirectory() }

  private let shape = PictureRequest(width: 32, height: 18)

  private func decoder(faulty arguments: String? = nil) throws -> DecoderProgram {
    guard let arguments else { return DecoderProgram(path: Programs.decoder) }
    try directory.write("#!/bin/sh\n\(arguments)\n", to: "storytty-decoder")
    chmod(directory.path + "/storytty-decoder", 0o700)
    return DecoderProgram(path: directory.path + "/storytty-decoder")
  }

  private func session(
    _ program: DecoderProgram, pool: DecoderPool, opener: (any ResourceOpener)? = nil
  ) throws -> DecoderSession {
    let clip = try Clip(width: 320, height: 180, rate: 25, seconds: 1).file()
    return try DecoderSession(
      from: pool, telling: FileResource(path: clip), opener: opener, shape: shape)
  }

  /// All events until the session has ended or failed, or the time is over.
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

  @Test func session_withAClip_tellsItWhole() throws {
    let program = try decoder()
    let pool = DecoderPool(program: program)
    try pool.prepareSpare()
    let session = try session(program, pool: pool)
    session.allow(pictures: 1)
    let all = try events(session)
    var pictures: [DecodedPicture] = []
    for case .picture(let picture) in all { pictures.append(picture) }
    #expect(pictures.map(\.time) == (0..<25).map { .milliseconds($0 * 40) })
    #expect(pictures.allSatisfy { $0.width == 32 && $0.height == 18 })
    guard case .ended(0, let end, nil) = all.last else {
      Issue.record("ended with \(String(describing: all.last))")
      return
    }
    #expect(end == .seconds(1))
  }

  @Test func session_withoutCredit_getsNoPicture() throws {
    let program = try decoder()
    let pool = DecoderPool(program: program)
    let session = try session(program, pool: pool)
    #expect(session.deadline == nil)
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
    ("printf 'garbage in place of frames' >&3; exec sleep 60", "the decoder spoke out of turn"),
    ("exec 3>&-; exec sleep 60", "the decoder was ended by signal 9"),
  ])
  func session_withAProgramThatMisbehaves_failsWithWords(script: String, reason: String) throws {
    let program = try decoder(faulty: script)
    let pool = DecoderPool(program: program)
    let session = try session(program, pool: pool)
    session.allow(pictures: 1)
    #expect(try failure(events(session)) == reason)
  }

  /// Requests for 4 MiB each, sent on and on without reading an answer.
  @Test func session_withAProgramThatAsksWithoutReading_failsBeforeMemoryFills() throws {
    let read = DecoderMessage.read(request: 1, resource: 0, offset: 0, length: 4 << 20).frame
    try directory.write(read, to: "request")
    let program = try decoder(
      faulty: "while cat \(directory.path)/request >&3; do :; done 2>/dev/null; exec sleep 60")
    let pool = DecoderPool(program: program)
    try directory.write([UInt8](repeating: 7, count: 4 << 20), to: "big")
    let session = try DecoderSession(
      from: pool, telling: FileResource(path: directory.path + "/big"), opener: nil, shape: shape)
    #expect(try failure(events(session)) == "the decoder spoke out of turn")
  }

  @Test func session_withASilentProgram_hangsNoLongerThanItsPatience() throws {
    let program = try decoder(faulty: "exec sleep 60")
    let pool = DecoderPool(program: program)
    let session = try session(program, pool: pool)
    session.allow(pictures: 1)
    let began = Instant.now
    #expect(try failure(events(session)) == "the decoder hangs")
    let took = Instant.now - began
    #expect(took >= DecoderSession.patience && took < DecoderSession.patience + .seconds(3))
  }

  @Test func close_leavesNoProcess() throws {
    let program = try decoder()
    let pool = DecoderPool(program: program)
    try pool.prepareSpare()
    let session = try session(program, pool: pool)
    let identifier = session.identifier
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
}
