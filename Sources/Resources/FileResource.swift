import Addresses
import Glibc
import Synchronization
import System

/// A regular file as a resource. The file may be replaced or cut while it is read: what is read
/// then is what is there.
///
/// It is opened and read on a thread of its own, because a network mount or a FUSE file system may
/// hang: that keeps this file's readers waiting, and nothing else. What the kernel has in its page
/// cache is read at once, without the thread. The answers come when `Network.deliver` is called.
public final class FileResource: Resource {
  private enum State {
    case opening
    case open(OpenFile)
    case failed(ResourceError)
  }

  /// So many files that nobody wants any more may still be in a call that hangs.
  static let mostAbandoned = 64

  public private(set) var info: ContentInfo?
  public let ending: String
  private var state = State.opening
  private let reads: FileReads
  let thread: FileThread
  /// Reads that wait for the file to be open, in turn.
  private var waiting: [() -> Void] = []
  private var openingAnswers: [(ResourceError?) -> Void] = []
  private var opening: UInt64?
  /// Reads that the thread has not answered.
  private var pending: Set<UInt64> = []

  /// Opens a regular file; directories, FIFOs and devices are refused without waiting for them.
  convenience init(path: String, reads: FileReads) throws(ResourceError) {
    try self.init(path: path, reads: reads) { () throws(ResourceError) in
      try OpenFile(path: path)
    }
  }

  /// - Parameters:
  ///   - path: only its ending is looked at.
  ///   - open: opens the file, on its thread.
  init(
    path: String, reads: FileReads, open: @escaping @Sendable () throws(ResourceError) -> OpenFile
  ) throws(ResourceError) {
    guard reads.mailbox.abandoned < FileResource.mostAbandoned else {
      throw ResourceError("too many files do not answer")
    }
    ending = FileName.ending(of: path)
    self.reads = reads
    do {
      thread = try FileThread(reads.mailbox)
    } catch {
      throw ResourceError("cannot be opened: \(error.reason)")
    }
    let number = reads.expect { [weak self] outcome in
      if case .opened(let result) = outcome { self?.opened(result) }
    }
    opening = number
    thread.send(.open(number: number, open))
  }

  deinit {
    for number in pending { reads.forget(number) }
    if let opening { reads.forget(opening) }
    // The thread is the last to have the file, as closing it may hang too.
    state = .opening
    thread.stop()
  }

  private func opened(_ result: Result<OpenFile, ResourceError>) {
    opening = nil
    switch result {
    case .success(let file):
      info = ContentInfo(length: file.length)
      state = .open(file)
    case .failure(let error): state = .failed(error)
    }
    let answers = openingAnswers
    openingAnswers = []
    for answer in answers { whenOpened(answer) }
    let ready = waiting
    waiting = []
    for next in ready { next() }
  }

  public func whenOpened(_ answer: @escaping (ResourceError?) -> Void) {
    switch state {
    case .opening: openingAnswers.append(answer)
    case .open: answer(nil)
    case .failed(let error): answer(error)
    }
  }

  public func read(
    offset: UInt64, length: Int, answer: @escaping (Result<[UInt8], ResourceError>) -> Void
  ) {
    switch state {
    case .opening:
      waiting.append { [weak self] in
        self?.read(offset: offset, length: length, answer: answer)
      }
    case .failed(let error): answer(.failure(error))
    case .open(let file):
      if let bytes = file.readCached(offset: offset, length: length) {
        return answer(.success(bytes))
      }
      let number = reads.expect { [weak self] outcome in
        guard case .read(let number, let result) = outcome, let self,
          pending.remove(number) != nil
        else { return }
        answer(result)
      }
      pending.insert(number)
      thread.send(.read(number: number, file, offset: offset, length: length))
    }
  }

  public func cancel() {
    for number in pending { reads.forget(number) }
    pending = []
    waiting = []
    let answers = openingAnswers
    openingAnswers = []
    for answer in answers { answer(ResourceError("it is not wanted any more")) }
  }
}

/// A regular file that is open for reading.
final class OpenFile: Sendable {
  private let descriptor: Descriptor
  /// In bytes, when it was opened.
  let length: UInt64

  init(path: String) throws(ResourceError) {
    do {
      descriptor = try Descriptor.open(reading: path)
    } catch {
      throw ResourceError(error.code == ENOENT ? "no such file" : error.reason.lowercasedFirst)
    }
    var status = stat()
    guard fstat(descriptor.number, &status) == 0 else { throw ResourceError("cannot be examined") }
    switch status.st_mode & S_IFMT {
    case S_IFREG: length = UInt64(max(0, status.st_size))
    case S_IFDIR: throw ResourceError("is a directory")
    default: throw ResourceError("not a regular file")
    }
  }

  /// Reads a range that is in memory already; nil where a disk or server would be waited for.
  func readCached(offset: UInt64, length: Int) -> [UInt8]? {
    descriptor.readCached(at: offset, count: length)
  }

  func read(offset: UInt64, length: Int) throws(ResourceError) -> [UInt8] {
    do {
      return try descriptor.read(at: offset, count: length)
    } catch {
      throw ResourceError(error.reason.lowercasedFirst)
    }
  }
}

/// What the threads of files have done, on its way to the loop.
final class FileMailbox: Sendable {
  enum Outcome: Sendable {
    case opened(Result<OpenFile, ResourceError>)
    case read(number: UInt64, Result<[UInt8], ResourceError>)
  }

  private let outcomes = Mutex<[(number: UInt64, outcome: Outcome)]>([])
  private let waker: Waker
  private let stopping = Atomic(0)

  init(_ waker: Waker) { self.waker = waker }

  /// Threads that were stopped and have not ended yet.
  var abandoned: Int { stopping.load(ordering: .relaxed) }
  func noteStop() { stopping.add(1, ordering: .relaxed) }
  func noteEnd() { stopping.subtract(1, ordering: .relaxed) }

  func post(_ outcome: Outcome, of number: UInt64) {
    outcomes.withLock { $0.append((number, outcome)) }
    waker.wake()
  }

  func take() -> [(number: UInt64, outcome: Outcome)] {
    outcomes.withLock { outcomes in
      defer { outcomes = [] }
      return outcomes
    }
  }
}

/// The reads of files that the loop waits for.
final class FileReads {
  let mailbox: FileMailbox
  private var expected: [UInt64: (FileMailbox.Outcome) -> Void] = [:]
  private var nextNumber: UInt64 = 0

  /// - Parameter waker: woken when there is something to deliver.
  init(_ waker: Waker) { mailbox = FileMailbox(waker) }

  /// Gives out a number, whose outcome is passed to `answer` on the loop.
  func expect(_ answer: @escaping (FileMailbox.Outcome) -> Void) -> UInt64 {
    nextNumber += 1
    expected[nextNumber] = answer
    return nextNumber
  }

  func forget(_ number: UInt64) { expected[number] = nil }

  func deliver() {
    for (number, outcome) in mailbox.take() { expected.removeValue(forKey: number)?(outcome) }
  }
}

/// Opens and reads one file, in turn. It is not waited for when it is stopped: a call that hangs ends
/// when its file system answers, or with the program.
final class FileThread: Sendable {
  enum Command: Sendable {
    case open(number: UInt64, @Sendable () throws(ResourceError) -> OpenFile)
    case read(number: UInt64, OpenFile, offset: UInt64, length: Int)
  }

  private struct State {
    var commands: [Command] = []
    var isStopped = false
  }

  private let state = Mutex(State())
  private let waker: Waker
  private let mailbox: FileMailbox

  init(_ mailbox: FileMailbox) throws(SystemError) {
    self.mailbox = mailbox
    waker = try Waker()
    _ = try WorkerThread { [self] in run() }
  }

  func send(_ command: Command) {
    state.withLock { $0.commands.append(command) }
    waker.wake()
  }

  func stop() {
    mailbox.noteStop()
    state.withLock { $0 = State(isStopped: true) }
    waker.wake()
  }

  private func run() {
    var file: OpenFile?
    while true {
      let (command, isStopped) = state.withLock { state in
        (state.commands.isEmpty ? nil : state.commands.removeFirst(), state.isStopped)
      }
      if isStopped { return end(&file) }
      guard let command else {
        _ = try? awaitReadiness(of: [Interest(waker.number)], until: nil)
        waker.silence()
        continue
      }
      switch command {
      case .open(let number, let open):
        let result = Result { () throws(ResourceError) in try open() }
        file = try? result.get()
        mailbox.post(.opened(result), of: number)
      case .read(let number, let file, let offset, let length):
        let result = Result { () throws(ResourceError) in
          try file.read(offset: offset, length: length)
        }
        mailbox.post(.read(number: number, result), of: number)
      }
    }
  }

  /// Closes the file once the loop, which is about to let go of it, has done so.
  private func end(_ file: inout OpenFile?) {
    while file != nil, !isKnownUniquelyReferenced(&file) { usleep(1_000) }
    file = nil
    mailbox.noteEnd()
  }
}

extension Network {
  /// Opens a file of this machine; that it cannot be opened is the answer to its first read.
  ///
  /// - Throws: where there is no thread for it.
  public func open(file path: String) throws(ResourceError) -> FileResource {
    try FileResource(path: path, reads: files)
  }
}

/// Lets a local playlist name regular files in its own directory and below it, and nothing else.
public final class LocalOpener: ResourceOpener {
  private let network: Network
  private let root: String

  /// An opener for what the file at this absolute path names.
  ///
  /// - Parameter network: on whose loop the files are read.
  public init(_ network: Network, playlist path: String) {
    self.network = network
    root = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
  }

  public func open(_ reference: String) throws(ResourceError) -> any Resource {
    let refusal = ResourceError("a playlist may only name files beside it")
    guard let path = localPath(of: reference), !path.isEmpty else { throw refusal }
    let whole = path.hasPrefix("/") ? path : root + "/" + path
    let folder = root.isEmpty ? "/" : root
    return try FileResource(path: whole, reads: network.files) { () throws(ResourceError) in
      guard let real = Paths.canonical(whole) else {
        throw ResourceError("a part of it is missing")
      }
      guard let realRoot = Paths.canonical(folder),
        real.hasPrefix(realRoot.hasSuffix("/") ? realRoot : realRoot + "/")
      else { throw refusal }
      return try OpenFile(path: real)
    }
  }

  /// The path of a relative reference or a file URL; nil for any other scheme.
  private func localPath(of reference: String) -> String? {
    for start in ["file://", "file:"] where reference.hasPrefix(start) {
      return PercentCoding.decodedText(reference.dropFirst(start.count))
    }
    let colon = reference.firstIndex(of: ":") ?? reference.endIndex
    let slash = reference.firstIndex(of: "/") ?? reference.endIndex
    return colon < slash ? nil : reference
  }
}

extension String {
  /// Kernel words in the middle of a sentence of ours.
  fileprivate var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
}
