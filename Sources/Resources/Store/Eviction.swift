/// How much the cache may hold.
public struct CacheLimits: Equatable, Sendable {
  public var bytes: UInt64
  public var entries: Int
  /// Entries that were not used for this many days are deleted.
  public var days: Int
  /// Free bytes that must remain on the volume; nil for 1 GiB or 5 % of it, whichever is smaller.
  public var reserve: UInt64?

  public init(
    bytes: UInt64 = 2 << 30, entries: Int = 500, days: Int = 30, reserve: UInt64? = nil
  ) {
    self.bytes = bytes
    self.entries = entries
    self.days = days
    self.reserve = reserve
  }

  func reserve(ofVolume total: UInt64) -> UInt64 { reserve ?? min(1 << 30, total / 20) }
}

/// Decides which entries are deleted when space is needed.
enum Eviction {
  /// An entry, as far as the decision depends on it.
  struct Candidate: Equatable {
    var entry: EntryNumber
    var bytes: UInt64
    /// Counts uses; a wall clock may jump.
    var used: Int64
    /// Seconds since 1970.
    var usedAt: Int64
    /// The server has other bytes now.
    var isSuperseded = false
  }

  /// The space that is missing.
  struct Need: Equatable {
    var bytes: UInt64 = 0
    var entries = 0

    var isMet: Bool { bytes == 0 && entries <= 0 }

    func plus(_ more: UInt64) -> Need { Need(bytes: bytes + more, entries: entries) }

    mutating func meet(by candidate: Candidate) {
      bytes -= min(bytes, candidate.bytes)
      entries -= 1
    }
  }

  /// Entries that are deleted in any case, then the others in the order in which they are deleted
  /// while space is missing.
  static func order(
    _ candidates: [Candidate], days: Int, now: Int64
  ) -> (always: [Candidate], whileNeeded: [Candidate]) {
    var always: [Candidate] = []
    var rest: [Candidate] = []
    for candidate in candidates {
      // A use in the future happened with a wrong clock.
      let age = now - max(0, min(candidate.usedAt, now))
      if candidate.isSuperseded || age > Int64(days) * 86_400 {
        always.append(candidate)
      } else {
        rest.append(candidate)
      }
    }
    return (always, rest.sorted { ($0.used, $0.entry.value) < ($1.used, $1.entry.value) })
  }

  /// The space that is missing for some more bytes and entries.
  ///
  /// - Parameter free: free bytes of the volume, and how many of them must remain.
  static func need(
    limits: CacheLimits, held: UInt64, entries: Int, adding bytes: UInt64,
    free: (now: UInt64, kept: UInt64)
  ) -> Need {
    let overQuota = held + bytes > limits.bytes ? held + bytes - limits.bytes : 0
    let wanted = free.kept + bytes
    let missing = wanted > free.now ? wanted - free.now : 0
    return Need(bytes: max(overQuota, missing), entries: max(0, entries - limits.entries))
  }
}
