import Decoders
import Feeds
import Glibc
import Stories
import Synchronization
import System

/// How a folder is served.
public struct ServeOptions: Sendable {
  public var directory: String
  public var listen = ListenAddress(host: "127.0.0.1", port: 8080)
  public var tokenFile: String?
  /// Tells how long media are; without it nobody does.
  public var decoder: DecoderProgram?

  public init(directory: String) { self.directory = directory }
}

/// Offers a folder over HTTP until a signal ends it.
///
/// The loop of the calling thread watches the folder, reads it anew, asks decoders for durations and
/// publishes what is offered; requests are answered on the HTTP library's threads, which read that.
public final class FolderServer {
  /// Changes that come one after another are read together: after so much quiet, and at the latest
  /// after so long.
  private static let quiet = Duration.milliseconds(150)
  private static let latest = Duration.seconds(1)
  /// Durations are published together.
  private static let publishing = Duration.milliseconds(500)
  /// How long answers may still take after the signal to end.
  private static let draining = Duration.seconds(5)
  /// How often files that are being sent are looked at: the kernel does not tell of one that was cut.
  private static let watching = Duration.milliseconds(100)

  private let files: ServedFiles
  private var scanner: FolderScanner
  private var inventory: FolderInventory
  private let prober: Prober?
  private let site: Site
  private let http: Microhttpd
  private let log: AccessLog
  private let questions: Questions
  /// Wakes when an answer has ended, or a file is begun to be sent.
  private let answered: Waker
  /// The URL of what is served, without a path.
  public let url: String
  /// Whether everybody who can reach this machine may ask.
  public let isOpenToAll: Bool
  private var changedSince: (first: Instant, last: Instant)?
  private var unpublishedSince: Instant?

  /// Reads the folder and begins to listen; nothing is answered before `run`.
  ///
  /// - Parameter output: takes the lines of the access log; false when nobody reads them any more.
  public convenience init(
    _ options: ServeOptions, output: @escaping @Sendable (String) -> Bool
  ) throws(ServerError) {
    try self.init(options, limits: Microhttpd.Limits(), watches: true, output: output)
  }

  init(
    _ options: ServeOptions, limits: Microhttpd.Limits, watches: Bool,
    output: @escaping @Sendable (String) -> Bool
  ) throws(ServerError) {
    let token = try options.tokenFile.map(AccessToken.read)
    let folder: RootedFolder
    do {
      folder = try RootedFolder(options.directory)
      answered = try Waker()
      questions = Questions(waker: try Waker())
      log = try AccessLog(output: output)
    } catch {
      throw .directory(path: options.directory, reason: error.inWords)
    }
    files = ServedFiles(folder: folder, watch: watches ? try? FolderWatch() : nil)
    scanner = FolderScanner(files: files)
    do {
      inventory = try scanner.scan()
    } catch {
      throw .directory(path: options.directory, reason: error.reason)
    }
    prober = options.decoder.map { Prober(folder: folder, program: $0) }
    prober?.want(inventory)
    let socket: ListeningSocket
    do {
      socket = try ListeningSocket(options.listen)
    } catch {
      throw .address(options.listen.description, reason: FolderServer.words(error))
    }
    url = "http://\(FolderServer.name(of: socket.address))"
    isOpenToAll = !socket.isLoopback && token == nil
    let site = Site(
      folder: folder, token: token,
      ownNames: socket.isLoopback && token == nil ? OwnNames(listening: options.listen.host) : nil,
      ownAddress: socket.address.description, offer: Offer(inventory, [:]), refresh: questions.ask)
    self.site = site
    questions.isNeeded = files.watch == nil
    http = try FolderServer.listen(socket, site, log, answered, limits)
  }

  private static func listen(
    _ socket: consuming ListeningSocket, _ site: Site, _ log: AccessLog, _ answered: Waker,
    _ limits: Microhttpd.Limits
  ) throws(ServerError) -> Microhttpd {
    let calls = Microhttpd.Calls(
      answer: { site.answer($0) }, began: { answered.wake() },
      ended: {
        log.write($0)
        answered.wake()
      })
    do {
      let http = try Microhttpd(limits: limits, calls: calls)
      try http.start(on: socket)
      return http
    } catch {
      throw .library(reason: error.reason)
    }
  }

  /// An address that others can be told: for all addresses of this machine, its name.
  private static func name(of address: ListenAddress) -> ListenAddress {
    guard ["0.0.0.0", "::"].contains(address.host), let name = Machine.name else { return address }
    return ListenAddress(host: name, port: address.port)
  }

  private static func words(_ error: SystemError) -> String {
    switch error.code {
    case EADDRINUSE: "another program listens there; choose another port with --listen"
    case EACCES: "ports below 1024 are for root; choose another one with --listen"
    case EADDRNOTAVAIL: "this machine has no such address"
    default: error.inWords
    }
  }

  /// What was left out of the folder, with reasons.
  public var skipped: [Skipped] { inventory.skipped }
  public var title: String { inventory.title }
  public var storyCount: Int { inventory.items.count }
  /// Whether changes are told by the kernel; else the folder is checked when somebody asks.
  public var isWatching: Bool { files.watch != nil }
  /// The folder without symbolic links.
  public var directory: String { files.folder.path }

  /// Serves until a signal to end comes; lets answers that are under way come to their end.
  public func run(_ signals: Signals) throws(ServerError) {
    defer { close() }
    do {
      while true {
        try turn(extra: Interest(signals.descriptor))
        for signal in signals.take() {
          switch signal {
          case .interrupt, .terminate, .hangUp: return try drain(signals)
          case .stop: Signals.stopSelf()
          case .proceed, .windowChanged, .childEnded: break
          }
        }
      }
    } catch {
      throw .directory(path: files.folder.path, reason: error.inWords)
    }
  }

  /// Waits for something to happen, and deals with it.
  func turn(extra: Interest) throws(SystemError) {
    var interests = [extra, Interest(questions.number), Interest(answered.number)]
    if let watch = files.watch { interests.append(Interest(watch.number)) }
    let probing = prober?.interest
    if let probing { interests.append(probing) }
    let ready = try awaitReadiness(of: interests, until: deadline(now: .now))
    let now = Instant.now
    answered.silence()
    if files.watch?.take() == true {
      changedSince = (changedSince?.first ?? now, now)
    }
    if questions.areAsked || isQuiet(now: now) { rescan() }
    if let prober, prober.step(probing == nil ? nil : ready[interests.count - 1], now: now) {
      unpublishedSince = unpublishedSince ?? now
    }
    if let since = unpublishedSince,
      prober?.isBusy != true || now - since >= FolderServer.publishing
    {
      publish()
    }
    http.cutTheSlow(now: now)
    http.cutTheShortened()
  }

  private func deadline(now: Instant) -> Instant {
    // Slow clients are looked for each second.
    var deadline = now + (http.isSendingFiles ? FolderServer.watching : .seconds(1))
    if let changedSince { deadline = min(deadline, changedSince.last + FolderServer.quiet) }
    if let until = prober?.deadline { deadline = min(deadline, until) }
    if let unpublishedSince {
      deadline = min(deadline, unpublishedSince + FolderServer.publishing)
    }
    return prober?.isBusy == true && prober?.interest == nil ? now : deadline
  }

  private func isQuiet(now: Instant) -> Bool {
    guard let changedSince else { return false }
    return now - changedSince.last >= FolderServer.quiet
      || now - changedSince.first >= FolderServer.latest
  }

  private func rescan() {
    changedSince = nil
    questions.answer {
      // A folder that cannot be read any more keeps what it last had: requests tell.
      guard let found = try? scanner.scan() else { return }
      questions.isNeeded = files.watch == nil
      guard found != inventory else { return }
      inventory = found
      prober?.want(found)
      publish()
    }
  }

  private func publish() {
    unpublishedSince = nil
    site.publish(Offer(inventory, prober?.findings ?? [:]))
  }

  private func drain(_ signals: Signals) throws(SystemError) {
    http.refuseNewcomers()
    let end = Instant.now + FolderServer.draining
    while http.answering > 0, Instant.now < end {
      _ = try awaitReadiness(
        of: [Interest(signals.descriptor), Interest(answered.number)],
        until: min(end, http.isSendingFiles ? .now + FolderServer.watching : end))
      answered.silence()
      http.cutTheShortened()
      // Once more means now.
      let hurry: [Signals.Signal] = [.interrupt, .terminate, .hangUp]
      if signals.take().contains(where: hurry.contains) { return }
    }
  }

  /// Ends all that runs.
  func close() {
    questions.close()
    http.stop()
    prober?.close()
    log.close()
  }
}

/// Threads that answer ask the loop to look at the folder first, where the kernel does not tell it
/// of changes.
private final class Questions: Sendable {
  private struct State {
    var isNeeded = false
    var isClosed = false
    var lastAnswer: Instant?
    var waiting: [Waker] = []
  }

  /// What was found is believed for so long.
  private static let freshness = Duration.milliseconds(500)
  private static let patience = Duration.seconds(5)

  private let waker: Waker
  private let state = Mutex(State())

  init(waker: Waker) { self.waker = waker }

  var number: Int32 { waker.number }

  var isNeeded: Bool {
    get { state.withLock { $0.isNeeded } }
    set { state.withLock { $0.isNeeded = newValue } }
  }

  /// Whether somebody waits; called by the loop.
  var areAsked: Bool {
    waker.silence()
    return state.withLock { !$0.waiting.isEmpty }
  }

  /// Waits until the folder was looked at, unless that has just been done.
  func ask() {
    let isIdle = state.withLock { state in
      !state.isNeeded || state.isClosed
        || state.lastAnswer.map { Instant.now - $0 < Questions.freshness } ?? false
    }
    guard !isIdle, let own = try? Waker() else { return }
    state.withLock { $0.waiting.append(own) }
    waker.wake()
    _ = try? awaitReadiness(of: [Interest(own.number)], until: .now + Questions.patience)
  }

  /// Does what was asked for, and lets go on those that had asked before it began.
  func answer(_ work: () -> Void) {
    let asked = state.withLock { state in
      defer { state.waiting = [] }
      return state.waiting
    }
    work()
    state.withLock { $0.lastAnswer = .now }
    for waker in asked { waker.wake() }
  }

  /// Nobody waits any more.
  func close() {
    let asked = state.withLock { state in
      state.isClosed = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for waker in asked { waker.wake() }
  }
}
