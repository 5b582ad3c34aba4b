/// Where a secret comes from. It is never shown, logged or stored.
public enum Secret: Equatable, Sendable {
  case literal(String)
  /// The value of an environment variable.
  case environment(String)
  /// The first line that a shell command prints.
  case command(String)
}

/// What one origin gets with every request, and no other does.
public struct HostRule: Equatable, Sendable {
  /// `host` for the usual ports, or `host:port`.
  public var host: String
  public var fields: [(name: String, value: Secret)]
  public var user: String?
  public var password: Secret?

  public init(
    host: String, fields: [(name: String, value: Secret)] = [], user: String? = nil,
    password: Secret? = nil
  ) {
    self.host = host
    self.fields = fields
    self.user = user
    self.password = password
  }

  public static func == (a: HostRule, b: HostRule) -> Bool {
    a.host == b.host && a.user == b.user && a.password == b.password
      && a.fields.elementsEqual(b.fields) { $0 == $1 }
  }
}

/// How the network and the cache are used.
public struct NetworkOptions: Sendable {
  /// The cache's directory; nil for none.
  public var cacheDirectory: String?
  public var limits = CacheLimits()
  /// For how many seconds a server that says nothing about it need not be asked again.
  public var freshSeconds: Int64 = 7 * 86_400
  public var hosts: [HostRule] = []
  /// The text of a netrc file.
  public var netrc = ""
  /// A file of certificates to trust instead of the system's.
  public var certificates: String?
  /// Whether the proxies that the environment names are used.
  public var usesProxies = true
  public var userAgent = "storytty"
  /// Seconds to wait for a connection, and at less than 1 KiB/s for more.
  public var patienceSeconds = 10
  /// The first back-off between two attempts, in milliseconds.
  public var backOffMilliseconds = 250

  public init(cacheDirectory: String? = nil) { self.cacheDirectory = cacheDirectory }
}
