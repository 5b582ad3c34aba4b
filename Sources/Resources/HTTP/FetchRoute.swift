/// Where the requests for one file are sent: to its address, or first to the service that knows
/// where its bytes are and then to the link that it gives; and on along redirects.
struct FetchRoute {
  static let mostRedirects = 20
  /// The most bytes of an answer that says where a file is.
  static let mostLinkBytes = 64 << 10
  /// The most milliseconds in total that a service may need to get a file ready.
  static let mostPreparation = 60_000

  let source: WebAddress
  let profile: SourceProfile
  /// The first request for the file, if that is not to its own address.
  let question: FileQuestion?
  /// Where the next request goes.
  private(set) var address: WebAddress
  /// Whether the next request asks where the bytes are.
  private(set) var isResolving: Bool
  /// Whether it was redirected; that may only hold for some time.
  private(set) var isLed: Bool
  /// Whether a machine on the way is in no private network, or in one that cannot be known.
  private(set) var isPublic: Bool
  /// Cookies that servers have set on the way.
  private(set) var cookies = Cookies()
  private var redirects = 0
  private var hasResolvedAnew = false
  /// The last link that did not work.
  private var refused: WebAddress?
  private var linkBody: [UInt8] = []
  private var preparation = 0

  /// - Parameter target: where the address has led to before.
  init(_ request: FetchRequest, profile: SourceProfile, target: Origins.Target?) {
    source = request.address
    self.profile = profile
    question = request.isListing ? nil : profile.question(for: request.address)
    address = target?.address ?? question?.address ?? request.address
    isLed = target != nil
    isPublic = target?.isPublic ?? false
    isResolving = target == nil && question?.leadsOn == true
  }

  private var host: String { address.visibleHost }

  /// Whether it uses a link of a service, which is valid for some time.
  var isOnLink: Bool { question?.leadsOn == true && !isResolving }

  /// Where redirects have led to; nil for the file's own address, by which a service knows it
  /// whatever link it gives.
  var answering: WebAddress? {
    question == nil && address.url != source.url ? address : nil
  }

  /// What the next request contains for the service.
  var fields: [String] { question?.address == address ? question?.fields ?? [] : [] }

  /// Another fetch has found out where the bytes are, so that need not be asked again.
  mutating func take(link: Origins.Target) {
    guard isResolving, link.address != refused else { return }
    lead(to: link.address)
    isPublic = isPublic || link.isPublic
    isResolving = false
  }

  /// A machine was reached.
  ///
  /// - Parameter isPublic: whether it is in no private network, or that cannot be known.
  mutating func noteReached(isPublic: Bool) { self.isPublic = self.isPublic || isPublic }

  /// Keeps the cookies of an answer for the rest of the way.
  mutating func takeCookies(of head: ResponseHead, now: Int64) {
    cookies.take(head, from: address, now: now)
  }

  /// Follows a redirect. Returns the reason if that is impossible.
  mutating func follow(_ location: String) -> FetchError? {
    redirects += 1
    guard redirects <= FetchRoute.mostRedirects else {
      return .badAnswer("\(host) redirects too often")
    }
    guard let next = WebAddress(location, relativeTo: address) else {
      return .badAnswer("\(host) redirects to what is no web address")
    }
    guard !(address.scheme == "https" && next.scheme == "http") else {
      return .badAnswer("\(host) redirects to an insecure address")
    }
    lead(to: next)
    if question?.answer == .redirect { isResolving = false }
    return nil
  }

  private mutating func lead(to next: WebAddress) {
    address = next
    isLed = true
  }

  /// Asks again for a link that may have expired, once without progress.
  mutating func resolveAnew() -> Bool {
    guard isLed, !hasResolvedAnew else { return false }
    hasResolvedAnew = true
    refused = address
    isLed = false
    redirects = 0
    address = question?.address ?? source
    isResolving = question?.leadsOn == true
    return true
  }

  /// Bytes have come, so an expired link may be asked for again.
  mutating func noteProgress() { hasResolvedAnew = false }

  // MARK: - What a service says

  /// Checks the head of an answer that should say where the bytes are. Returns the reason if it
  /// does not.
  mutating func takeHead(of accepted: AcceptedBody) -> FetchError? {
    linkBody = []
    guard case .member = question?.answer, (accepted.total ?? 0) <= FetchRoute.mostLinkBytes else {
      return saysNothing
    }
    return nil
  }

  /// Takes a piece of such an answer; false if it is too long.
  mutating func take(link bytes: [UInt8]) -> Bool {
    guard linkBody.count + bytes.count <= FetchRoute.mostLinkBytes else { return false }
    linkBody += bytes
    return true
  }

  /// Goes to the link that was given. Returns the reason if that is impossible.
  mutating func followLink() -> FetchError? {
    guard case .member(let name) = question?.answer,
      let link = JSONMember.string(name, in: linkBody), !link.isEmpty
    else { return saysNothing }
    if let error = follow(link) { return error }
    isResolving = false
    return nil
  }

  private var saysNothing: FetchError { .badAnswer("\(host) does not say where the file is") }

  /// The service is getting a file ready: when to ask again, or nil if that is too late.
  ///
  /// - Parameters:
  ///   - seconds: the time that the server gives.
  ///   - step: milliseconds, if it gives none.
  mutating func prepare(for seconds: Int64?, otherwise step: Int) -> Int? {
    let given = seconds.map { $0 > 60 ? .max : Int($0) * 1000 } ?? step
    guard given <= FetchRoute.mostPreparation - preparation else { return nil }
    // There is always a pause between two requests.
    let wait = max(given, step)
    preparation += wait
    return wait
  }
}
