import Addresses

/// An absolute http or https URL, taken apart.
public struct WebAddress: Equatable, Sendable {
  public let scheme: String
  /// In lower case; an IPv6 address keeps its brackets.
  public let host: String
  public let port: Int
  /// Path and query, as they are sent.
  let target: String
  /// What stood before the host, decoded.
  let user: String?
  let password: String?

  /// Takes a URL apart, or what a base makes of a reference (RFC 3986, section 5.2); nil for what
  /// is no http or https URL. A reference brings no login.
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

  /// The same address with the login of another one, where both are of one origin.
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

  /// Scheme, host and port: who may be trusted with the same secrets.
  public var origin: String { "\(scheme)://\(host):\(port)" }

  private var isDefaultPort: Bool { port == (scheme == "https" ? 443 : 80) }

  /// The host as a viewer knows it, with a port that is not the usual one.
  public var visibleHost: String { isDefaultPort ? host : "\(host):\(port)" }

  /// What a section of the configuration for this origin is called.
  public var ruleName: String { scheme == "https" ? visibleHost : "\(host):\(port)" }

  /// Which port of which host it is at.
  var hostAndPort: String { "\(host):\(port)" }

  /// What is requested, without login and fragment.
  var url: String { "\(scheme)://\(visibleHost)\(target)" }

  /// What is requested, with its login.
  var urlWithLogin: String {
    guard let user else { return url }
    let parts = [user] + (password.map { [$0] } ?? [])
    let login = parts.map { PercentCoding.encoded($0.utf8) }.joined(separator: ":")
    return "\(scheme)://\(login)@\(visibleHost)\(target)"
  }

  /// What may be shown and stored: without login and query.
  public var visible: String { "\(scheme)://\(visibleHost)\(path)" }

  /// Whether it holds a password.
  public var hasPassword: Bool { password != nil }

  /// Percent-encoded.
  var path: String { String(target.prefix { $0 != "?" }) }

  /// Whether its path ends with a slash.
  var isFolder: Bool { path.hasSuffix("/") }

  /// What the cache knows the bytes by: the user counts, and all of the URL but a signature that
  /// changes from one visit to the next.
  ///
  /// - Parameter account: who asks, where the address does not say.
  func identity(account: String? = nil) -> String {
    let stable = SignedAddress.stablePart(of: self)
    return "\(user ?? account ?? "")@\(scheme)://\(stable)"
  }
}
