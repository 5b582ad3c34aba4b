/// An absolute URL with a host, taken apart as RFC 3986 has it, but stricter: what a lenient reader
/// might take for another host is none.
struct URLParts: Equatable {
  /// In lower case.
  var scheme: String
  /// In lower case; an IPv6 address keeps its brackets.
  var host = ""
  /// Nil for the usual one.
  var port: Int?
  /// Begins with a slash and has no dot segments. What may not stand in a URL is percent-encoded,
  /// here and in the query.
  var path = "/"
  /// Without its question mark; nil where there is none.
  var query: String?
  /// What stood before the host, decoded.
  var user: String?
  var password: String?

  private typealias Bytes = ArraySlice<UInt8>

  /// Takes an absolute URL apart, or what a base makes of a reference (section 5.2.2).
  init?(_ text: String, relativeTo base: URLParts? = nil) {
    let bytes = Array(text.utf8)
    // Line breaks and other controls are never meant, and would end the line of a request.
    guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else { return nil }
    var rest = bytes.prefix { $0 != UInt8(ascii: "#") }
    if let name = URLParts.scheme(of: rest) {
      scheme = String(decoding: name, as: UTF8.self).lowercased()
      rest = rest.dropFirst(name.count + 1)
      guard rest.starts(with: "//".utf8), takeAuthority(&rest) else { return nil }
      takeTarget(rest, folder: "")
    } else if let base {
      self = base
      if rest.starts(with: "//".utf8) {
        self = URLParts(scheme: base.scheme)
        guard takeAuthority(&rest) else { return nil }
        takeTarget(rest, folder: "")
      } else if !rest.isEmpty {
        takeTarget(rest, folder: base.path[...])
      }
    } else {
      return nil
    }
  }

  private init(scheme: String) { self.scheme = scheme }

  /// Takes `//user:password@host:port` off the front.
  private mutating func takeAuthority(_ rest: inout Bytes) -> Bool {
    rest = rest.dropFirst(2)
    var authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
    rest = rest.dropFirst(authority.count)
    // Browsers end the host here.
    guard !authority.contains(UInt8(ascii: "\\")) else { return false }
    if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
      guard takeLogin(authority[..<at]) else { return false }
      authority = authority[(at + 1)...]
    }
    // The colons of an IPv6 address stand in brackets.
    let colon = authority.lastIndex(of: UInt8(ascii: ":")) ?? authority.endIndex
    let bracket = authority.lastIndex(of: UInt8(ascii: "]")) ?? authority.startIndex
    let hostEnd = colon > bracket ? colon : authority.endIndex
    host = String(decoding: authority[..<hostEnd], as: UTF8.self).lowercased()
    guard URLParts.isHost(authority[..<hostEnd]) else { return false }
    return takePort(authority[hostEnd...].dropFirst())
  }

  private mutating func takeLogin(_ login: Bytes) -> Bool {
    let parts = login.split(
      separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false
    ).map { String(decoding: $0, as: UTF8.self).percentDecoded }
    guard parts.allSatisfy({ $0 != nil }) else { return false }
    user = parts[0]
    password = parts.count > 1 ? parts[1] : nil
    return true
  }

  private mutating func takePort(_ digits: Bytes) -> Bool {
    port = nil
    guard !digits.isEmpty else { return true }
    guard digits.allSatisfy({ (0x30...0x39).contains($0) }),
      let number = Int(String(decoding: digits, as: UTF8.self)), (1...65535).contains(number)
    else { return false }
    port = number
    return true
  }

  /// Takes path and query.
  ///
  /// - Parameter folder: the path that a relative one begins in; empty where it is no reference.
  private mutating func takeTarget(_ target: Bytes, folder: Substring) {
    let written = target.prefix { $0 != UInt8(ascii: "?") }
    if written.isEmpty {
      if folder.isEmpty { path = "/" }
    } else {
      let slash = folder.lastIndex(of: "/")
      let isRelative = written.first != UInt8(ascii: "/")
      let start = isRelative ? slash.map { folder[...$0] } ?? "/" : ""
      path = URLParts.withoutDots(start + URLParts.encoded(written))
    }
    let asked = target.dropFirst(written.count)
    query = asked.isEmpty ? nil : URLParts.encoded(asked.dropFirst())
  }

  // MARK: - Letters

  private static func scheme(of text: Bytes) -> Bytes? {
    let name = text.prefix { isLetter($0) || isDigit($0) || "+-.".utf8.contains($0) }
    guard let first = name.first, isLetter(first),
      text.dropFirst(name.count).first == UInt8(ascii: ":")
    else { return nil }
    return name
  }

  /// A name in letters of any script, an IPv4 address, or an IPv6 address in brackets.
  private static func isHost(_ host: Bytes) -> Bool {
    if host.first == UInt8(ascii: "["), host.last == UInt8(ascii: "]"), host.count > 3 {
      return host.dropFirst().dropLast().allSatisfy {
        isDigit($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0 | 0x20)
          || ":.".utf8.contains($0)
      }
    }
    return !host.isEmpty
      && host.allSatisfy { isLetter($0) || isDigit($0) || "-._~".utf8.contains($0) || $0 >= 0x80 }
  }

  /// Percent-encodes what may not stand in a URL; what is encoded already stays so.
  private static func encoded(_ text: Bytes) -> String {
    var bytes: [UInt8] = []
    let digits = Array("0123456789ABCDEF".utf8)
    for byte in text {
      if byte <= 0x20 || byte >= 0x7f || "\"<>\\^`{|}".utf8.contains(byte) {
        bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Section 5.2.4.
  private static func withoutDots(_ path: String) -> String {
    var kept: [Substring] = []
    let segments = path.split(separator: "/", omittingEmptySubsequences: false)
    for (index, segment) in segments.enumerated() {
      switch segment.lowercased() {
      case ".", "%2e": break
      case "..", ".%2e", "%2e.", "%2e%2e": if kept.count > 1 { kept.removeLast() }
      default:
        kept.append(segment)
        continue
      }
      if index == segments.count - 1 { kept.append("") }
    }
    return kept.joined(separator: "/")
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
