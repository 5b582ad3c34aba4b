import Addresses

/// An absolute http or https URL, parsed.
public struct WebAddress: Equatable, Sendable {
  public let scheme: String
  /// In lower case; an IPv6 address keeps its brackets.
  public let host: String
  public let port: Int
  /// Path and query, as they are sent.
  let target: String
  /// The userinfo, decoded.
  let user: String?
  let password: String?

  /// Parses a URL, or a reference that is resolved against a base (RFC 3986, section 5.2); nil if
  /// it is no http or https URL. A reference has no login.
  public init?(_ text: String, relativeTo base: WebAddress? = nil) {
    guard text.utf8.count <= 16 << 10,
      let parts = URLParts(text, relativeTo: base.flatMap { URLParts($0.url) }),
      parts.scheme == "http" || parts.scheme == "https"
    else { return nil }
    scheme = parts.scheme
    host = parts.host
    port = parts.port ?? (parts.scheme == "https" ? 443 : 80)
    target = parts.path + (parts.query.map { "?" + $0 } ?? "")
    user = base == nil ? parts.user : nil
    password = base == nil ? parts.password : nil
  }

  /// The same address with the login of another one, if both have the same origin.
  func withLogin(of other: WebAddress) -> WebAddress {
    guard other.origin == origin else { return self }
    return WebAddress(self, user: other.user, password: other.password)
  }

  private init(_ address: WebAddress, user: String?, password: String?) {
    scheme = address.scheme
    host = address.host
    port = address.port
    target = address.target
    self.user = user
    self.password = password
  }

  /// Scheme, host and port: the same secrets may be sent to one origin.
  public var origin: String { "\(scheme)://\(host):\(port)" }

  private var isDefaultPort: Bool { port == (scheme == "https" ? 443 : 80) }

  /// The host for messages, with its port unless that is the default.
  public var visibleHost: String { isDefaultPort ? host : "\(host):\(port)" }

  /// The name of a section of the configuration for this origin.
  public var ruleName: String { scheme == "https" ? visibleHost : "\(host):\(port)" }

  /// The host and its port.
  var hostAndPort: String { "\(host):\(port)" }

  /// The URL of a request, without login and fragment.
  var url: String { "\(scheme)://\(visibleHost)\(target)" }

  /// The URL of a request, with its login.
  var urlWithLogin: String {
    guard let user else { return url }
    let parts = [user] + (password.map { [$0] } ?? [])
    let login = parts.map { PercentCoding.encoded($0.utf8) }.joined(separator: ":")
    return "\(scheme)://\(login)@\(visibleHost)\(target)"
  }

  /// The URL in a form that may be shown and stored: without login and query.
  public var visible: String { "\(scheme)://\(visibleHost)\(path)" }

  /// Whether it holds a password.
  public var hasPassword: Bool { password != nil }

  /// Percent-encoded.
  var path: String { String(target.prefix { $0 != "?" }) }

  /// Whether its path ends with a slash.
  var isFolder: Bool { path.hasSuffix("/") }

  /// The key of the bytes in the cache: the user and the URL, without a signature that changes from
  /// one visit to the next.
  ///
  /// - Parameter account: the account, if the address does not give it.
  func identity(account: String? = nil) -> String {
    let stable = SignedAddress.stablePart(of: self)
    return "\(user ?? account ?? "")@\(scheme)://\(stable)"
  }
}
