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
  /// Finds out the durations of media; without it they are unknown.
  public var decoder: DecoderProgram?

  public init(directory: String) { self.directory = directory }
}

/// Serves a folder over HTTP until a signal ends it.
///
/// The loop on the calling thread watches the folder, reads it again, asks decoders for durations
/// and publishes the offer. Requests are answered on the HTTP library's threads, which read that
/// offer.
public final class FolderServer {
  /// A series of changes is read together: when there was no change for `quiet`, or `latest` after
  /// the first at the latest.
  private static let quiet = Duration.milliseconds(150)
  private static let latest = Duration.seconds(1)
  /// How long durations are collected before they are published.
  private static let publishing = Duration.milliseconds(500)
  /// How long unfinished answers may take after the signal to end.
  private static let draining = Duration.seconds(5)
  /// How often files that are being sent are checked: the kernel does not report that one was
  /// truncated.
  private static let watching = Duration.milliseconds(100)

  private let files: ServedFiles
  private var scanner: FolderScanner
  private var inventory: FolderInventory
  private let prober: Prober?
  private let site: Site
  private let http: Microhttpd
  private let log: AccessLog
  private let refreshRequests: RefreshRequests
  /// Wakes when an answer has ended or a file begins to be sent.
  private let answered: Waker
  /// The URL of the server, without a path.
  public let url: String
  /// Whether other machines can reach it and no token is asked for.
  public let isOpenWithoutToken: Bool
  private var changedSince: (first: Instant, last: Instant)?
  private var unpublishedSince: Instant?

  /// Reads the folder and begins to listen; nothing is answered before `run`.
  ///
  /// - Parameter accessLog: writes lines of the access log; returns false when nobody reads them any
  ///   more.
  public convenience init(
    _ options: ServeOptions, accessLog: @escaping @Sendable (String) -> Bool
  ) throws(ServerError) {
    try self.init(options, limits: Microhttpd.Limits(), watches: true, accessLog: accessLog)
  }

  init(
    _ options: ServeOptions, limits: Microhttpd.Limits, watches: Bool,
    accessLog: @escaping @Sendable (String) -> Bool
  ) throws(ServerError) {
    let token = try options.tokenFile.map(AccessToken.read)
    let folder: RootedFolder
    do {
      folder = try RootedFolder(options.directory)
      answered = try Waker()
      refreshRequests = RefreshRequests(waker: try Waker())
      log = try AccessLog(output: accessLog)
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
    isOpenWithoutToken = !socket.isLoopback && token == nil
    let site = Site(
      folder: folder, token: token,
      ownNames: socket.isLoopback && token == nil ? OwnNames(listening: options.listen.host) : nil,
      ownAddress: socket.address.description, offer: Offer(inventory, [:]),
      refresh: refreshRequests.ask)
    self.site = site
    refreshRequests.isNeeded = files.watch == nil
    http = try FolderServer.listen(socket, site, log, answered, limits)
  }

  private static func listen(
    _ socket: consuming ListeningSocket, _ site: Site, _ log: AccessLog, _ answered: Waker,
    _ limits: Microhttpd.Limits
  ) throws(ServerError) -> Microhttpd {
    let callbacks = Microhttpd.Callbacks(
      answer: { site.answer($0) }, fileBegan: { answered.wake() },
      requestEnded: {
        log.write($0)
        answered.wake()
      })
    do {
      let http = try Microhttpd(limits: limits, callbacks: callbacks)
      try http.start(on: socket)
      return http
    } catch {
      throw .library(reason: error.reason)
    }
  }

  /// An address that other machines can use: this machine's name instead of the wildcard address.
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

  /// Files that were left out, with reasons.
  public var skipped: [Skipped] { inventory.skipped }
  public var title: String { inventory.title }
  public var storyCount: Int { inventory.items.count }
  /// Whether the kernel reports changes; otherwise the folder is checked when a request comes.
  public var isWatching: Bool { files.watch != nil }
  /// The folder without symbolic links.
  public var directory: String { files.folder.path }

  /// Serves until a signal to end comes, and then lets unfinished answers end.
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

  /// Waits for one event and handles it.
  func turn(extra: Interest) throws(SystemError) {
    var interests = [extra, Interest(refreshRequests.number), Interest(answered.number)]
    if let watch = files.watch { interests.append(Interest(watch.number)) }
    let probing = prober?.interest
    if let probing { interests.append(probing) }
    let ready = try awaitReadiness(of: interests, until: deadline(now: .now))
    let now = Instant.now
    answered.silence()
    if files.watch?.take() == true {
      changedSince = (changedSince?.first ?? now, now)
    }
    if refreshRequests.arePending || isQuiet(now: now) { rescan() }
    if let prober, prober.step(probing == nil ? nil : ready[interests.count - 1], now: now) {
      unpublishedSince = unpublishedSince ?? now
    }
    if let since = unpublishedSince,
      prober?.isBusy != true || now - since >= FolderServer.publishing
    {
      publish()
    }
    http.closeSlow(now: now)
    http.closeShortened()
  }

  private func deadline(now: Instant) -> Instant {
    // Slow clients are checked for once a second.
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
    refreshRequests.answer {
      // If the folder cannot be read any more, the last offer stays; requests for its files then
      // fail.
      guard let found = try? scanner.scan() else { return }
      refreshRequests.isNeeded = files.watch == nil
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
    http.stopAccepting()
    let end = Instant.now + FolderServer.draining
    while http.answering > 0, Instant.now < end {
      _ = try awaitReadiness(
        of: [Interest(signals.descriptor), Interest(answered.number)],
        until: min(end, http.isSendingFiles ? .now + FolderServer.watching : end))
      answered.silence()
      http.closeShortened()
      // A second signal ends at once.
      let hurry: [Signals.Signal] = [.interrupt, .terminate, .hangUp]
      if signals.take().contains(where: hurry.contains) { return }
    }
  }

  /// Ends all threads and processes.
  func close() {
    refreshRequests.close()
    http.stop()
    prober?.close()
    log.close()
  }
}

/// With this, threads that answer requests ask the loop to check the folder first, where the kernel
/// does not report changes.
private final class RefreshRequests: Sendable {
  private struct State {
    var isNeeded = false
    var isClosed = false
    var lastAnswer: Instant?
    var waiting: [Waker] = []
  }

  /// How long the result of a check is used.
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

  /// Whether a thread waits for an answer; called by the loop.
  var arePending: Bool {
    waker.silence()
    return state.withLock { !$0.waiting.isEmpty }
  }

  /// Waits until the folder was checked, unless that was just done.
  func ask() {
    let isIdle = state.withLock { state in
      !state.isNeeded || state.isClosed
        || state.lastAnswer.map { Instant.now - $0 < RefreshRequests.freshness } ?? false
    }
    guard !isIdle, let own = try? Waker() else { return }
    state.withLock { $0.waiting.append(own) }
    waker.wake()
    _ = try? awaitReadiness(of: [Interest(own.number)], until: .now + RefreshRequests.patience)
  }

  /// Does the work, and then wakes the threads that had asked before it began.
  func answer(_ work: () -> Void) {
    let asked = state.withLock { state in
      defer { state.waiting = [] }
      return state.waiting
    }
    work()
    state.withLock { $0.lastAnswer = .now }
    for waker in asked { waker.wake() }
  }

  /// Ends all waiting.
  func close() {
    let asked = state.withLock { state in
      state.isClosed = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for waker in asked { waker.wake() }
  }
}
