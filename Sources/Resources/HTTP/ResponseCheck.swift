/// A request to a server.
struct RequestSpec: Equatable, Sendable {
  /// The first byte that is wanted.
  var start: UInt64
  /// The byte after the last wanted; nil for all that follow.
  var end: UInt64?
  /// Whether a Range field was sent.
  var hasRange: Bool
  /// The known bytes that the answer must be a part of, if any.
  var known: Known?
  /// Whether "not modified" is a possible answer (then `known` is what was asked about).
  var revalidates = false
  /// Whether a folder is asked for its list.
  var isListing = false
  /// Whether a whole answer is unpacked while it arrives.
  var unpacks = false

  struct Known: Equatable, Sendable {
    var length: UInt64?
    var validator: Validator
    /// Whether parts are joined in memory although no strong validator vouches for them.
    var loosely = false
  }

  /// The request's method and body; nil for a GET, which has none.
  var message: (method: String, body: String)? {
    isListing ? ("PROPFIND", Listing.question) : nil
  }

  /// The fields of the request that depend on it.
  var fields: [String] {
    var fields: [String] = isListing ? Listing.fields : []
    if hasRange { fields.append("Range: bytes=\(start)-\(end.map { String($0 - 1) } ?? "")") }
    guard let known else { return fields }
    let validator = known.validator
    if revalidates {
      if let tag = validator.sentTag { fields.append("If-None-Match: \(tag)") }
      if let date = validator.lastModified { fields.append("If-Modified-Since: \(date)") }
    } else if let tag = validator.strongTag {
      if tag == validator.sentTag { fields.append("If-Match: \(tag)") }
    } else if validator.joinsParts, let date = validator.lastModified {
      fields.append("If-Unmodified-Since: \(date)")
    }
    return fields
  }
}

/// A body that is accepted.
struct AcceptedBody: Equatable, Sendable {
  /// The place of its first byte.
  var start: UInt64
  /// Where it ends; nil if the server does not say.
  var end: UInt64?
  /// The length of the whole; nil if the server does not say.
  var total: UInt64?
  /// Whether a range was asked for and ignored.
  var ignoresRange = false
}

/// What a response head means for the request.
enum Verdict: Equatable, Sendable {
  case take(AcceptedBody)
  /// The known bytes are still valid.
  case notModified
  /// The whole is empty, or ends before the range.
  case pastEnd(total: UInt64?)
  case redirect(String)
  /// The bytes are not the known ones.
  case changed
  /// An answer that does not fit the request; after a second one, ranges are not used.
  case badRange
  case wantsLogin
  case unavailable(retryAfter: Int64?)
  /// The server is getting the file ready.
  case preparing(retryAfter: Int64?)
  /// The body says where the bytes are.
  case tells
  /// A page for browsers in place of the content: a login, or the portal of a network.
  case page
  /// It is compressed, although that was not asked for.
  case packed
  case fail(FetchError)

  /// Checks a head before any byte of its body is used.
  static func judging(
    _ head: ResponseHead, for spec: RequestSpec, from address: WebAddress, now: Int64
  ) -> Verdict {
    let host = address.visibleHost
    switch head.status {
    case 207 where spec.isListing: return judgeWhole(head, spec, host)
    case 206: return judgePart(head, spec, host)
    case 204, 205: return .fail(.badAnswer("\(host) has nothing there"))
    case 202: return .preparing(retryAfter: head.retryAfter(now: now))
    case 200...299 where spec.isListing:
      return head.isCalledWebPage ? .page : .fail(.badAnswer(noList(host)))
    // An unknown one means the same as 200 (RFC 9110, section 15).
    case 200...299: return judgeWhole(head, spec, host)
    case 304: return spec.revalidates ? .notModified : .badRange
    case 301, 302, 303, 307, 308:
      guard let location = head["location"], !location.isEmpty else {
        return .fail(.badAnswer("\(host) redirects to nowhere"))
      }
      return .redirect(location)
    case 401, 407: return .wantsLogin
    case 403: return .fail(.refused(head.status, "\(host) forbids it"))
    case 404, 410: return .fail(.refused(head.status, "\(host) does not have it"))
    case 412: return spec.known == nil ? .badRange : .changed
    case 416: return judgeUnsatisfied(head, spec)
    case 405, 501:
      let words = spec.isListing ? noList(host) : "\(host) does not answer such requests"
      return .fail(.refused(head.status, words))
    // An error of the server, or of something in front of it, may be over soon.
    case 408, 425, 429, 500...599: return .unavailable(retryAfter: head.retryAfter(now: now))
    default: return .fail(.refused(head.status, "\(host) answers with status \(head.status)"))
    }
  }

  /// More than any file has; positions up to here can be added without overflow.
  static let mostLength: UInt64 = 1 << 50

  private static func noList(_ host: String) -> String { "\(host) does not list folders" }

  private static func judgeWhole(_ head: ResponseHead, _ spec: RequestSpec, _ host: String)
    -> Verdict
  {
    guard !head.isEncoded || spec.unpacks else { return .packed }
    let total = head.isEncoded ? nil : head.contentLength
    if let total, total > mostLength {
      return .fail(.badAnswer("\(host) claims an impossible length"))
    }
    if let known = spec.known, !spec.revalidates, !isSame(head, total: total, known) {
      return head.isCalledWebPage ? .page : .changed
    }
    return .take(AcceptedBody(start: 0, end: total, total: total, ignoresRange: spec.hasRange))
  }

  private static func judgePart(_ head: ResponseHead, _ spec: RequestSpec, _ host: String)
    -> Verdict
  {
    guard !head.isEncoded else { return .packed }
    guard spec.hasRange, let told = head.contentRange, let range = told.range,
      range.lowerBound == spec.start, range.upperBound <= mostLength,
      (told.total ?? 0) <= mostLength
    else { return .badRange }
    if let length = head.contentLength, length != UInt64(range.count) { return .badRange }
    if let total = told.total, range.upperBound > total { return .badRange }
    // It may only be shorter than the range if the whole ends there.
    switch (spec.end, told.total) {
    case (let end?, let total?): guard range.upperBound == min(end, total) else { return .badRange }
    case (nil, let total?): guard range.upperBound == total else { return .badRange }
    case (let end?, nil): guard range.upperBound <= end else { return .badRange }
    case (nil, nil): break
    }
    if let known = spec.known, !spec.revalidates, !isSame(head, total: told.total, known) {
      return .changed
    }
    return .take(AcceptedBody(start: range.lowerBound, end: range.upperBound, total: told.total))
  }

  private static func judgeUnsatisfied(_ head: ResponseHead, _ spec: RequestSpec) -> Verdict {
    guard spec.hasRange else { return .badRange }
    if let total = head.contentRange?.total {
      guard total <= mostLength else { return .badRange }
      if let known = spec.known?.length, known != total { return .changed }
      return spec.start >= total ? .pastEnd(total: total) : .badRange
    }
    if let known = spec.known?.length {
      return spec.start >= known ? .pastEnd(total: known) : .changed
    }
    return .badRange
  }

  private static func isSame(
    _ head: ResponseHead, total: UInt64?, _ known: RequestSpec.Known
  ) -> Bool {
    if let total, let length = known.length, total != length { return false }
    let found = head.validator
    if known.loosely {
      return found.entityTag == known.validator.entityTag
        && found.lastModified == known.validator.lastModified
    }
    // If the server leaves out the validator of a part, the request had a condition on it.
    if head.status == 206, found.entityTag == nil, let tag = known.validator.strongTag,
      tag == known.validator.sentTag
    {
      return true
    }
    return known.validator.joins(found)
  }
}

/// Why a fetch failed, in words that hold no secret and follow "cannot play NAME: ".
struct FetchError: Error, Equatable, Sendable {
  enum Kind: Equatable, Sendable {
    /// The server cannot be reached or does not work: stored bytes may be shown instead.
    case unreachable
    case refused(status: Int)
    case wantsLogin
    case badAnswer
    /// The server has other bytes now.
    case changed
    /// Nobody wants it any more.
    case cancelled
  }

  var kind: Kind
  var words: String

  static func badAnswer(_ words: String) -> FetchError {
    FetchError(kind: .badAnswer, words: words)
  }
  static func unreachable(_ words: String) -> FetchError {
    FetchError(kind: .unreachable, words: words)
  }
  static func refused(_ status: Int, _ words: String) -> FetchError {
    FetchError(kind: .refused(status: status), words: words)
  }
}
