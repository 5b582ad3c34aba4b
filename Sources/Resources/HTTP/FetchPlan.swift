/// Bytes that are wanted from a server.
struct FetchRequest: Equatable, Sendable {
  var address: WebAddress
  var start: UInt64
  /// The byte after the last; nil for all that follow.
  var end: UInt64?
  var known: RequestSpec.Known?
  var revalidates = false
  /// Whether the whole content is wanted as one answer, because no validator joins parts.
  var asWhole = false
  /// Whether a folder is asked for its list; then everything comes as one answer.
  var isListing = false
  /// Whether bytes of it are stored, which may be valid.
  var hasStored = false
  /// Whether it may be fetched from a private network.
  var reachesPrivate = true
  /// Whether the viewer named its origin; else a feed or list did.
  var isNamed = true
  /// It is given up after this many failures without progress.
  var retries = FetchPlan.mostRetries
  /// Whether a viewer waits for it when it begins.
  var isUrgent = false
  /// Whether a read waits for it now; then it may take the place of another fetch.
  var isAwaited = false
}

/// What a server says of an accepted body.
struct FetchHead: Equatable, Sendable {
  var accepted: AcceptedBody
  var type: String?
  var validator: Validator
  var storing: ResponseHead.Storing
  /// Whether it comes from a private network.
  var isPrivate = false
  /// The address that answered, if redirects led to another one than was requested.
  var address: WebAddress?
  /// The encoding of a text, from its type.
  var charset: String?
}

/// How a fetch succeeded.
enum FetchEnding: Equatable, Sendable {
  /// All wanted bytes have come. The total is nil if it is still not certain.
  case complete(total: UInt64?)
  /// The known bytes are still valid. The address is nil without redirects.
  case notModified(ResponseHead.Storing, from: WebAddress? = nil, isPrivate: Bool = false)
}

/// Decides how to get the bytes of a request: a state machine that takes heads, counts bytes and
/// decides on redirects, retries and the end. It neither waits nor sends.
struct FetchPlan {
  enum Next: Equatable {
    case send
    /// Sends again after this time.
    case wait(milliseconds: Int)
    /// Sends again when the login for the current address has been renewed.
    case login
    case end(FetchEnding)
    case fail(FetchError)
  }

  static let mostRetries = 5
  /// The limit for the unpacked bytes of a compressed answer; as much as for a feed.
  static let mostUnpacked: UInt64 = 64 << 20
  /// After this much progress, earlier failures are forgotten.
  private static let progress: UInt64 = 64 << 10

  let request: FetchRequest
  let backOffMilliseconds: Int
  /// Where requests go.
  private(set) var route: FetchRoute
  /// Whether requests ask for a range.
  private(set) var usesRange: Bool
  /// The next byte that is passed on.
  private(set) var position: UInt64
  private(set) var misfits = 0
  /// Whether whole answers are unpacked.
  private(set) var unpacks = false
  /// Whether the first bytes of the present body decide if it is used.
  private(set) var looksAtBody = false
  private var end: UInt64?
  private var known: RequestSpec.Known?
  private var failures = 0
  private var positionAtFailure: UInt64
  private var verdict: Verdict?
  private var head = ResponseHead()
  private var accepted: AcceptedBody?
  private var bodyPosition: UInt64 = 0

  /// - Parameters:
  ///   - profile: the profile of the service at the address.
  ///   - target: where the address has led to before.
  init(
    _ request: FetchRequest, profile: SourceProfile = .plain, usesRange: Bool,
    target: Origins.Target?,
    backOffMilliseconds: Int
  ) {
    self.request = request
    self.usesRange = usesRange
    self.backOffMilliseconds = backOffMilliseconds
    route = FetchRoute(request, profile: profile, target: target)
    position = usesRange ? request.start : 0
    positionAtFailure = position
    end = usesRange ? request.end : nil
    known = request.known
  }

  /// Where the next request goes.
  var address: WebAddress { route.address }

  /// The next request.
  var spec: RequestSpec {
    guard !route.isResolving else { return RequestSpec(start: 0, end: nil, hasRange: false) }
    return RequestSpec(
      start: usesRange ? position : 0, end: end, hasRange: usesRange, known: known,
      revalidates: request.revalidates && known == request.known, isListing: request.isListing,
      unpacks: unpacks)
  }

  /// Another fetch has found out where the bytes are.
  mutating func take(link: Origins.Target) { route.take(link: link) }

  /// A machine was reached, on the way that the route describes.
  mutating func noteReached(isPublic: Bool) { route.noteReached(isPublic: isPublic) }

  /// Bytes that are still to come; nil if unknown.
  var remaining: UInt64? {
    let last = accepted?.end ?? end
    return last.map { $0 > position ? $0 - position : 0 }
  }

  /// Bytes that would have to come again if it ended here.
  var costOfEnding: UInt64 { usesRange ? 0 : position }

  /// Whether the present body is used.
  var isTaking: Bool { accepted != nil }

  // MARK: - While a transfer runs

  mutating func transferBegins() {
    verdict = nil
    accepted = nil
    looksAtBody = false
  }

  /// Checks a head. Returns what it says of the body, if that is accepted.
  mutating func take(_ head: ResponseHead, now: Int64) -> FetchHead? {
    var head = head
    head.revisionField = route.profile.revisionField
    self.head = head
    route.takeCookies(of: head, now: now)
    let verdict = Verdict.judging(head, for: spec, host: host, now: now)
    self.verdict = verdict
    accepted = nil
    guard case .take(let accepted) = verdict else { return nil }
    guard !route.isResolving else {
      self.verdict = route.takeHead(of: accepted).map { .fail($0) } ?? .namesTheFile
      return nil
    }
    self.accepted = accepted
    bodyPosition = accepted.start
    looksAtBody = accepted.start == 0 && head.mayBeWebPage && !request.isListing
    if accepted.ignoresRange {
      // From now on, all bytes come in sequence from the first one.
      usesRange = false
      end = nil
      position = 0
    }
    // The validators of a folder do not hold for its list.
    let validator = request.isListing ? Validator() : head.validator
    return FetchHead(
      accepted: accepted, type: head.type, validator: validator, storing: head.storing,
      isPrivate: !route.isPublic, address: route.answering, charset: head.charset)
  }

  /// Checks the first bytes of a body; false if it is not used after all.
  mutating func look(at bytes: [UInt8]) -> Bool {
    looksAtBody = false
    guard WebPage.isPage(beginningWith: bytes, isDeclaredHTML: head.isCalledWebPage) else {
      return true
    }
    verdict = .page
    accepted = nil
    return false
  }

  enum Piece: Equatable {
    /// Where in the resource it begins, and which part of it is used.
    case use(at: UInt64, Range<Int>)
    case ignore
    /// No more of this transfer is wanted.
    case stop
  }

  /// Finds the place of the next bytes of a body.
  mutating func take(bytes count: Int) -> Piece {
    guard let accepted else { return .ignore }
    let start = bodyPosition
    bodyPosition += UInt64(count)
    var last = bodyPosition
    if let end = accepted.end { last = min(last, end) }
    guard last > start else { return .stop }
    guard last > position else { return .ignore }
    let first = max(start, position)
    guard !head.isEncoded || last <= FetchPlan.mostUnpacked else {
      let most = FetchPlan.mostUnpacked >> 20
      verdict = .fail(.badAnswer("\(host) sends it compressed, and it is larger than \(most) MiB"))
      return .stop
    }
    position = last
    return .use(at: first, Int(first - start)..<Int(last - start))
  }

  /// Takes a piece of the answer that says where the bytes are; nil if it is no such answer.
  mutating func take(link bytes: [UInt8]) -> Piece? {
    guard case .namesTheFile = verdict else { return nil }
    return route.take(link: bytes) ? .ignore : .stop
  }

  // MARK: - Between transfers

  /// What follows the end of a transfer.
  ///
  /// - Parameter jitter: random, from 0 to 1.
  mutating func transferEnded(_ outcome: TransferOutcome, jitter: Double) -> Next {
    switch verdict {
    case nil: return retry(words(for: outcome), outcome: outcome, jitter: jitter)
    case .take(let accepted): return bodyEnded(accepted, outcome, jitter: jitter)
    case .notModified:
      return .end(
        .notModified(head.storing, from: route.answering, isPrivate: !route.isPublic))
    case .pastEnd(let total): return .end(.complete(total: total))
    case .redirect(let location): return route.follow(location).map { .fail($0) } ?? .send
    case .namesTheFile:
      guard outcome == .complete || outcome == .stopped else {
        return retry(words(for: outcome), outcome: outcome, jitter: jitter)
      }
      return route.followLink().map { .fail($0) } ?? .send
    case .changed: return .fail(changed)
    case .page: return pageCame(outcome, jitter: jitter)
    case .encoded: return unpack()
    case .misfit:
      misfits += 1
      guard misfits <= 3 else {
        return .fail(.badAnswer("\(host) answers something else than what it is asked"))
      }
      if misfits >= 2 { stopUsingRanges() }
      return .send
    case .wantsLogin:
      if head.status == 407 { return .fail(.refused(407, "the proxy wants a login")) }
      // Some services report an expired link in this way.
      if route.isOnLink, route.resolveAnew() { return .send }
      return .login
    case .preparing(let seconds):
      guard let wait = route.prepare(for: seconds, otherwise: 4 * backOffMilliseconds) else {
        return .fail(.unreachable("\(host) is still getting it ready"))
      }
      return .wait(milliseconds: wait)
    case .unavailable(let seconds):
      if let seconds, seconds > 60 {
        return .fail(.unreachable("\(host) asks to come back in \(seconds) s"))
      }
      let reason = FetchError.unreachable(
        head.status == 511
          ? "the network before \(host) wants a login in a browser"
          : "\(host) answers with status \(head.status)")
      return retry(reason, outcome: .failed, jitter: jitter, atLeast: Int(seconds ?? 0) * 1000)
    case .fail(let error):
      // Some services report an expired link with a page.
      var mayBeStale = route.isOnLink
      if case .refused = error.kind { mayBeStale = true }
      return mayBeStale && route.resolveAnew() ? .send : .fail(error)
    }
  }

  /// The login that the last answer required has been renewed, or cannot be.
  mutating func loginRenewed(_ renewed: Bool) -> Next {
    if renewed { return .send }
    if route.resolveAnew() { return .send }
    return .fail(
      FetchError(
        kind: .wantsLogin,
        words: "\(host) wants a login: see the config section [host \(address.ruleName)]"))
  }

  private var host: String { address.visibleHost }

  private var changed: FetchError {
    FetchError(kind: .changed, words: "it has changed on \(host)")
  }

  /// If the stored bytes are no such page, nobody can know whether an insecure server sent it or
  /// the network on the way. It counts as a server that is out of reach.
  private mutating func pageCame(_ outcome: TransferOutcome, jitter: Double) -> Next {
    // Some services report an expired link with a page.
    if route.isOnLink, route.resolveAnew() { return .send }
    let words = "\(host) sends a web page instead (does it want a login in a browser?)"
    if route.source.scheme == "http", request.hasStored || request.known != nil {
      return retry(.unreachable(words), outcome: .failed, jitter: jitter)
    }
    if request.isListing { return .fail(.badAnswer("\(host) does not list folders")) }
    return .fail(.badAnswer(words))
  }

  /// Requests a compressed answer once more as a whole, to unpack it.
  private mutating func unpack() -> Next {
    let known: Set<String> = ["gzip", "x-gzip", "deflate", "br", "zstd"]
    guard !unpacks, head.encodings.allSatisfy(known.contains) else {
      return .fail(.badAnswer("\(host) sends it compressed, though asked not to"))
    }
    unpacks = true
    stopUsingRanges()
    return .send
  }

  private mutating func stopUsingRanges() {
    usesRange = false
    end = nil
    position = 0
    positionAtFailure = 0
  }

  private mutating func bodyEnded(
    _ accepted: AcceptedBody, _ outcome: TransferOutcome, jitter: Double
  ) -> Next {
    if let end = accepted.end, position >= end { return .end(.complete(total: accepted.total)) }
    if accepted.end == nil, outcome == .complete {
      return .end(.complete(total: head.tellsItsEnd ? position : nil))
    }
    remember(accepted)
    if outcome == .damaged { return .fail(words(for: outcome)) }
    let reason =
      outcome == .timedOut
      ? "\(host) sends too little" : "\(host) breaks off after \(position) bytes"
    return retry(.unreachable(reason), outcome: outcome, jitter: jitter)
  }

  /// The rest must belong to the same bytes.
  private mutating func remember(_ accepted: AcceptedBody) {
    guard position > (usesRange ? request.start : 0) else { return }
    let validator = head.validator
    let loosely = !validator.joinsParts || known?.loosely == true
    known = RequestSpec.Known(
      length: accepted.total ?? known?.length, validator: validator, loosely: loosely)
  }

  private mutating func retry(
    _ reason: FetchError, outcome: TransferOutcome, jitter: Double, atLeast milliseconds: Int = 0
  ) -> Next {
    // Retrying does not help against a wrong certificate or an unknown name.
    switch outcome {
    case .untrusted, .insecure, .unknownHost, .forbidden, .damaged: return .fail(reason)
    default: break
    }
    if position >= positionAtFailure + FetchPlan.progress {
      failures = 0
      route.noteProgress()
    }
    positionAtFailure = position
    failures += 1
    guard failures <= request.retries else { return .fail(reason) }
    let step = min(backOffMilliseconds << (failures - 1), 8_000)
    return .wait(milliseconds: max(milliseconds, Int(Double(step) * (0.5 + jitter))))
  }

  /// The words for a transfer that ended like this.
  func words(for outcome: TransferOutcome) -> FetchError {
    switch outcome {
    case .unknownHost: .unreachable("\(host) cannot be found")
    case .noConnection: .unreachable("\(host) does not accept connections")
    case .untrusted: .unreachable("the certificate of \(host) is not trusted; see --ca-file")
    case .insecure: .unreachable("the connection to \(host) is not secure")
    case .forbidden: .badAnswer("\(host) is in a private network, and who names it is not")
    case .damaged: .badAnswer("\(host) sends it compressed, and damaged")
    case .timedOut: .unreachable("\(host) does not answer")
    case .complete, .stopped, .cut, .failed: .unreachable("\(host) breaks the connection")
    }
  }
}
