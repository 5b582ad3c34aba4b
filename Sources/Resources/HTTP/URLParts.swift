import Addresses

/// An absolute URL with a host, parsed by RFC 3986, but more strictly: anything that a lenient
/// parser might take for another host is refused.
struct URLParts: Equatable {
  /// In lower case.
  var scheme: String
  /// In lower case; an IPv6 address keeps its brackets.
  var host = ""
  /// Nil for the default port.
  var port: Int?
  /// It begins with a slash and has no dot segments. Characters that are not allowed in a URL are
  /// percent-encoded, here and in the query.
  var path = "/"
  /// Without its question mark; nil if there is none.
  var query: String?
  /// The userinfo, decoded.
  var user: String?
  var password: String?

  private typealias Bytes = Substring.UTF8View

  /// Parses an absolute URL, or a reference that is resolved against a base (section 5.2.2).
  init?(_ text: String, relativeTo base: URLParts? = nil) {
    // Line breaks and other controls are never meant, and would end the line of a request.
    guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else { return nil }
    let reference = URLReference(text)
    let target = reference.resolved(against: base?.reference ?? URLReference(""))
    guard let scheme = target.scheme else { return nil }
    self.scheme = scheme.lowercased()
    if let authority = reference.authority {
      guard takeAuthority(authority.utf8[...]) else { return nil }
    } else if let base, reference.scheme == nil {
      (host, port, user, password) = (base.host, base.port, base.user, base.password)
    } else {
      return nil
    }
    path = target.path.isEmpty ? "/" : URLParts.encoded(target.path)
    query = target.query.map(URLParts.encoded)
  }

  /// The form that references are resolved against.
  private var reference: URLReference {
    URLReference(scheme: scheme, authority: host, path: path, query: query)
  }

  /// Parses `user:password@host:port`.
  private mutating func takeAuthority(_ whole: Bytes) -> Bool {
    var authority = whole
    // Browsers end the host here.
    guard !authority.contains(UInt8(ascii: "\\")) else { return false }
    if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
      guard takeLogin(authority[..<at]) else { return false }
      authority = authority[authority.index(after: at)...]
    }
    // The colons of an IPv6 address are in brackets.
    let colon = authority.lastIndex(of: UInt8(ascii: ":")) ?? authority.endIndex
    let bracket = authority.lastIndex(of: UInt8(ascii: "]")) ?? authority.startIndex
    let hostEnd = colon > bracket ? colon : authority.endIndex
    host = String(Substring(authority[..<hostEnd])).lowercased()
    guard URLParts.isHost(authority[..<hostEnd]) else { return false }
    return takePort(authority[hostEnd...].dropFirst())
  }

  private mutating func takeLogin(_ login: Bytes) -> Bool {
    let parts = login.split(
      separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false
    ).map { PercentCoding.decodedText(Substring($0)) }
    guard parts.allSatisfy({ $0 != nil }) else { return false }
    user = parts[0]
    password = parts.count > 1 ? parts[1] : nil
    return true
  }

  private mutating func takePort(_ digits: Bytes) -> Bool {
    port = nil
    guard !digits.isEmpty else { return true }
    guard digits.allSatisfy({ (0x30...0x39).contains($0) }),
      let number = Int(Substring(digits)), (1...65535).contains(number)
    else { return false }
    port = number
    return true
  }

  // MARK: - Letters

  /// A name in letters of any script, an IPv4 address, or an IPv6 address in brackets.
  private static func isHost(_ host: Bytes) -> Bool {
    if host.first == UInt8(ascii: "["), host.last == UInt8(ascii: "]"), host.count > 3 {
      return host.dropFirst().dropLast().allSatisfy {
        $0.isASCIIDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0 | 0x20)
          || ":.".utf8.contains($0)
      }
    }
    return !host.isEmpty
      && host.allSatisfy {
        $0.isASCIILetter || $0.isASCIIDigit || "-._~".utf8.contains($0) || $0 >= 0x80
      }
  }

  /// Percent-encodes characters that are not allowed in a URL; encoded ones stay as they are.
  private static func encoded(_ text: String) -> String {
    PercentCoding.encoded(text.utf8) {
      $0 > 0x20 && $0 < 0x7f && !"\"<>\\^`{|}".utf8.contains($0)
    }
  }
}
