/// A request to a server.
struct RequestSpec: Equatable, Sendable {
  /// The first byte that is wanted.
  var start: UInt64
  /// The byte after the last wanted; nil for all that follow.
  var end: UInt64?
  /// Whether a Range field was sent.
  var hasRange: Bool
  /// The version of the file that earlier parts came from, and this answer must belong to.
  var known: Known?
  /// Whether this asks if `known` is still current (If-None-Match): then "not modified" and a new
  /// version are answers too.
  var revalidates = false
  /// Whether a folder is asked for its list.
  var isListing = false
  /// Whether an answer that is not a part may be encoded (Content-Encoding); it is decoded while it
  /// arrives.
  var unpacks = false

  struct Known: Equatable, Sendable {
    var length: UInt64?
    var validator: Validator
    /// Whether parts are joined in memory although no strong validator vouches for them.
    var loosely = false
  }

  /// The request's method and body; nil for a GET, which has none.
  var methodAndBody: (method: String, body: String)? {
    isListing ? ("PROPFIND", Listing.question) : nil
  }

  /// The header fields that say what is wanted.
  var headerFields: [String] {
    var fields: [String] = isListing ? Listing.fields : []
    if hasRange { fields.append("Range: bytes=\(start)-\(end.map { String($0 - 1) } ?? "")") }
    guard let known else { return fields }
    let validator = known.validator
    if revalidates {
      if let tag = validator.sentTag { fields.append("If-None-Match: \(tag)") }
      if let date = validator.lastModified { fields.append("If-Modified-Since: \(date)") }
    } else if validator.strongTag != nil {
      if let tag = validator.strongTagForServer { fields.append("If-Match: \(tag)") }
    } else if validator.joinsParts, let date = validator.lastModified {
      fields.append("If-Unmodified-Since: \(date)")
    }
    return fields
  }
}

extension Validator {
  /// The strong tag; nil where it stands for a service's revision, which its server would not know.
  var strongTagForServer: String? { strongTag == sentTag ? strongTag : nil }
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
