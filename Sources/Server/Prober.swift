import DecoderLink
import Decoders
import Resources
import Stories
import System

/// Finds out the durations of media with sandboxed decoders, one after another, on its owner's
/// loop.
final class Prober {
  /// How long a decoder may take to open a file before it is ended.
  private static let patience = Duration.seconds(10)

  private struct Task {
    let path: String
    let status: FileStatus
    let isAnimation: Bool
  }

  private let folder: RootedFolder
  private let pool: DecoderPool
  private var waiting: [Task] = []
  private var running: (task: Task, session: DecoderSession, deadline: Instant)?
  /// By path. Failures are kept too, and not tried again until the file changes.
  private var known: [String: (status: FileStatus, finding: Finding)] = [:]

  init(folder: RootedFolder, program: DecoderProgram) {
    self.folder = folder
    pool = DecoderPool(program: program)
  }

  /// Findings about the current state of the files, by path.
  private(set) var findings: [String: Finding] = [:]

  var isBusy: Bool { running != nil || !waiting.isEmpty }

  /// Sets the files to probe; others are forgotten.
  func want(_ inventory: FolderInventory) {
    var tasks = inventory.items.filter { $0.kind != .picture }.map {
      Task(path: $0.path, status: $0.status, isAnimation: false)
    }
    tasks += inventory.animations.filter { $0.type != MediaType.animation }.map {
      Task(path: $0.path, status: $0.status, isAnimation: true)
    }
    var kept: [String: (status: FileStatus, finding: Finding)] = [:]
    waiting = []
    for task in tasks {
      if let found = known[task.path], found.status == task.status {
        kept[task.path] = found
      } else if running?.task.path != task.path || running?.task.status != task.status {
        waiting.append(task)
      }
    }
    waiting.reverse()
    known = kept
    findings = kept.mapValues(\.finding)
  }

  /// What to wait for; nil where no decoder runs.
  var interest: Interest? {
    running.map { Interest($0.session.descriptor, writing: $0.session.wantsToWrite) }
  }

  /// When `step` must be called even if nothing is ready.
  var deadline: Instant? { running?.deadline }

  /// Does what can be done without waiting; gives whether there is a new finding.
  func step(_ readiness: Readiness?, now: Instant) -> Bool {
    var isNew = false
    pool.reap()
    if let (task, session, deadline) = running {
      let events = readiness.map { session.service($0, now: now) } ?? []
      var finding: Finding?
      for event in events {
        switch event {
        case .opened(let info): finding = Prober.finding(info, isAnimation: task.isAnimation)
        case .failed, .ended: finding = finding ?? Finding()
        case .picture, .sound, .soundEnded, .parts, .note: break
        }
      }
      if finding == nil, now >= deadline { finding = Finding() }
      if let finding {
        session.close()
        running = nil
        known[task.path] = (task.status, finding)
        findings[task.path] = finding
        isNew = true
      }
    }
    while running == nil, let task = waiting.popLast() { start(task, now: now) }
    // There may be nothing to ask for weeks.
    if !isBusy { pool.close() }
    return isNew
  }

  private func start(_ task: Task, now: Instant) {
    guard let resource = try? OpenedFile(folder, task.path),
      let session = try? DecoderSession(
        from: pool, decoding: resource, opener: nil, shape: PictureRequest(width: 16, height: 16))
    else { return }
    running = (task, session, now + Prober.patience)
  }

  private static func finding(_ info: MediaInfo, isAnimation: Bool) -> Finding {
    let parts = info.duration?.components
    let seconds = parts.map { Double($0.seconds) + Double($0.attoseconds) / 1e18 }
    guard isAnimation else {
      return Finding(durationS: seconds.flatMap { $0 > 0 ? $0 : nil }, facts: nil)
    }
    let frames = seconds.flatMap { seconds in
      info.frameRate.map { Int((seconds * $0).rounded()) }
    }
    return Finding(
      durationS: nil,
      facts: AnimationFacts(
        width: Int(info.displayWidth), height: Int(info.displayHeight), fps: info.frameRate,
        frames: frames))
  }

  /// Ends the decoders.
  func close() {
    running?.session.close()
    running = nil
    waiting = []
    pool.close()
  }
}

/// A file of the served folder as a decoder's resource.
private final class OpenedFile: Resource {
  let info: ContentInfo?
  let ending: String
  private let file: Descriptor

  init(_ folder: RootedFolder, _ path: String) throws(SystemError) {
    ending = FileName.fileExtension(of: path)
    file = try folder.open(path)
    info = ContentInfo(length: UInt64(max(0, try FileStatus(of: file).sizeBytes)))
  }

  func read(
    offset: UInt64, length: Int, answer: @escaping (Result<[UInt8], ResourceError>) -> Void
  ) {
    do {
      answer(.success(try file.read(at: offset, count: length)))
    } catch {
      answer(.failure(ResourceError(error.inWords)))
    }
  }

  func cancel() {}
}
