import DecoderLink
import Decoders
import Resources
import Stories
import System

/// Asks decoders how long stories last, a few at a time.
public final class DurationRun {
  /// What was found of one story; nil where it has no end, as a picture.
  public typealias Finding = Result<Duration?, ResourceError>

  /// How long a decoder that has all the bytes it wants may take to open a story.
  private static let patience = Duration.seconds(10)

  private struct Task {
    let number: Int
    let session: DecoderSession
    var deadline: Instant
  }

  private let stories: [Story]
  private let bytes: StoryBytes
  private let pool: DecoderPool
  private var next = 0
  private var running: [Task] = []
  private var found: [Int: Finding] = [:]

  public init(of stories: [Story], bytes: StoryBytes, pool: DecoderPool) {
    self.stories = stories
    self.bytes = bytes
    self.pool = pool
  }

  /// Waits for all stories; gives one finding for each, in their order.
  public func findings() throws(SystemError) -> [Finding] {
    while true {
      startMore()
      guard !running.isEmpty else { break }
      let until = running.map { min($0.deadline, $0.session.deadline ?? $0.deadline) }.min()
      let sessions = running.map {
        Interest($0.session.descriptor, writing: $0.session.wantsToWrite)
      }
      let ready = try awaitReadiness(
        of: sessions + [Interest(bytes.network.descriptor)], until: until)
      if ready.last?.readable == true { bytes.network.deliver() }
      let now = Instant.now
      for (task, readiness) in zip(running, ready) { service(task, readiness, now: now) }
      for index in running.indices where running[index].session.isWaitingForBytes {
        running[index].deadline = now + DurationRun.patience
      }
      running.removeAll { found[$0.number] != nil }
      pool.reap()
    }
    return stories.indices.map { found[$0] ?? .success(nil) }
  }

  private func startMore() {
    while running.count < ChildProcess.processors, next < stories.count {
      defer { next += 1 }
      do {
        let (resource, opener) = try bytes.open(stories[next])
        running.append(try start(next, resource, opener))
      } catch {
        found[next] = .failure(error)
      }
    }
  }

  private func start(
    _ number: Int, _ resource: any Resource, _ opener: any ResourceOpener
  ) throws(ResourceError) -> Task {
    do {
      let session = try DecoderSession(
        from: pool, decoding: resource, opener: opener,
        shape: PictureRequest(width: 16, height: 16))
      return Task(number: number, session: session, deadline: .now + DurationRun.patience)
    } catch {
      throw ResourceError("the decoder does not start: \(error.reason)")
    }
  }

  private func service(_ task: Task, _ readiness: Readiness, now: Instant) {
    var finding: Finding?
    for event in task.session.service(readiness, now: now) where finding == nil {
      switch event {
      case .opened(let info): finding = .success(info.duration)
      case .failed(let reason): finding = .failure(ResourceError(reason))
      case .ended: finding = .success(nil)
      case .picture, .sound, .soundEnded, .note, .parts: break
      }
    }
    if finding == nil, now >= task.deadline {
      finding = .failure(ResourceError("the decoder hangs"))
    }
    guard let finding else { return }
    found[task.number] = finding
    task.session.close()
  }
}
