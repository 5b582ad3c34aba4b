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
  /// An answer that does not fit the request, which is then repeated; after a second one without a
  /// range.
  case misfit
  case wantsLogin
  case unavailable(retryAfter: Int64?)
  /// The server is getting the file ready.
  case preparing(retryAfter: Int64?)
  /// The body says where the bytes are: only while `FetchPlan` resolves a service's link.
  case namesTheFile
  /// A page for browsers in place of the content: a login, or the portal of a network.
  case page
  /// It is compressed, although that was not asked for.
  case encoded
  case fail(FetchError)

  /// Checks a head before any byte of its body is used.
  ///
  /// - Parameter host: the server's name in messages.
  static func judging(
    _ head: ResponseHead, for spec: RequestSpec, host: String, now: Int64
  ) -> Verdict {
    switch head.status {
    case 207 where spec.isListing: return judgeWhole(head, spec, host)
    case 206: return judgePart(head, spec, host)
    case 204, 205: return .fail(.badAnswer("\(host) has nothing there"))
    case 202: return .preparing(retryAfter: head.retryAfter(now: now))
    case 200...299 where spec.isListing:
      return head.isCalledWebPage ? .page : .fail(.badAnswer(noList(host)))
    // An unknown one means the same as 200 (RFC 9110, section 15).
    case 200...299: return judgeWhole(head, spec, host)
    case 304: return spec.revalidates ? .notModified : .misfit
    case 301, 302, 303, 307, 308:
      guard let location = head["location"], !location.isEmpty else {
        return .fail(.badAnswer("\(host) redirects to nowhere"))
      }
      return .redirect(location)
    case 401, 407: return .wantsLogin
    case 403: return .fail(.refused(head.status, "\(host) forbids it"))
    case 404, 410: return .fail(.refused(head.status, "\(host) does not have it"))
    case 412: return spec.known == nil ? .misfit : .changed
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
    guard !head.isEncoded || spec.unpacks else { return .encoded }
    let total = head.isEncoded ? nil : head.contentLength
    if let total, total > mostLength {
      return .fail(.badAnswer("\(host) claims an impossible length"))
    }
    // The answer to a revalidation may be a new version.
    if let known = spec.known, !spec.revalidates, !fits(head, total: total, version: known) {
      return head.isCalledWebPage ? .page : .changed
    }
    return .take(AcceptedBody(start: 0, end: total, total: total, ignoresRange: spec.hasRange))
  }

  private static func judgePart(_ head: ResponseHead, _ spec: RequestSpec, _ host: String)
    -> Verdict
  {
    guard !head.isEncoded else { return .encoded }
    guard spec.hasRange, let declared = head.contentRange, let range = declared.range,
      range.lowerBound == spec.start, range.upperBound <= mostLength,
      (declared.total ?? 0) <= mostLength
    else { return .misfit }
    if let length = head.contentLength, length != UInt64(range.count) { return .misfit }
    if let total = declared.total, range.upperBound > total { return .misfit }
    // It may only be shorter than the range if the whole ends there; without a total it is taken as
    // it is.
    switch (spec.end, declared.total) {
    case (let end?, let total?): guard range.upperBound == min(end, total) else { return .misfit }
    case (nil, let total?): guard range.upperBound == total else { return .misfit }
    case (let end?, nil): guard range.upperBound <= end else { return .misfit }
    case (nil, nil): break
    }
    if let known = spec.known, !spec.revalidates, !fits(head, total: declared.total, version: known)
    {
      return .changed
    }
    return .take(
      AcceptedBody(start: range.lowerBound, end: range.upperBound, total: declared.total))
  }

  private static func judgeUnsatisfied(_ head: ResponseHead, _ spec: RequestSpec) -> Verdict {
    guard spec.hasRange else { return .misfit }
    let knownLength = spec.known?.length
    if let total = head.contentRange?.total {
      guard total <= mostLength else { return .misfit }
      if let knownLength, knownLength != total { return .changed }
      // A server that refuses a range within its own total contradicts itself.
      return spec.start >= total ? .pastEnd(total: total) : .misfit
    }
    // Without a total, only the known length may be wrong.
    if let knownLength {
      return spec.start >= knownLength ? .pastEnd(total: knownLength) : .changed
    }
    return .misfit
  }

  private static func fits(
    _ head: ResponseHead, total: UInt64?, version known: RequestSpec.Known
  ) -> Bool {
    if let total, let length = known.length, total != length { return false }
    let found = head.validator
    if known.loosely {
      return found.entityTag == known.validator.entityTag
        && found.lastModified == known.validator.lastModified
    }
    // If-Match was sent, so that a part without a tag is of that version.
    if head.status == 206, found.entityTag == nil, known.validator.strongTagForServer != nil {
      return true
    }
    return known.validator.joins(found)
  }
}
