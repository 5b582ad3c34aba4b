import Glibc
import System

/// What the cache holds and has saved.
public struct CacheStatus: Equatable, Sendable {
  public var entries = 0
  public var bytes: UInt64 = 0
  /// The savings of each day, "2026-12-05", in order.
  public var days: [Day] = []

  public struct Day: Equatable, Sendable {
    public var day: String
    public var saving: Saving
  }

  public init() {}

  /// The savings in total.
  public var total: Saving { days.reduce(Saving()) { $0 + $1.saving } }
}

/// The cache as its own commands use it. Other processes may use it at the same time.
public struct CacheDirectory: Sendable {
  public let path: String
  private let limits: CacheLimits

  public init(_ path: String, limits: CacheLimits = CacheLimits()) {
    self.path = path
    self.limits = limits
  }

  /// `$XDG_CACHE_HOME/storytty`, or in `.cache` of the home directory; nil without either.
  public static var standardPath: String? {
    if let base = EnvironmentVariable.value(of: "XDG_CACHE_HOME"), base.hasPrefix("/") {
      return base + "/storytty"
    }
    return EnvironmentVariable.value(of: "HOME").map { $0 + "/.cache/storytty" }
  }

  public func status() throws(ResourceError) -> CacheStatus {
    try using(otherwise: CacheStatus()) { store throws(CacheError) in
      guard !store.isRenewed else { throw .gone }
      try store.forgetMissing()
      var status = CacheStatus()
      let list = try store.list()
      status.entries = list.count
      status.bytes = list.reduce(0) { $0 + $1.bytes }
      status.days = try store.savings().map { CacheStatus.Day(day: $0.day, saving: $0.saving) }
      return status
    }
  }

  /// The entries, the least recently used first.
  public func list() throws(ResourceError) -> [CacheListing] {
    try using(otherwise: []) { store throws(CacheError) in
      guard !store.isRenewed else { throw .gone }
      try store.forgetMissing()
      return try store.list()
    }
  }

  /// Reads and checks every stored byte; damaged segments and files without an entry are removed.
  public func verify() throws(ResourceError) -> CacheCheck {
    try using(otherwise: CacheCheck()) { store throws(CacheError) in
      let check = try store.verify()
      guard !store.isRenewed else { throw .gone }
      return check
    }
  }

  /// Whether this many more bytes fit, after deleting what may be deleted for them.
  public func hasRoom(for bytes: UInt64) throws(ResourceError) -> Bool {
    try using(otherwise: true) { store throws(CacheError) in try store.hasRoom(for: bytes) }
  }

  /// Deletes everything that no process uses.
  public func clear() throws(ResourceError) {
    try using(otherwise: ()) { store throws(CacheError) in try store.clear() }
  }

  private func using<Result>(
    otherwise nothing: Result, _ body: (CacheStore) throws(CacheError) -> Result
  ) throws(ResourceError) -> Result {
    // Showing the cache must not make one.
    do {
      _ = try FileStatus(of: path + "/index.db")
    } catch {
      switch error.code {
      case ENOENT: return nothing
      case ENOTDIR: throw ResourceError("it is no directory")
      default: throw ResourceError(error.reason)
      }
    }
    do {
      return try body(CacheStore(directory: path, limits: limits))
    } catch {
      switch error {
      case .busy: throw ResourceError("another process holds the cache's index")
      case .gone: throw ResourceError("the cache's index was damaged and is begun anew")
      case .noRoom: throw ResourceError("no room is left for the cache's index")
      case .unusable(let reason): throw ResourceError(reason)
      }
    }
  }
}
