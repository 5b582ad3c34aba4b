import System

/// What the cache did over some time.
public struct Saving: Equatable, Sendable {
  /// Requests that were sent to servers.
  public var requests: UInt64
  /// Reads that were answered without a request.
  public var hits: UInt64
  public var misses: UInt64
  /// Bytes that readers were given, each counted once per opening of a resource.
  public var served: UInt64
  /// Bytes that came from servers.
  public var fetched: UInt64

  public init(
    requests: UInt64 = 0, hits: UInt64 = 0, misses: UInt64 = 0, served: UInt64 = 0,
    fetched: UInt64 = 0
  ) {
    self.requests = requests
    self.hits = hits
    self.misses = misses
    self.served = served
    self.fetched = fetched
  }

  /// Bytes that did not have to come from servers.
  public var saved: UInt64 { served > fetched ? served - fetched : 0 }

  public static func + (a: Saving, b: Saving) -> Saving {
    Saving(
      requests: a.requests.addingClamped(b.requests), hits: a.hits.addingClamped(b.hits),
      misses: a.misses.addingClamped(b.misses), served: a.served.addingClamped(b.served),
      fetched: a.fetched.addingClamped(b.fetched))
  }
}
