import System

/// What was learnt about servers in this run.
struct Origins {
  private struct Origin {
    var hasNoRanges = false
    var misfits = 0
    var failures = 0
    var closedSince: Instant?
    /// The last error when it was out of reach.
    var lastFailure = TransferOutcome.timedOut
    /// The kind of login that it requires; nil if it has not said.
    var login: LoginWish?
    /// How many logins used its last nonce.
    var digests: UInt32 = 0
  }

  /// What a server has said of logins.
  enum LoginWish: Equatable {
    case by(LoginScheme)
    /// By a scheme that is not known here.
    case unknown
  }

  /// After this many failures in a row, an origin is not asked for some time.
  static let mostFailures = 6
  static let rest = Duration.seconds(10)
  /// The same if a viewer waits for an answer.
  static let shortRest = Duration.seconds(1)

  private var origins: [String: Origin] = [:]
  private var targets: [String: (target: Target, until: Instant?)] = [:]

  /// Where redirects lead to.
  struct Target: Equatable {
    let address: WebAddress
    /// Whether a machine on the way is in no private network.
    var isPublic = false
  }

  func hasRanges(_ address: WebAddress) -> Bool {
    !(origins[address.origin]?.hasNoRanges ?? false)
  }

  /// A range was ignored, and the answer was the whole content.
  mutating func ignoresRanges(_ address: WebAddress) {
    origins[address.origin, default: Origin()].hasNoRanges = true
  }

  /// A range was answered wrongly; after two such answers the origin counts as one without ranges.
  mutating func answersRangesBadly(_ address: WebAddress) {
    origins[address.origin, default: Origin()].misfits += 1
    if origins[address.origin]?.misfits == 2 { ignoresRanges(address) }
  }

  /// Why it is not asked now; nil if it may be.
  ///
  /// - Parameter isUrgent: whether a viewer waits for it.
  func refusal(_ address: WebAddress, isUrgent: Bool, now: Instant) -> TransferOutcome? {
    guard let origin = origins[address.origin], let since = origin.closedSince,
      now - since < (isUrgent ? Origins.shortRest : Origins.rest)
    else { return nil }
    return origin.lastFailure
  }

  mutating func answered(_ address: WebAddress) {
    origins[address.origin]?.failures = 0
    origins[address.origin]?.closedSince = nil
  }

  /// It could not be reached. After a rest, one failure is enough for the next rest.
  mutating func failed(_ address: WebAddress, _ outcome: TransferOutcome, now: Instant) {
    var origin = origins[address.origin] ?? Origin()
    origin.failures += 1
    origin.lastFailure = outcome
    if origin.failures >= Origins.mostFailures { origin.closedSince = now }
    origins[address.origin] = origin
  }

  /// The kind of login that it requires; nil if it has not said.
  func login(to address: WebAddress) -> LoginWish? { origins[address.origin]?.login }

  /// A server has named its schemes. If it names none, nothing changes.
  mutating func wants(_ challenges: [Challenge], _ address: WebAddress) {
    guard !challenges.isEmpty else { return }
    var origin = origins[address.origin] ?? Origin()
    let wish = LoginScheme.best(of: challenges).map { LoginWish.by($0) } ?? .unknown
    if origin.login != wish { origin.digests = 0 }
    origin.login = wish
    origins[address.origin] = origin
  }

  /// The number of the next login with its last nonce, from 1.
  mutating func nextDigest(to address: WebAddress) -> UInt32 {
    origins[address.origin, default: Origin()].digests &+= 1
    return origins[address.origin]?.digests ?? 1
  }

  /// Where an address has led to.
  func target(of address: WebAddress, now: Instant) -> Target? {
    guard let found = targets[address.url], found.until.map({ now < $0 }) ?? true else {
      return nil
    }
    return found.target
  }

  /// - Parameter seconds: after this time it is asked for again, even if it still works.
  mutating func remember(
    _ target: Target, for address: WebAddress, seconds: Int64?, now: Instant
  ) {
    // A link is valid from the time it was given, not from its last use.
    guard self.target(of: address, now: now) != target else { return }
    if targets.count >= 512 { targets = [:] }
    targets[address.url] = (target, seconds.map { now + .seconds($0) })
  }

  /// - Parameter target: nil for any.
  mutating func forget(_ target: WebAddress? = nil, of address: WebAddress) {
    guard target == nil || targets[address.url]?.target.address == target else { return }
    targets[address.url] = nil
  }
}
