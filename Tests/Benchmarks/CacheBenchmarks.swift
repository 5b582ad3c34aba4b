import Support
import System
import Testing

@testable import Resources

extension Benchmarks {
  /// Warm reads with their checks against plain reads of the same file, what storing costs, and how
  /// long an index takes to open.
  @Suite(.serialized) struct CacheBenchmarks {
    private static let size: UInt64 = Effort.isFull ? 256 << 20 : 4 << 20
    private static let piece = 256 << 10

    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func milliseconds(_ work: () throws -> Void) rethrows -> Double {
      let start = Instant.now
      try work()
      let (seconds, attoseconds) = (Instant.now - start).components
      return Double(seconds) * 1000 + Double(attoseconds) / 1e15
    }

    private func perSecond(_ milliseconds: Double) -> String {
      fixed(Double(Self.size) / 1e6 / (milliseconds / 1000), 0) + " MB/s"
    }

    @Test func reads_andWrites_costThis() throws {
      let bytes = [UInt8](repeating: 7, count: 256 << 10)
      let path = folder.path("cache")
      let limits = CacheLimits(reserve: 0)
      let store = try CacheStore(directory: path, limits: limits)
      let facts = ContentFacts(length: Self.size, validator: Validator(entityTag: "\"a\""))
      let made = try store.create("k", source: "s", facts: facts)
      let writing = try milliseconds {
        for start in stride(from: UInt64(0), to: Self.size, by: bytes.count) {
          _ = try store.write(bytes, at: start, of: made.entry)
          if store.pendingBytes >= 4 << 20 { try store.commit() }
        }
        try store.commit()
      }
      store.close(made.entry)
      let names = directoryEntries(path + "/blobs").flatMap { part in
        directoryEntries("\(path)/blobs/\(part)").map { "\(path)/blobs/\(part)/\($0)" }
      }
      var plain: [Double] = []
      var first: [Double] = []
      var again: [Double] = []
      var slowest = 0.0
      for _ in 0..<Effort.pairs {
        let file = try Descriptor.open(reading: names[0])
        plain.append(
          try milliseconds {
            for start in stride(from: UInt64(0), to: Self.size, by: Self.piece) {
              let bytes = try file.read(at: start, count: Self.piece)
              #expect(bytes.count == Self.piece)
            }
          })
        let fresh = try CacheStore(directory: path, limits: limits)
        var stored = StoredBytes(try #require(try fresh.find("k")))
        first.append(milliseconds { slowest = max(slowest, readAll(&stored)) })
        again.append(milliseconds { _ = readAll(&stored) })
      }
      var table = Table("cache, 256 KiB reads of \(Self.size >> 20) MiB", "", "rate", "of plain")
      let reference = median(plain)
      table.add("plain pread", perSecond(reference), "1.00")
      table.add(
        "first read, checked", perSecond(median(first)), fixed(reference / median(first), 2))
      table.add("read again", perSecond(median(again)), fixed(reference / median(again), 2))
      table.add("write, hash, sync", perSecond(writing), "")
      table.add("slowest checked read", fixed(slowest, 2) + " ms", "")
      table.show()
    }

    /// Reads it through; the slowest read in milliseconds.
    private func readAll(_ stored: inout StoredBytes) -> Double {
      var position: UInt64 = 0
      var slowest = 0.0
      while position < Self.size {
        slowest = max(
          slowest,
          milliseconds {
            let end = position + UInt64(Self.piece)
            guard case .bytes(let part) = stored.read(from: position, upTo: end) else {
              Issue.record("a stored byte is missing")
              position = Self.size
              return
            }
            position += UInt64(part.bytes.count)
          })
      }
      return slowest
    }

    private func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    @Test(arguments: Effort.isFull ? [10, 10_000] : [10])
    func index_ofSoManyEntries_opensInThis(entries: Int) throws {
      let path = folder.path("cache")
      let store = try CacheStore(directory: path)
      try store.index.transaction { () throws(DatabaseError) in
        for number in 0..<entries {
          let entry = try store.index.add(
            key: store.index.hash(of: "\(number)"), blob: Blob.newName(), source: "s",
            facts: ContentFacts(length: 4096), now: store.clock())
          try store.index.add([Segment(start: 0, length: 4096, hash: 1)], to: entry)
        }
      }
      let opening = try milliseconds { _ = try CacheStore(directory: path) }
      var table = Table("cache, index of \(entries) entries", "", "ms")
      table.add("open", fixed(opening, 1))
      table.show()
    }
  }
}
