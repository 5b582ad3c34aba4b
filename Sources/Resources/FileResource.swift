import Addresses
import Glibc
import Synchronization
import System

/// A regular file as a resource. The file may be replaced or cut while it is read; its bytes are
/// then those at the time of each read.
///
/// It is opened and read on a thread of its own, because a network mount or a FUSE file system may
/// hang: then only this file's readers wait. Bytes in the kernel's page cache are read at once,
/// without the thread. The answers come when `Network.deliver` is called.
public final class FileResource: Resource {
  private enum State {
    case opening
    case open(OpenFile)
    case failed(ResourceError)
  }

  /// At most this many unused files may still be in a call that hangs.
  static let mostAbandoned = 64

  public private(set) var info: ContentInfo?
  public let ending: String
  private var state = State.opening
  private let reads: FileReads
  let thread: FileThread
  /// Reads that wait until the file is open, in order.
  private var waiting: [() -> Void] = []
  private var openingAnswers: [(ResourceError?) -> Void] = []
  /// Reads that the thread has, in order; nil for those that are not wanted any more.
  private var pending: [((Result<[UInt8], ResourceError>) -> Void)?] = []

  /// Opens a regular file; directories, FIFOs and devices are refused without waiting for them.
  convenience init(path: String, reads: FileReads) throws(ResourceError) {
    try self.init(path: path, reads: reads) { () throws(ResourceError) in
      try OpenFile(path: path)
    }
  }

  /// - Parameters:
  ///   - path: only its extension is used.
  ///   - open: opens the file, on its thread.
  init(
    path: String, reads: FileReads, open: @escaping @Sendable () throws(ResourceError) -> OpenFile
  ) throws(ResourceError) {
    guard reads.abandoned.count < FileResource.mostAbandoned else {
      throw ResourceError("too many files do not answer")
    }
    ending = FileName.fileExtension(of: path)
    self.reads = reads
    do {
      thread = try FileThread(reads.waker, reads.abandoned)
    } catch {
      throw ResourceError("cannot be opened: \(error.reason)")
    }
    reads.add(self)
    thread.mailbox.send(.open(open))
  }

  deinit {
    reads.remove(self)
    // The thread releases the file last, because closing it may hang too.
    state = .opening
    thread.stop()
  }

  /// Takes the results of the thread.
  fileprivate func deliver() {
    for outcome in thread.mailbox.takeEvents() {
      switch outcome {
      case .opened(let result): opened(result)
      case .read(let result): pending.removeFirst()?(result)
      }
    }
  }

  private func opened(_ result: Result<OpenFile, ResourceError>) {
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
      pending.append(answer)
      thread.mailbox.send(.read(offset: offset, length: length))
    }
  }

  public func cancel() {
    pending = pending.map { _ in nil }
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

  /// Reads a range that is in memory already; nil if a disk or server would be waited for.
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

/// The files that are read on the loop.
final class FileReads {
  let waker: Waker
  let abandoned = AbandonedThreads()
  private var files: [ObjectIdentifier: () -> FileResource?] = [:]

  /// - Parameter waker: woken when there is something to deliver.
  init(_ waker: Waker) { self.waker = waker }

  func add(_ file: FileResource) { files[ObjectIdentifier(file)] = { [weak file] in file } }
  func remove(_ file: FileResource) { files[ObjectIdentifier(file)] = nil }

  func deliver() {
    // An answer may release files, and open others.
    for file in files.values.compactMap({ $0() }) { file.deliver() }
  }
}

/// Counts threads that were stopped and have not ended yet.
final class AbandonedThreads: Sendable {
  private let number = Atomic(0)
  var count: Int { number.load(ordering: .relaxed) }
  func add(_ change: Int) { number.add(change, ordering: .relaxed) }
}

/// Opens and reads one file, one call after the other. Stopping it does not wait: a call that hangs
/// ends when its file system answers, or with the program.
final class FileThread: Sendable {
  enum Command: Sendable {
    case open(@Sendable () throws(ResourceError) -> OpenFile)
    case read(offset: UInt64, length: Int)
  }

  enum Outcome: Sendable {
    case opened(Result<OpenFile, ResourceError>)
    case read(Result<[UInt8], ResourceError>)
  }

  let mailbox: Mailbox<Command, Outcome>
  private let abandoned: AbandonedThreads
  private let isStopped = Atomic(false)

  init(_ owner: Waker, _ abandoned: AbandonedThreads) throws(SystemError) {
    self.abandoned = abandoned
    mailbox = try Mailbox(owner: owner)
    _ = try WorkerThread { [self] in run() }
  }

  /// Ends it after the present call.
  func stop() {
    abandoned.add(1)
    isStopped.store(true, ordering: .releasing)
    mailbox.thread.wake()
  }

  private func run() {
    var file: OpenFile?
    while !isStopped.load(ordering: .acquiring) {
      for command in mailbox.takeCommands() where !isStopped.load(ordering: .acquiring) {
        mailbox.post(execute(command, &file))
        mailbox.owner.wake()
      }
      if !isStopped.load(ordering: .acquiring) { mailbox.awaitCommands(until: nil) }
    }
    // Results that were not taken are dropped here, after the loop has released the file.
    _ = mailbox.takeEvents()
    while file != nil, !isKnownUniquelyReferenced(&file) { usleep(1_000) }
    file = nil
    abandoned.add(-1)
  }

  private func execute(_ command: Command, _ file: inout OpenFile?) -> Outcome {
    switch command {
    case .open(let open):
      let result = Result { () throws(ResourceError) in try open() }
      file = try? result.get()
      return .opened(result)
    case .read(let offset, let length):
      return .read(
        Result { [file] () throws(ResourceError) in
          try file?.read(offset: offset, length: length) ?? []
        })
    }
  }
}

extension Network {
  /// Opens a file of this machine; if that fails, the error is the answer to its first read.
  ///
  /// - Throws: if no thread can be made for it.
  public func open(file path: String) throws(ResourceError) -> FileResource {
    try FileResource(path: path, reads: files)
  }
}

/// Lets a local playlist name regular files in its own directory and below it, and nothing else.
public final class LocalOpener: ResourceOpener {
  private let network: Network
  private let playlist: String
  private let root: String

  /// An opener for the references in the file at this absolute path.
  ///
  /// - Parameter network: on whose loop the files are read.
  public init(_ network: Network, playlist path: String) {
    self.network = network
    playlist = path
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

  public func openPart(_ reference: String) throws(ResourceError) -> any Resource {
    try open(reference)
  }

  public func reload(_ reference: String?) throws(ResourceError) -> any Resource {
    guard let reference else { return try network.open(file: playlist) }
    return try open(reference)
  }

  /// Nothing is stored of files.
  public func forget(_: String?) {}

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
  /// Words of the kernel in the middle of a sentence.
  fileprivate var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
}
