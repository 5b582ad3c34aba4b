import Synchronization
import System

/// The loop of the loader's thread. It runs a limited number of transfers at once, by priority, and
/// passes on what arrives.
final class LoaderLoop {
  static let mostTransfers = 4
  static let mostTransfersPerHost = 2

  /// A fetch that is queued or under way.
  final class Fetch {
    enum State {
      case queued
      case running(CurlTransfer)
      case waiting(until: Instant)
      /// It waits for the command that prints a secret.
      case parked
    }

    let number: FetchNumber
    var plan: FetchPlan
    var state = State.queued
    var allowed: UInt64
    /// Whether a viewer waits for it.
    var isUrgent: Bool
    /// Whether a read waits for it; else it only fetches ahead.
    var isAwaited: Bool
    var isPaused = false
    var lastProgress: Instant
    var head = ResponseHead()
    /// A body whose first bytes are checked before it is used.
    var unseen: (head: FetchHead, bytes: [UInt8])?
    var ignoredBytes = 0
    /// The login in the last request.
    var sentLogin: SentLogin?
    /// The scheme of the login that the server has required in this fetch.
    var askedLogin: LoginScheme?
    var triedLogins = 0
    var secretRound = 0
    var account = FetchAccount()

    init(_ number: FetchNumber, plan: FetchPlan, allowed: UInt64) {
      self.number = number
      self.plan = plan
      self.allowed = allowed
      isUrgent = plan.request.isUrgent
      isAwaited = plan.request.isAwaited
      lastProgress = .now
    }

    var isRunning: Bool { if case .running = state { true } else { false } }

    /// Whether it is stopped because of its own side: that may last, and is not the server's fault.
    var givesWay: Bool {
      if case .queued = state { !isUrgent } else { isPaused }
    }

    /// Whether it matters less than another fetch that nobody waits for: first the one that is
    /// stopped, then the one that loses least, then the one that has most to come.
    func isWorthLess(than other: Fetch) -> Bool {
      guard isPaused == other.isPaused else { return isPaused }
      guard plan.costOfEnding == other.plan.costOfEnding else {
        return plan.costOfEnding < other.plan.costOfEnding
      }
      return plan.remaining ?? .max > other.plan.remaining ?? .max
    }
  }

  let options: NetworkOptions
  private let proxies: Proxies
  let mailbox: HTTPLoader.Box
  let traffic: HTTPLoader.Traffic
  private let multi: CurlMulti
  var fetches: [Fetch] = []
  var origins = Origins()
  var secrets: Secrets
  /// Counts the secrets that were renewed.
  var secretRound = 0
  let secretCommands = SecretCommands()
  var renewing: Set<String> = []
  private var hasEvents = false

  init(
    options: NetworkOptions, mailbox: HTTPLoader.Box, traffic: HTTPLoader.Traffic, multi: CurlMulti
  ) {
    self.options = options
    self.multi = multi
    proxies = Proxies { options.usesProxies ? options.environment($0) : nil }
    self.mailbox = mailbox
    self.traffic = traffic
    secrets = Secrets(
      rules: options.hosts, netrc: options.netrc + "\n" + Netrc.text(of: options.netrcFile),
      environment: options.environment)
  }

  func run() {
    while true {
      for command in mailbox.takeCommands() {
        if case .stop = command { return endAll() }
        take(command)
      }
      startWhatMay(now: .now)
      for (transfer, outcome) in multi.perform() { ended(transfer, outcome) }
      if hasEvents {
        hasEvents = false
        mailbox.owner.wake()
      }
      giveUpWhatStandsStill(now: .now)
      startWhatMay(now: .now)
      multi.wait(milliseconds: waitingTime(now: .now), orFor: mailbox.thread.number)
      mailbox.thread.silence()
    }
  }

  private static let patienceAtEnd = Duration.milliseconds(60)

  /// Takes the bytes that servers have sent already, then ends all transfers: none may call back
  /// when this loop is gone.
  private func endAll() {
    let running = fetches.compactMap { fetch -> (Fetch, CurlTransfer)? in
      if case .running(let transfer) = fetch.state { (fetch, transfer) } else { nil }
    }
    for (fetch, transfer) in running where fetch.plan.isTaking {
      // No more is taken than the sockets hold; a fast server could fill all memory.
      fetch.allowed = fetch.plan.position + (1 << 20)
      transfer.closeWindow()
      if fetch.isPaused { transfer.resume() }
    }
    let deadline = Instant.now + LoaderLoop.patienceAtEnd
    var before: UInt64?
    while running.contains(where: { $0.0.plan.isTaking }), Instant.now < deadline {
      let received = traffic.bytes.load(ordering: .relaxed)
      if received == before { break }
      before = received
      mailbox.thread.silence()
      multi.wait(milliseconds: 5, orFor: mailbox.thread.number)
      for (transfer, outcome) in multi.perform() { ended(transfer, outcome) }
    }
    for (_, transfer) in running { multi.remove(transfer) }
    for fetch in fetches { logEnd(fetch, .cancelled) }
    fetches = []
  }

  func emit(_ fetch: Fetch, _ event: FetchEvent) {
    mailbox.post((fetch.number, event))
    hasEvents = true
  }

  private func take(_ command: HTTPLoader.Command) {
    switch command {
    case .fetch(let number, let request, let allowed):
      let target = request.isListing ? nil : origins.target(of: request.address, now: .now)
      if request.isNamed { secrets.note(named: request.address) }
      let plan = FetchPlan(
        request, profile: options.profile(of: request.address),
        usesRange: !request.asWhole && !request.isListing
          && origins.hasRanges(target?.address ?? request.address),
        target: target,
        backOffMilliseconds: options.backOffMilliseconds)
      fetches.append(Fetch(number, plan: plan, allowed: allowed))
    case .allow(let number, let position):
      guard let fetch = fetches.first(where: { $0.number == number }) else { return }
      fetch.allowed = max(fetch.allowed, position)
      if fetch.isPaused, case .running(let transfer) = fetch.state {
        fetch.isPaused = false
        fetch.lastProgress = .now
        transfer.resume()
      }
    case .urge(let number, let isUrgent, let isAwaited):
      guard let fetch = fetches.first(where: { $0.number == number }) else { return }
      // The time in the queue was not the server's.
      if fetch.givesWay { fetch.lastProgress = .now }
      fetch.isUrgent = isUrgent
      fetch.isAwaited = isAwaited
    case .cancel(let number, let bytes):
      guard let fetch = fetches.first(where: { $0.number == number }) else { return }
      if case .running(let transfer) = fetch.state {
        if let remaining = fetch.plan.remaining, remaining < bytes, !fetch.isPaused { return }
        multi.remove(transfer)
      }
      finish(fetch, .cancelled)
    case .secret(let command, let secret): secretCame(command, secret)
    case .stop: break
    }
  }

  // MARK: - Turns

  private func startWhatMay(now: Instant) {
    for fetch in fetches {
      if case .waiting(let until) = fetch.state, now >= until { fetch.state = .queued }
    }
    for isUrgent in [true, false] {
      for fetch in fetches where fetch.isUrgent == isUrgent {
        guard case .queued = fetch.state, !waitsForLink(fetch, now: now),
          hasPlace(for: fetch) || giver(to: fetch) != nil
        else { continue }
        start(fetch, now: now)
      }
    }
  }

  /// The transfers that occupy the places that a fetch needs; empty if there is a free place.
  private func occupants(against fetch: Fetch) -> [Fetch] {
    let running = fetches.filter(\.isRunning)
    let onHost = running.filter { $0.plan.address.host == fetch.plan.address.host }
    guard onHost.count < LoaderLoop.mostTransfersPerHost else { return onHost }
    return running.count < LoaderLoop.mostTransfers ? [] : running
  }

  private func hasPlace(for fetch: Fetch) -> Bool { occupants(against: fetch).isEmpty }

  /// The transfer that gives up its place to a fetch that a viewer waits for. A paused one may stay
  /// paused until its own story plays.
  private func giver(to fetch: Fetch) -> Fetch? {
    guard fetch.isUrgent, fetch.isAwaited else { return nil }
    return occupants(against: fetch).filter { !$0.isUrgent }.min { $0.isWorthLess(than: $1) }
  }

  private func takePlace(_ fetch: Fetch) {
    guard !hasPlace(for: fetch), let giver = giver(to: fetch),
      case .running(let transfer) = giver.state
    else { return }
    multi.remove(transfer)
    finish(giver, .cancelled)
  }

  /// Whether another fetch is already asking where the bytes of the same file are. All fetches use
  /// its result.
  private func waitsForLink(_ fetch: Fetch, now: Instant) -> Bool {
    guard fetch.plan.route.isResolving else { return false }
    let file = fetch.plan.request.address
    if let link = origins.target(of: file, now: now) { fetch.plan.take(link: link) }
    return fetch.plan.route.isResolving
      && fetches.contains { other in
        if case .queued = other.state { return false }
        return other !== fetch && other.plan.route.isResolving && other.plan.request.address == file
      }
  }

  private func start(_ fetch: Fetch, now: Instant) {
    let address = fetch.plan.address
    if let outcome = origins.refusal(address, isUrgent: fetch.isUrgent, now: now) {
      return finish(fetch, .failed(fetch.plan.words(for: outcome)))
    }
    // A proxy would look for it in its own network, or in this one.
    guard fetch.plan.request.reachesPrivate || !PeerAddress.isPrivate(host: address.host) else {
      return finish(fetch, .failed(fetch.plan.words(for: .forbidden)))
    }
    let carried: Secrets.Carried
    switch secrets.decide(for: address, requested: fetch.plan.request.address) {
    case .carry(let found): carried = found
    case .ask(let commands):
      fetch.state = .parked
      return ask(commands)
    case .refuse(let words):
      return finish(fetch, .failed(FetchError(kind: .wantsLogin, words: words)))
    }
    takePlace(fetch)
    fetch.plan.transferBegins()
    fetch.head = ResponseHead()
    fetch.unseen = nil
    fetch.ignoredBytes = 0
    fetch.isPaused = false
    fetch.secretRound = secretRound
    let spec = fetch.plan.spec
    let route = fetch.plan.route
    var settings = TransferSettings(
      url: address.url, message: spec.methodAndBody,
      fields: route.cookies.added(
        to: spec.headerFields + route.fields + carried.fields, for: address),
      login: nil, proxy: proxies.proxy(for: address), unpacks: spec.unpacks, options: options)
    if let file = options.rules(for: address).last(where: { $0.certificates != nil })?.certificates
    {
      settings.options.certificates = file
    }
    addLogin(carried, to: &settings, of: fetch)
    let isProxied = settings.proxy != nil
    let transfer = CurlTransfer(
      settings, library: multi.library,
      gate: { [unowned fetch] peer in
        // The address of the proxy says nothing of the server.
        fetch.plan.noteReached(isPublic: isProxied || peer?.isPrivate != true)
        return isProxied
          || PeerAddress.mayAsk(peer, reachesPrivate: fetch.plan.request.reachesPrivate)
      },
      head: { [unowned self, unowned fetch] line in takeHead(line, fetch) },
      body: { [unowned self, unowned fetch] bytes in takeBody(bytes, fetch) })
    guard let transfer else {
      return finish(fetch, .failed(.unreachable("libcurl cannot start a request")))
    }
    fetch.state = .running(transfer)
    fetch.lastProgress = now
    traffic.requests.add(1, ordering: .relaxed)
    logRequest(fetch, spec)
    multi.add(transfer)
  }

  private func giveUpWhatStandsStill(now: Instant) {
    // Many times the limit for a stalled connection: the last resort against waiting forever.
    let patience = Duration.seconds(options.patienceSeconds * 12)
    for fetch in fetches where !fetch.givesWay && now - fetch.lastProgress > patience {
      if case .running(let transfer) = fetch.state { multi.remove(transfer) }
      let host = fetch.plan.address.visibleHost
      finish(fetch, .failed(.unreachable("\(host) does not answer")))
    }
  }

  private func waitingTime(now: Instant) -> Int32 {
    var time = Duration.seconds(1)
    for fetch in fetches {
      if case .waiting(let until) = fetch.state { time = min(time, until - now) }
    }
    let (seconds, attoseconds) = max(time, .zero).components
    return Int32(seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1)
  }

  // MARK: - What comes

  private func takeHead(_ line: String, _ fetch: Fetch) -> Bool {
    guard fetch.head.take(line) else { return true }
    logHead(fetch)
    origins.answered(fetch.plan.address)
    if fetch.head.status == 401 { origins.wants(fetch.head.challenges, fetch.plan.address) }
    guard let accepted = fetch.plan.take(fetch.head, now: WallClock.seconds) else { return true }
    if fetch.plan.looksAtBody { fetch.unseen = (accepted, []) } else { accept(accepted, fetch) }
    return true
  }

  /// A body is used.
  private func accept(_ head: FetchHead, _ fetch: Fetch) {
    if head.accepted.ignoresRange { origins.ignoresRanges(fetch.plan.address) }
    rememberTarget(of: fetch)
    emit(fetch, .head(head))
  }

  /// Checks the first bytes of a body once there are enough, or all. Returns the bytes that may be
  /// used; nil if the body is not used, and none while more are needed.
  private func look(_ bytes: [UInt8], isAll: Bool, _ fetch: Fetch) -> [UInt8]? {
    guard let (head, before) = fetch.unseen else { return bytes }
    let seen = before + bytes
    guard isAll || seen.count >= WebPage.lookBytes else {
      fetch.unseen = (head, seen)
      return []
    }
    fetch.unseen = nil
    guard fetch.plan.look(at: seen) else { return nil }
    accept(head, fetch)
    return seen
  }

  private func rememberTarget(of fetch: Fetch) {
    let (request, route) = (fetch.plan.request, fetch.plan.route)
    guard route.isLed, !route.isResolving, !request.isListing, route.address != request.address,
      // Cookies that it may need to give access are only set on the way.
      route.cookies.isEmpty
    else { return }
    origins.remember(
      Origins.Target(address: route.address, isPublic: route.isPublic), for: request.address,
      seconds: route.profile.linkSeconds, now: .now)
  }

  private func takeBody(_ bytes: [UInt8], _ fetch: Fetch) -> CurlTransfer.BodyAnswer {
    if fetch.plan.isTaking, fetch.plan.position >= fetch.allowed, fetch.plan.remaining != 0 {
      fetch.isPaused = true
      return .pause
    }
    traffic.bytes.add(UInt64(bytes.count), ordering: .relaxed)
    fetch.account.bytes += UInt64(bytes.count)
    if fetch.unseen != nil { fetch.lastProgress = .now }
    guard let bytes = look(bytes, isAll: false, fetch) else { return .stop }
    return fetch.unseen == nil ? use(bytes, fetch) : .taken
  }

  private func use(_ bytes: [UInt8], _ fetch: Fetch) -> CurlTransfer.BodyAnswer {
    switch fetch.plan.take(link: bytes) ?? fetch.plan.take(bytes: bytes.count) {
    case .use(let offset, let part):
      fetch.lastProgress = .now
      let whole = part.count == bytes.count
      emit(fetch, .bytes(at: offset, whole ? bytes : Array(bytes[part])))
      return .taken
    case .ignore:
      // A short page is read to its end so that the connection can be used again.
      fetch.ignoredBytes += bytes.count
      return fetch.plan.isTaking || fetch.ignoredBytes <= 64 << 10 ? .taken : .stop
    case .stop: return .stop
    }
  }

  private func ended(_ transfer: CurlTransfer, _ outcome: TransferOutcome) {
    let found = fetches.first { fetch in
      if case .running(let running) = fetch.state { running === transfer } else { false }
    }
    guard let fetch = found else { return }
    if [.noConnection, .unknownHost, .timedOut].contains(outcome), fetch.head.status == 0 {
      origins.failed(fetch.plan.address, outcome, now: .now)
    }
    // The body is shorter than what is checked.
    if fetch.unseen != nil, let bytes = look([], isAll: true, fetch), !bytes.isEmpty {
      _ = use(bytes, fetch)
    }
    let misfits = fetch.plan.misfits
    let before = fetch.plan.route
    let next = fetch.plan.transferEnded(outcome, jitter: .random(in: 0...1))
    if fetch.plan.misfits > misfits { origins.answersRangesBadly(fetch.plan.address) }
    if before.isResolving {
      rememberTarget(of: fetch)
    } else if fetch.plan.route.isResolving {
      origins.forget(before.address, of: fetch.plan.request.address)
    }
    logNext(next, after: outcome, fetch)
    act(next, fetch)
  }

  func act(_ next: FetchPlan.Next, _ fetch: Fetch) {
    switch next {
    case .send: fetch.state = .queued
    case .wait(let milliseconds):
      fetch.state = .waiting(until: .now + .milliseconds(milliseconds))
    case .login: renewLogin(fetch)
    case .end(let ending): finish(fetch, .ended(ending))
    case .fail(let error):
      origins.forget(of: fetch.plan.request.address)
      finish(fetch, .failed(error))
    }
  }

  private func finish(_ fetch: Fetch, _ event: FetchEvent) {
    logEnd(fetch, event)
    emit(fetch, event)
    fetches.removeAll { $0 === fetch }
  }
}

extension FetchEvent {
  fileprivate static let cancelled = FetchEvent.failed(
    FetchError(kind: .cancelled, words: "it was cancelled"))
}
