import System

/// How the network and the cache are used.
public struct NetworkOptions: Sendable {
  /// The cache's directory; nil for none.
  public var cacheDirectory: String?
  public var limits = CacheLimits()
  /// How many seconds content stays fresh, if its server does not say.
  public var freshSeconds: Int64 = 7 * 86_400
  public var hosts: [HostRule] = []
  /// The text of a netrc file, and the path of another one, which is read when it is needed.
  public var netrc = ""
  public var netrcFile: String?
  /// A file of certificates that are trusted instead of the system's.
  public var certificates: String?
  /// Whether the proxies in the environment are used.
  public var usesProxies = true
  /// Gives the value of an environment variable.
  var environment: @Sendable (String) -> String? = { EnvironmentVariable.value(of: $0) }
  public var userAgent = "storytty"
  /// Seconds to wait for a connection, and for a transfer that brings less than 1 KiB/s.
  public var patienceSeconds = 10
  /// How long another process that stores nothing new is waited for: it may have been stopped.
  var patienceWithOthers = Duration.seconds(4)
  /// The first delay between two attempts, in milliseconds.
  public var backOffMilliseconds = 250
  /// Where requests and the work of the cache are logged.
  public var log = Log.off

  public init(cacheDirectory: String? = nil) { self.cacheDirectory = cacheDirectory }

  /// Also uses the logins of the user's own netrc file: the one in NETRC, else ~/.netrc.
  public mutating func useNetrc() { netrcFile = Netrc.standardPath }

  /// The profile of the service at an address.
  func profile(of address: WebAddress) -> SourceProfile {
    rules(for: address).last { $0.profile != .plain }?.profile ?? .plain
  }

  func rules(for address: WebAddress) -> [HostRule] {
    hosts.isEmpty ? [] : hosts.filter { $0.applies(to: address) }
  }
}
