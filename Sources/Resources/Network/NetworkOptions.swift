import System

/// How the network and the cache are used.
public struct NetworkOptions: Sendable {
  /// The cache's directory; nil for none.
  public var cacheDirectory: String?
  public var limits = CacheLimits()
  /// For how many seconds a server that says nothing about it need not be asked again.
  public var freshSeconds: Int64 = 7 * 86_400
  public var hosts: [HostRule] = []
  /// The text of a netrc file, and the path of another one, which is read when it is needed.
  public var netrc = ""
  public var netrcFile: String?
  /// A file of certificates to trust instead of the system's.
  public var certificates: String?
  /// Whether the proxies that the environment names are used.
  public var usesProxies = true
  /// Gives the value of an environment variable.
  var environment: @Sendable (String) -> String? = { EnvironmentVariable.value(of: $0) }
  public var userAgent = "storytty"
  /// Seconds to wait for a connection, and at less than 1 KiB/s for more.
  public var patienceSeconds = 10
  /// So long another process that stores nothing new is waited for: it may have been stopped.
  var patienceWithOthers = Duration.seconds(4)
  /// The first back-off between two attempts, in milliseconds.
  public var backOffMilliseconds = 250
  /// Where requests, and what the cache does, are noted.
  public var log = Log.off

  public init(cacheDirectory: String? = nil) { self.cacheDirectory = cacheDirectory }

  /// Takes logins also from the user's own netrc file: what NETRC names, else ~/.netrc.
  public mutating func useNetrc() { netrcFile = Netrc.standardPath }

  /// The profile of the service at an address.
  func profile(of address: WebAddress) -> SourceProfile {
    rules(for: address).last { $0.profile != .plain }?.profile ?? .plain
  }

  func rules(for address: WebAddress) -> [HostRule] {
    hosts.isEmpty ? [] : hosts.filter { $0.applies(to: address) }
  }
}
