import DecoderLink
import Glibc
import Support
import System
import Testing

@testable import Decoders
@testable import Resources

/// Decoders that are forked from one parent.
@Suite struct ForkServerTests {
  private let clip: String
  init() throws { clip = try Clip(width: 320, height: 180, rate: 25, seconds: 1).file() }

  private func pool() -> DecoderPool {
    DecoderPool(program: DecoderProgram(path: Programs.decoder))
  }

  private func session(from pool: DecoderPool) throws -> DecoderSession {
    let session = try DecoderSession(
      from: pool, decoding: MemoryResource(path: clip), opener: nil,
      shape: PictureRequest(width: 32, height: 18))
    session.allow(pictures: 100)
    return session
  }

  /// The number of pictures, and the reason of a failure.
  private func outcome(
    of session: DecoderSession, within limit: Duration = .seconds(20)
  ) throws -> (pictures: Int, failure: String?) {
    let end = Instant.now + limit
    var pictures = 0
    while Instant.now < end {
      let interest = Interest(session.descriptor, writing: session.wantsToWrite)
      let ready = try awaitReadiness(of: [interest], until: min(end, session.deadline ?? end))
      for event in session.service(ready[0], now: .now) {
        switch event {
        case .picture: pictures += 1
        case .ended: return (pictures, nil)
        case .failed(let reason): return (pictures, reason)
        default: break
        }
      }
    }
    return (pictures, "nothing came")
  }

  private func identifier(of session: DecoderSession) throws -> pid_t {
    try #require(awaitValue { session.identifier > 0 ? session.identifier : nil })
  }

  private func number(_ field: String, of process: pid_t) throws -> Int? {
    let line = try readText("/proc/\(process)/status").split(separator: "\n").first {
      $0.hasPrefix(field + ":")
    }
    return line?.split(whereSeparator: { $0 == "\t" || $0 == " " }).last.flatMap { Int($0) }
  }

  @Test func sessions_ofOnePool_areChildrenOfThisProcess() throws {
    let pool = pool()
    try pool.prepare()
    let parent = try #require(pool.serverIdentifier)
    let sessions = try (0..<3).map { _ in try session(from: pool) }
    let children = try sessions.map(identifier(of:))
    #expect(Set(children + [parent]).count == 4)
    for child in children + [parent] { #expect(try number("PPid", of: child) == Int(getpid())) }
    for session in sessions { #expect(try outcome(of: session) == (25, nil)) }
    #expect(pool.serverIdentifier == parent)
  }

  /// A lock that another thread held would be held for ever in a child; and what the parent holds,
  /// children would get.
  @Test func parent_hasOneThreadAndHoldsNothing() throws {
    let pool = pool()
    let sessions = try (0..<3).map { _ in try session(from: pool) }
    let parent = try #require(pool.serverIdentifier)
    for session in sessions { #expect(try outcome(of: session) == (25, nil)) }
    #expect(try number("Threads", of: parent) == 1)
    #expect(directoryEntries("/proc/\(parent)/fd") == ["0", "1", "2", "3"])
    for session in sessions {
      let child = try identifier(of: session)
      #expect(directoryEntries("/proc/\(child)/fd") == ["0", "1", "2", "3"])
      #expect(try number("Seccomp", of: child) == 2)
    }
  }

  @Test func killedParent_costsNoStory() throws {
    let pool = pool()
    let first = try session(from: pool)
    _ = try identifier(of: first)
    let parent = try #require(pool.serverIdentifier)
    kill(parent, SIGKILL)
    #expect(try outcome(of: first) == (25, nil))
    let second = try session(from: pool)
    #expect(try outcome(of: second) == (25, nil))
    let other = try #require(pool.serverIdentifier)
    #expect(other != parent)
  }

  /// Between the request and the fork.
  @Test func parentKilledWhileItIsAsked_costsTheStoryThatAsked() throws {
    let pool = pool()
    _ = try outcome(of: session(from: pool))
    let parent = try #require(pool.serverIdentifier)
    kill(parent, SIGSTOP)
    let lost = try session(from: pool)
    kill(parent, SIGKILL)
    #expect(try outcome(of: lost) == (0, "no decoder could be started"))
    #expect(try outcome(of: session(from: pool)) == (25, nil))
  }

  @Test func hangingParent_costsTheStoryThatAsked() throws {
    let pool = pool()
    pool.longestFork = .zero
    _ = try outcome(of: session(from: pool))
    let parent = try #require(pool.serverIdentifier)
    kill(parent, SIGSTOP)
    let lost = try session(from: pool)
    lost.patience.silence = .milliseconds(300)
    #expect(try outcome(of: lost) == (0, "the decoder hangs"))
    #expect(try outcome(of: session(from: pool)) == (25, nil))
    #expect(kill(parent, 0) == -1)
  }

  @Test func killedChild_costsItsStory() throws {
    let pool = pool()
    let sessions = try (0..<2).map { _ in try session(from: pool) }
    let parent = try #require(pool.serverIdentifier)
    let child = try identifier(of: sessions[0])
    kill(child, SIGSTOP)
    kill(child, SIGKILL)
    #expect(try outcome(of: sessions[0]).failure == "the decoder was ended by signal 9")
    #expect(try outcome(of: sessions[1]) == (25, nil))
    pool.reap()
    #expect(pool.serverIdentifier == parent)
  }

  /// All children lie at the addresses of their parent: who makes one crash must not learn them.
  @Test func crashedChild_givesTheNextAnotherParent() throws {
    let pool = pool()
    let crashing = try session(from: pool)
    let parent = try #require(pool.serverIdentifier)
    kill(try identifier(of: crashing), SIGSEGV)
    _ = try outcome(of: crashing)
    #expect(
      holds {
        pool.reap()
        return pool.serverIdentifier == nil
      })
    #expect(try outcome(of: session(from: pool)) == (25, nil))
    #expect(pool.serverIdentifier != parent)
  }

  @Test func sessionClosedAtOnce_leavesNoProcess() throws {
    let pool = pool()
    for _ in 0..<20 { try session(from: pool).close() }
    #expect(
      holds {
        pool.reap()
        return children(of: pool).isEmpty
      })
    #expect(try outcome(of: session(from: pool)) == (25, nil))
    pool.close()
    #expect(pool.serverIdentifier == nil)
  }

  /// The decoders that the pool's parent has forked; other tests have theirs beside it.
  private func children(of pool: DecoderPool) -> [pid_t] {
    guard let parent = pool.serverIdentifier, let layout = layout(of: parent) else { return [] }
    return directoryEntries("/proc").compactMap { pid_t($0) }.filter {
      $0 != parent && self.layout(of: $0) == layout
    }
  }

  /// Where the program lies in memory: the same for all that one parent has forked.
  private func layout(of process: pid_t) -> String? {
    let map = (try? readText("/proc/\(process)/maps"))?.split(separator: "\n").first
    return map.flatMap { $0.contains("storytty-decoder") ? String($0) : nil }
  }

  @Test func twoPools_haveAParentEach() throws {
    let pools = [pool(), pool()]
    let sessions = try pools.map(session(from:))
    #expect(pools[0].serverIdentifier != pools[1].serverIdentifier)
    for session in sessions { #expect(try outcome(of: session) == (25, nil)) }
    pools[0].close()
    #expect(try outcome(of: session(from: pools[1])) == (25, nil))
  }

  @Test func closedPool_leavesNoParent() throws {
    let pool = pool()
    try pool.prepare()
    let parent = try #require(pool.serverIdentifier)
    pool.close()
    #expect(kill(parent, 0) == -1)
  }

  /// A program that cannot fork is started for each story instead; the first may be lost.
  @Test func programThatCannotFork_isStartedForEachStory() throws {
    let directory = try TemporaryDirectory()
    let script = try directory.write(
      "#!/bin/sh\n[ \"$1\" != --fork-server ] || exit 1\nexec '\(Programs.decoder)'\n",
      to: "storytty-decoder")
    chmod(script, 0o700)
    let pool = DecoderPool(program: DecoderProgram(path: script))
    _ = try outcome(of: session(from: pool))
    for _ in 0..<2 { #expect(try outcome(of: session(from: pool)) == (25, nil)) }
    #expect(pool.serverIdentifier == nil)
  }

  /// 10,000 with STORYTTY_LONG.
  @Test func manyForks_leakNothing() throws {
    let pool = pool()
    _ = try outcome(of: session(from: pool))
    let parent = try #require(pool.serverIdentifier)
    func held(by process: pid_t) throws -> (descriptors: Int, kibibytes: Int) {
      (directoryEntries("/proc/\(process)/fd").count, try number("VmRSS", of: process) ?? 0)
    }
    let before = try held(by: parent)
    let forks = getenv("STORYTTY_LONG") == nil ? 300 : 10_000
    for _ in 0..<forks {
      let session = try session(from: pool)
      _ = try identifier(of: session)
      session.close()
    }
    let after = try held(by: parent)
    #expect(after.descriptors == before.descriptors)
    #expect(after.kibibytes < before.kibibytes + 1_024)
    #expect(pool.serverIdentifier == parent)
    #expect(
      holds {
        pool.reap()
        return children(of: pool).isEmpty
      })
  }
}
