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

  /// - Parameter pictures: how many may come; with one the story cannot end meanwhile.
  private func session(
    from pool: DecoderPool, of file: String? = nil, allowing pictures: Int = 100
  ) throws -> DecoderSession {
    let session = try DecoderSession(
      from: pool, decoding: MemoryResource(path: file ?? clip), opener: nil,
      shape: PictureRequest(width: 32, height: 18))
    session.allow(pictures: pictures)
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
    #expect(holds { directoryEntries("/proc/\(parent)/fd") == ["0", "1", "2", "3"] })
    for session in sessions {
      let child = try identifier(of: session)
      #expect(directoryEntries("/proc/\(child)/fd") == ["0", "1", "2", "3"])
      #expect(try number("Seccomp", of: child) == 2)
    }
  }

  /// Its library is loaded by the first children themselves, and later ones have it from their parent.
  @Test func pictureThatNeedsLibheif_isDecodedByEachChild() throws {
    let directory = try TemporaryDirectory()
    let picture = directory.path("red.avif")
    let made = try run(
      Programs.installed("ffmpeg") ?? "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "color=red:s=64x64", "-frames:v", "1", "-c:v",
        "libaom-av1", "-still-picture", "1", "-pix_fmt", "yuv420p", picture,
      ])
    #expect(made.status == 0)
    let pool = pool()
    try pool.prepare()
    let parent = try #require(pool.serverIdentifier)
    #expect(try outcome(of: session(from: pool, of: picture)) == (1, nil))
    #expect(
      try holds { try readText("/proc/\(parent)/maps").contains("libheif.so") })
    #expect(try outcome(of: session(from: pool, of: picture)) == (1, nil))
    #expect(try outcome(of: session(from: pool)) == (25, nil))
  }

  private func pid(ofSpareOf pool: DecoderPool) throws -> pid_t {
    try #require(
      awaitValue {
        pool.reap()
        return pool.spareIdentifier
      })
  }

  @Test func spare_isTheNextStory() throws {
    let pool = pool()
    _ = try outcome(of: session(from: pool))
    pool.prepareSpare()
    let spare = try pid(ofSpareOf: pool)
    // There is never more than one.
    pool.prepareSpare()
    #expect(try pid(ofSpareOf: pool) == spare)
    // It is confined before it knows of any story.
    #expect(holds { (try? number("Seccomp", of: spare)) == 2 })
    let next = try session(from: pool)
    #expect(try identifier(of: next) == spare)
    #expect(pool.spareIdentifier == nil)
    #expect(try outcome(of: next) == (25, nil))
    // Without another one, the next story gets a child of its own.
    let other = try session(from: pool)
    #expect(try identifier(of: other) != spare)
    #expect(try outcome(of: other) == (25, nil))
  }

  @Test func spare_thatWasKilled_costsNoStory() throws {
    let pool = pool()
    pool.prepareSpare()
    let spare = try pid(ofSpareOf: pool)
    kill(spare, SIGKILL)
    #expect(holds { readZombie(spare) })
    let next = try session(from: pool)
    #expect(try identifier(of: next) != spare)
    #expect(try outcome(of: next) == (25, nil))
  }

  /// It may not outlive its parent: after a crash it would have the addresses that are known then.
  @Test func spare_ofAParentThatIsGone_isNotUsed() throws {
    let pool = pool()
    pool.prepareSpare()
    let spare = try pid(ofSpareOf: pool)
    kill(try #require(pool.serverIdentifier), SIGKILL)
    #expect(holds { pool.serverIdentifier == nil || readZombie(pool.serverIdentifier ?? 0) })
    let next = try session(from: pool)
    #expect(try identifier(of: next) != spare)
    #expect(try outcome(of: next) == (25, nil))
    #expect(
      holds {
        pool.reap()
        return kill(spare, 0) != 0
      })
  }

  /// Also while the crash of another child is all that is known of the parent.
  @Test func spare_besideADecoderThatCrashed_isNotUsed() throws {
    let pool = pool()
    let crashing = try session(from: pool, allowing: 1)
    pool.prepareSpare()
    let spare = try pid(ofSpareOf: pool)
    kill(try identifier(of: crashing), SIGSEGV)
    #expect(try outcome(of: crashing).failure == "the decoder was ended by signal 11")
    crashing.close()
    #expect(
      holds {
        pool.reap()
        return pool.serverIdentifier == nil
      })
    let next = try session(from: pool)
    #expect(try identifier(of: next) != spare)
    #expect(try outcome(of: next) == (25, nil))
    #expect(
      holds {
        pool.reap()
        return kill(spare, 0) != 0
      })
  }

  @Test func spare_endsWithThePool() throws {
    let pool = pool()
    pool.prepareSpare()
    let spare = try pid(ofSpareOf: pool)
    pool.close()
    #expect(kill(spare, 0) != 0)
  }

  /// Whether a process has ended and was not reaped.
  private func readZombie(_ process: pid_t) -> Bool {
    (try? readText("/proc/\(process)/status").contains("State:\tZ")) ?? true
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

  /// Between the request and the fork: what was sent waits in the socket, and a program is started at it.
  @Test func parentKilledWhileItIsAsked_costsNoStory() throws {
    let pool = pool()
    _ = try outcome(of: session(from: pool))
    let parent = try #require(pool.serverIdentifier)
    kill(parent, SIGSTOP)
    let asked = try (0..<2).map { _ in try session(from: pool) }
    kill(parent, SIGKILL)
    for session in asked { #expect(try outcome(of: session) == (25, nil)) }
    let next = try session(from: pool)
    #expect(try outcome(of: next) == (25, nil))
    #expect(try #require(pool.serverIdentifier) != parent)
  }

  @Test func hangingParent_costsNoStory() throws {
    let pool = pool()
    _ = try outcome(of: session(from: pool))
    let parent = try #require(pool.serverIdentifier)
    kill(parent, SIGSTOP)
    let asked = try session(from: pool)
    #expect(asked.identifier == 0)
    pool.longestFork = .zero
    pool.reap()
    #expect(try outcome(of: asked) == (25, nil))
    #expect(kill(parent, 0) == -1)
    pool.longestFork = .seconds(5)
    #expect(try outcome(of: session(from: pool)) == (25, nil))
  }

  /// Nothing else has to happen: the story that waits says when its parent has had enough time.
  @Test func hangingParent_isGivenUp_byTheStoryThatWaits() throws {
    let pool = pool()
    _ = try outcome(of: session(from: pool))
    let parent = try #require(pool.serverIdentifier)
    pool.longestFork = .milliseconds(300)
    kill(parent, SIGSTOP)
    let asked = try session(from: pool)
    let deadline = try #require(asked.deadline)
    #expect(deadline - .now <= .milliseconds(300))
    #expect(try outcome(of: asked) == (25, nil))
    pool.longestFork = .seconds(5)
    let next = try session(from: pool)
    #expect(try outcome(of: next) == (25, nil))
    #expect(try #require(pool.serverIdentifier) != parent)
  }

  /// What is closed before it was forked is not forgotten.
  @Test func sessionsOfAStoppedParent_thatAreClosed_leaveNoProcess() throws {
    let pool = pool()
    _ = try outcome(of: session(from: pool))
    let parent = try #require(pool.serverIdentifier)
    kill(parent, SIGSTOP)
    for _ in 0..<3 { try session(from: pool).close() }
    kill(parent, SIGCONT)
    #expect(
      holds {
        pool.reap()
        return !pool.hasDying && children(of: parent).isEmpty
      })
  }

  @Test func killedChild_costsItsStory() throws {
    let pool = pool()
    let sessions = [try session(from: pool, allowing: 1), try session(from: pool)]
    let parent = try #require(pool.serverIdentifier)
    let child = try identifier(of: sessions[0])
    kill(child, SIGKILL)
    #expect(try outcome(of: sessions[0]).failure == "the decoder was ended by signal 9")
    #expect(try outcome(of: sessions[1]) == (25, nil))
    pool.reap()
    #expect(pool.serverIdentifier == parent)
  }

  /// All children lie at the addresses of their parent: who makes one crash must not learn them.
  @Test func crashedChild_givesTheNextAnotherParent() throws {
    let pool = pool()
    let crashing = try session(from: pool, allowing: 1)
    let parent = try #require(pool.serverIdentifier)
    kill(try identifier(of: crashing), SIGSEGV)
    #expect(try outcome(of: crashing).failure == "the decoder was ended by signal 11")
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
    let kept = try session(from: pool)
    let parent = try #require(pool.serverIdentifier)
    let child = try identifier(of: kept)
    #expect(children(of: parent) == [child])
    for _ in 0..<20 { try session(from: pool).close() }
    #expect(
      holds {
        pool.reap()
        return !pool.hasDying && children(of: parent) == [child]
      })
    #expect(try outcome(of: kept) == (25, nil))
    kept.close()
    pool.close()
    #expect(pool.serverIdentifier == nil && children(of: parent).isEmpty)
  }

  /// What a parent has forked and was not reaped: it is in the parent's group of processes.
  private func children(of parent: pid_t) -> [pid_t] {
    directoryEntries("/proc").compactMap { pid_t($0) }.filter { process in
      guard process != parent, let text = try? readText("/proc/\(process)/stat"),
        let end = text.lastIndex(of: ")")
      else { return false }
      let fields = text[text.index(after: end)...].split(separator: " ")
      return fields.count > 2 && pid_t(fields[2]) == parent
    }
  }

  @Test func twoPools_haveAParentEach() throws {
    let pools = [pool(), pool()]
    let sessions = try pools.map { try session(from: $0) }
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

  /// A program that cannot fork is started for each story instead. Two parents that end without a fork
  /// are enough.
  @Test func programThatCannotFork_isStartedForEachStory() throws {
    let directory = try TemporaryDirectory()
    let list = directory.path("list")
    let script = try directory.write(
      """
      #!/bin/sh
      echo "run $1" >>'\(list)'
      [ "$1" != --fork-server ] || exit 1
      exec '\(Programs.decoder)'
      """, to: "storytty-decoder")
    chmod(script, 0o700)
    let pool = DecoderPool(program: DecoderProgram(path: script))
    for _ in 0..<4 { #expect(try outcome(of: session(from: pool)) == (25, nil)) }
    #expect(pool.serverIdentifier == nil)
    let runs = try readText(list).split(separator: "\n").map(String.init)
    #expect(runs.filter { $0 == "run --fork-server" }.count == 2)
    #expect(runs.filter { $0 == "run " }.count == 4)
  }

  /// A parent answers that the kernel, or a sandbox around, does not let it fork.
  @Test(arguments: [EPERM, EAGAIN]) func parentThatMayNotFork_costsNoStory(code: Int32) throws {
    let directory = try TemporaryDirectory()
    let list = directory.path("list")
    for request in 0..<4 {
      try directory.write(
        ForkAnswer(request: UInt32(request), .failed(code)).bytes, to: "answer\(request)")
    }
    let script = try directory.write(
      """
      #!/bin/sh
      if [ "$1" = --fork-server ]; then
        echo "parent" >>'\(list)'
        for request in 0 1 2 3; do
          dd bs=1 count=1 <&3 >/dev/null 2>&1
          cat '\(directory.path("answer"))'$request >&3
        done
        exec sleep 60
      fi
      echo "program" >>'\(list)'
      exec '\(Programs.decoder)'
      """, to: "storytty-decoder")
    chmod(script, 0o700)
    let pool = DecoderPool(program: DecoderProgram(path: script))
    let sessions = try (0..<3).map { _ in try session(from: pool) }
    for session in sessions { #expect(try outcome(of: session) == (25, nil)) }
    let next = try session(from: pool)
    // Of a passing trouble it is asked again.
    #expect((pool.serverIdentifier == nil) == (code == EPERM))
    next.close()
    #expect(try readText(list).split(separator: "\n").filter { $0 == "program" }.count >= 3)
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
    // It closes the last one after the fork.
    #expect(try holds { try held(by: parent).descriptors == before.descriptors })
    #expect(try held(by: parent).kibibytes < before.kibibytes + 1_024)
    #expect(pool.serverIdentifier == parent)
    #expect(
      holds {
        pool.reap()
        return !pool.hasDying && children(of: parent).isEmpty
      })
  }
}
