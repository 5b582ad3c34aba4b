/// Where a secret comes from. It is never shown, logged or stored.
public enum Secret: Equatable, Sendable {
  case literal(String)
  /// The value of an environment variable.
  case environment(String)
  /// The first line that a shell command prints.
  case command(String)
}

/// Settings for the requests to one origin, and to no other.
public struct HostRule: Equatable, Sendable {
  /// `host` means its secure port 443 only; else `host:port`.
  public var host: String
  /// Whether the rule holds for https only, whatever the port.
  public var isSecureOnly: Bool
  /// How the service at this host gives out its files.
  public var profile: SourceProfile
  public var fields: [(name: String, value: Secret)]
  /// The account whose files are meant; the login's name, if the profile logs in by name.
  public var user: String?
  public var password: Secret?
  /// A file of certificates that are trusted for this host instead of the system's.
  public var certificates: String?

  public init(
    host: String, isSecureOnly: Bool = false, profile: SourceProfile = .plain,
    fields: [(name: String, value: Secret)] = [], user: String? = nil, password: Secret? = nil,
    certificates: String? = nil
  ) {
    self.host = host
    self.isSecureOnly = isSecureOnly
    self.profile = profile
    self.fields = fields
    self.user = user
    self.password = password
    self.certificates = certificates
  }

  public static func == (a: HostRule, b: HostRule) -> Bool {
    a.host == b.host && a.isSecureOnly == b.isSecureOnly && a.profile == b.profile
      && a.user == b.user && a.password == b.password && a.certificates == b.certificates
      && a.fields.elementsEqual(b.fields) { $0 == $1 }
  }

  /// Whether this rule holds for the origin of an address. A rule for a secure server is not used
  /// for its insecure port, nor without encryption for its secure one.
  func applies(to address: WebAddress) -> Bool {
    let host = host.lowercased()
    let isSecure = isSecureOnly || certificates != nil || address.port == 443
    guard address.scheme == "https" || !isSecure else { return false }
    return host == address.ruleName || host == address.hostAndPort
  }
}
