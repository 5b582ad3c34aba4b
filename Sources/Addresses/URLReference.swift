/// A URI or a relative reference, split into its parts (RFC 3986, section 3 and appendix B), and
/// its resolution against a base (section 5.2).
///
/// Each part stays as it is written: nothing is decoded, encoded, lowercased or validated. Texts
/// are split by bytes, so that a combining mark cannot hide a delimiter.
public struct URLReference: Equatable, Sendable {
  /// Without its colon. Nil for a relative reference.
  public var scheme: String?
  /// The part between `//` and the path, possibly empty. Nil without `//`.
  public var authority: String?
  public var path: String
  /// Without its question mark. Nil without one.
  public var query: String?
  /// Without its number sign. Nil without one.
  public var fragment: String?

  /// Makes a reference of its parts.
  public init(scheme: String?, authority: String?, path: String, query: String?) {
    self.scheme = scheme
    self.authority = authority
    self.path = path
    self.query = query
  }

  /// Splits a text. Every text is a valid reference here.
  public init(_ text: String) {
    self.init(text, scheme: URLReference.scheme(of: text))
  }

  /// Splits a text for a caller that knows whether it begins with a scheme.
  ///
  /// - Parameter scheme: the text before the first colon, if that is a scheme; else nil.
  public init(_ text: String, scheme: String?) {
    var rest = text.utf8[...].dropFirst(scheme.map { $0.utf8.count + 1 } ?? 0)
    func take(until marks: String) -> String {
      let part = rest.prefix { !marks.utf8.contains($0) }
      rest = rest[part.endIndex...]
      return String(Substring(part))
    }
    self.scheme = scheme
    if rest.starts(with: "//".utf8) {
      rest = rest.dropFirst(2)
      authority = take(until: "/?#")
    }
    path = take(until: "?#")
    if rest.first == UInt8(ascii: "?") {
      rest = rest.dropFirst()
      query = take(until: "#")
    }
    if rest.first == UInt8(ascii: "#") { fragment = String(Substring(rest.dropFirst())) }
  }

  /// The parts joined to one text (section 5.3).
  public var text: String {
    (scheme.map { $0 + ":" } ?? "") + (authority.map { "//" + $0 } ?? "") + path
      + (query.map { "?" + $0 } ?? "") + (fragment.map { "#" + $0 } ?? "")
  }

  /// This reference resolved against a base (section 5.2.2, the strict variant). An absolute
  /// reference gives itself, without dot segments in its path.
  public func resolved(against base: URLReference) -> URLReference {
    var target = self
    target.path = URLReference.withoutDotSegments(path)
    guard scheme == nil else { return target }
    target.scheme = base.scheme
    guard authority == nil else { return target }
    target.authority = base.authority
    if path.isEmpty {
      target.path = base.path
      target.query = query ?? base.query
    } else if path.utf8.first != UInt8(ascii: "/") {
      target.path = URLReference.withoutDotSegments(base.folder + path)
    }
    return target
  }

  /// The part of the path that a relative path is appended to (section 5.2.3).
  private var folder: Substring {
    if authority != nil, path.isEmpty { return "/" }
    return path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[...$0] } ?? ""
  }

  /// The scheme that a text begins with, as written (section 3.1); nil where there is none.
  public static func scheme(of text: String) -> String? {
    let name = text.utf8.prefix { $0.isASCIILetter || $0.isASCIIDigit || "+-.".utf8.contains($0) }
    guard let first = name.first, first.isASCIILetter, name.endIndex != text.utf8.endIndex,
      text.utf8[name.endIndex] == UInt8(ascii: ":")
    else { return nil }
    return String(Substring(name))
  }

  /// A path without the segments `.` and `..` (section 5.2.4). A dot may be written as `%2E`, which
  /// means the same (section 6.2.2.2).
  public static func withoutDotSegments(_ path: String) -> String {
    guard mayHaveDotSegments(path) else { return path }
    var kept: [String] = []
    // Whether there is a slash before the next segment.
    var isBehindSlash = false
    let segments = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    for (index, segment) in segments.enumerated() {
      let isLast = index == segments.count - 1
      switch dots(segment) {
      case 0:
        kept.append((isBehindSlash ? "/" : "") + Substring(segment))
        isBehindSlash = true
      case 1:
        if isLast, isBehindSlash { kept.append("/") }
      default:
        if isBehindSlash { _ = kept.popLast() }
        if isLast, isBehindSlash { kept.append("/") }
      }
    }
    return kept.joined()
  }

  /// A fast path: hardly any path has dot segments, and feeds name very many paths.
  private static func mayHaveDotSegments(_ path: String) -> Bool {
    var isAtStart = true
    for byte in path.utf8 {
      if isAtStart, byte == UInt8(ascii: ".") || byte == UInt8(ascii: "%") { return true }
      isAtStart = byte == UInt8(ascii: "/")
    }
    return false
  }

  /// The number of dots in a segment that is `.` or `..`; 0 for any other.
  private static func dots(_ segment: Substring.UTF8View) -> Int {
    var rest = segment
    var count = 0
    while let first = rest.first {
      if first == UInt8(ascii: ".") {
        rest = rest.dropFirst()
      } else if PercentCoding.isEscape(rest), PercentCoding.decoded(rest.prefix(3)) == [0x2E] {
        rest = rest.dropFirst(3)
      } else {
        return 0
      }
      count += 1
    }
    return count > 2 ? 0 : count
  }
}
