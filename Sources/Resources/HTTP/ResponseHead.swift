import Addresses
import System

/// Status and fields of a response (RFC 9110), collected line by line.
struct ResponseHead: Equatable, Sendable {
  private(set) var status = 0
  private(set) var isHTTP1 = false
  /// Whether its last line has come; lines after that are trailers of the body.
  private(set) var isWhole = false
  private(set) var fields: [(name: String, value: String)] = []
  /// A field whose value is used as a strong entity tag if there is none.
  var revisionField: String?

  static func == (a: ResponseHead, b: ResponseHead) -> Bool {
    a.status == b.status && a.isHTTP1 == b.isHTTP1
      && a.fields.elementsEqual(b.fields) { $0 == $1 }
  }

  init() {}

  /// From whole lines.
  init(_ lines: [String]) {
    for line in lines { _ = take(line) }
  }

  /// A line as text. If it is no UTF-8, it is Latin-1; in an address each such byte stands for
  /// itself, as in browsers.
  static func text(of line: [UInt8]) -> String {
    if let text = String(validating: line, as: UTF8.self) { return text }
    let isAddress = String(decoding: line.prefix(9), as: UTF8.self).lowercased() == "location:"
    if isAddress { return PercentCoding.encoded(line) { $0 < 0x80 } }
    return String(String.UnicodeScalarView(line.map { Unicode.Scalar($0) }))
  }

  /// Takes the next line; true if it ends the head. A new status line starts again, as after an
  /// interim response.
  mutating func take(_ line: String) -> Bool {
    // A line break is one character in Swift, so scalars are compared.
    let text = String(line.unicodeScalars.filter { $0 != "\r" && $0 != "\n" })
    let begins = text.hasPrefix("HTTP/")
    if isWhole, !begins { return false }
    if text.isEmpty {
      isWhole = status >= 200
      return isWhole
    }
    if begins {
      isWhole = false
      let words = text.split(separator: " ", maxSplits: 2)
      fields = []
      status = words.count > 1 ? Int(words[1]) ?? 0 : 0
      isHTTP1 = text.hasPrefix("HTTP/1")
    } else if let colon = text.firstIndex(of: ":"), fields.count < 200 {
      fields.append(
        (
          text[..<colon].lowercased(),
          String(text[text.index(after: colon)...].trimmingSpaces)
        ))
    }
    return false
  }

  /// The value of a field; the first one if there are several.
  subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

  /// All values of a list field, split at commas.
  func list(_ name: String) -> [String] {
    fields.filter { $0.name == name }.flatMap { field in
      field.value.split(separator: ",").map { String($0.trimmingSpaces) }
    }
  }

  /// The length of the body, if it is announced.
  var contentLength: UInt64? { self["content-length"].flatMap { UInt64($0) } }

  var isChunked: Bool { list("transfer-encoding").contains { $0.lowercased() == "chunked" } }

  /// Whether the end of the body is known by more than the end of the connection.
  var tellsItsEnd: Bool { !isHTTP1 || isChunked || contentLength != nil }

  /// How the body is compressed, outermost last (RFC 9110, section 8.4), in small letters.
  var encodings: [String] {
    list("content-encoding").map { $0.lowercased() }
      .filter { !$0.isEmpty && !ResponseHead.noEncodings.contains($0) }
  }

  var isEncoded: Bool { !encodings.isEmpty }

  /// Values that servers send although they are no compression: S3's upload encoding, or a charset.
  private static let noEncodings: Set<String> = [
    "identity", "none", "binary", "aws-chunked", "utf-8", "utf8", "7bit", "8bit", "us-ascii",
    "iso-8859-1",
  ]

  /// The media type without parameters, in lower case.
  var type: String? {
    self["content-type"].map { $0.prefix { $0 != ";" }.trimmingSpaces.lowercased() }
  }

  /// The encoding of a text by the parameter of its type (RFC 9110, section 8.3.2), as the server
  /// sent it.
  var charset: String? {
    let parameters = self["content-type"]?.split(separator: ";").dropFirst() ?? []
    for parameter in parameters {
      let parts = parameter.split(separator: "=", maxSplits: 1).map { $0.trimmingSpaces }
      guard parts.count == 2, parts[0].lowercased() == "charset" else { continue }
      let name = parts[1].filter { $0 != "\"" && $0 != "'" }
      return name.isEmpty || name.utf8.count > 64 ? nil : name
    }
    return nil
  }

  /// Whether its type is a page for browsers. Many servers use that type for whatever they do not
  /// know.
  var isCalledWebPage: Bool { type == "text/html" || type == "application/xhtml+xml" }

  /// Whether only the bytes can show if it is a page for browsers.
  var mayBeWebPage: Bool { isCalledWebPage || type == nil || type == "text/plain" }

  var validator: Validator {
    let modified = self["last-modified"]
    let age = modified.flatMap(HTTPDate.secondsLeniently).flatMap { modified in
      self["date"].flatMap(HTTPDate.secondsLeniently).map { $0 - modified }
    }
    let tag = self["etag"].flatMap { $0.isEmpty ? nil : $0 }
    let revision = revisionField.flatMap { name in
      self[name].map { Validator.tag(ofRevision: "\(name): \($0)") }
    }
    let isStrong = tag.map { !$0.lowercased().hasPrefix("w/") } ?? false
    return Validator(
      entityTag: isStrong ? tag : revision ?? tag, lastModified: modified,
      dateIsStrong: (age ?? 0) >= 60)
  }

  /// `Content-Range: bytes 0-99/1234` (RFC 9110, section 14.4).
  var contentRange: ContentRange? {
    guard let value = self["content-range"], value.lowercased().hasPrefix("bytes") else {
      return nil
    }
    let parts = value.dropFirst(5).trimmingSpaces.split(separator: "/")
    guard parts.count == 2 else { return nil }
    let total = UInt64(parts[1])
    guard total != nil || parts[1] == "*" else { return nil }
    if parts[0] == "*" { return ContentRange(range: nil, total: total) }
    let ends = parts[0].split(separator: "-").compactMap { UInt64($0) }
    guard ends.count == 2, ends[0] <= ends[1], ends[1] < .max else { return nil }
    return ContentRange(range: ends[0]..<ends[1] + 1, total: total)
  }

  struct ContentRange: Equatable {
    /// Nil if no range could be satisfied.
    var range: Range<UInt64>?
    var total: UInt64?
  }

  /// Cache-Control and Age, or if they say nothing, Pragma and Expires (RFC 9111).
  var storing: Storing {
    var storing = Storing()
    for directive in list("cache-control") {
      let parts = directive.lowercased().split(separator: "=", maxSplits: 1)
      switch parts.first {
      case "no-store": storing.isForbidden = true
      case "no-cache": storing.freshFor = 0
      case "max-age" where storing.freshFor != 0:
        let digits = parts.count > 1 ? parts[1].filter { $0 != "\"" } : ""
        let age = self["age"].flatMap { Int64($0) } ?? 0
        // A value that cannot be read counts as stale.
        let year: Int64 = 365 * 86_400
        let declared = (Int64(digits) ?? 0).clamped(to: 0...year)
        storing.freshFor = max(0, declared - age.clamped(to: 0...year))
      default: break
      }
    }
    // Section 5.4: it is used if there is no Cache-Control.
    let asksAnew = list("pragma").contains { $0.lowercased() == "no-cache" }
    if self["cache-control"] == nil, asksAnew {
      storing.freshFor = 0
    }
    storing.freshFor = storing.freshFor ?? expiresIn
    return storing
  }

  /// Seconds until Expires (sections 4.2.1 and 5.3); a value that is no date, such as "0", counts
  /// as past. Nil if there is none.
  private var expiresIn: Int64? {
    guard let expires = self["expires"] else { return nil }
    guard let end = HTTPDate.secondsLeniently(expires) else { return 0 }
    let sent = self["date"].flatMap(HTTPDate.secondsLeniently) ?? WallClock.seconds
    let age = self["age"].flatMap { Int64($0) } ?? 0
    let year: Int64 = 365 * 86_400
    let left = end.subtractingReportingOverflow(sent)
    guard !left.overflow else { return 0 }
    return max(0, left.partialValue.clamped(to: 0...year) - age.clamped(to: 0...year))
  }

  struct Storing: Equatable, Sendable {
    var isForbidden = false
    /// Seconds; nil if the server does not say.
    var freshFor: Int64?
  }

  /// Seconds from now that the server asks to wait.
  func retryAfter(now: Int64) -> Int64? {
    guard let value = self["retry-after"] else { return nil }
    let seconds = Int64(value) ?? HTTPDate.secondsLeniently(value).map { $0 - now }
    return seconds?.clamped(to: 0...(365 * 86_400))
  }

  /// The required logins: there may be several fields with several challenges each.
  var challenges: [Challenge] {
    fields.filter { $0.name == "www-authenticate" }.flatMap { Challenge.all(in: $0.value) }
  }
}

extension Int64 {
  fileprivate func clamped(to range: ClosedRange<Int64>) -> Int64 {
    Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
  }
}

extension StringProtocol {
  /// Without spaces and tabs at both ends.
  var trimmingSpaces: SubSequence {
    let start = firstIndex { $0 != " " && $0 != "\t" } ?? endIndex
    let end = lastIndex { $0 != " " && $0 != "\t" }.map(index(after:)) ?? start
    return self[start..<Swift.max(start, end)]
  }
}
