import Glibc
import Support
import Synchronization
import System
import Testing

@testable import Resources

extension Benchmarks {
  /// Warm reads with their checks against plain reads of the same file, what storing costs, and how
  /// long an index takes to open.
  @Suite(.serialized) struct CacheBenchmarks {
    private static let size: UInt64 = Effort.by(short: 4, quick: 64, full: 256) << 20
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

    @Test(.measures(.cache)) func reads_andWrites_costThis() throws {
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
        first.append(milliseconds { slowest = max(slowest, readAll(&stored).max() ?? 0) })
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
      note("cache.firstRead", of: "alone", reference / median(first), "of pread", .atLeast(0.5))
      table.show()
    }

    /// What a viewer sees while another story is fetched: its bytes are hashed, written and synced
    /// all the time by another thread.
    @Test(.measures(.cache)) func reads_besideWrites_costThis() throws {
      let path = folder.path("cache")
      let limits = CacheLimits(reserve: 0)
      let bytes = [UInt8](repeating: 7, count: 256 << 10)
      let store = try CacheStore(directory: path, limits: limits)
      let facts = ContentFacts(length: Self.size, validator: Validator(entityTag: "\"a\""))
      let made = try store.create("k", source: "s", facts: facts)
      for start in stride(from: UInt64(0), to: Self.size, by: bytes.count) {
        _ = try store.write(bytes, at: start, of: made.entry)
        if store.pendingBytes >= 2 << 20 { try store.commit() }
      }
      store.close(made.entry)
      let part = directoryEntries(path + "/blobs")[0]
      let blob = "\(path)/blobs/\(part)/\(directoryEntries("\(path)/blobs/\(part)")[0])"
      let isDone = Atomic(false)
      let written = Atomic<UInt64>(0)
      let writer = try WorkerThread {
        guard let store = try? CacheStore(directory: path, limits: limits),
          let made = try? store.create("other", source: "s", facts: facts)
        else { return }
        var position: UInt64 = 0
        while !isDone.load(ordering: .relaxed) {
          _ = try? store.write(bytes, at: position % Self.size, of: made.entry)
          position += UInt64(bytes.count)
          written.store(position, ordering: .relaxed)
          if store.pendingBytes >= 2 << 20 { _ = try? store.commit() }
        }
      }
      let deadline = Instant.now + .seconds(20)
      while written.load(ordering: .relaxed) == 0, Instant.now < deadline { usleep(1000) }
      var plain: [Double] = []
      var checked: [Double] = []
      var reads: [Double] = []
      for _ in 0..<Effort.pairs {
        let file = try Descriptor.open(reading: blob)
        plain.append(
          try milliseconds {
            for start in stride(from: UInt64(0), to: Self.size, by: Self.piece) {
              let bytes = try file.read(at: start, count: Self.piece)
              #expect(bytes.count == Self.piece)
            }
          })
        let fresh = try CacheStore(directory: path, limits: limits)
        var stored = StoredBytes(try #require(try fresh.find("k")))
        checked.append(milliseconds { reads += readAll(&stored) })
      }
      isDone.store(true, ordering: .relaxed)
      writer.join()
      #expect(written.load(ordering: .relaxed) > 0)
      let sorted = reads.sorted()
      var table = Table("cache, the same while another entry is written", "", "rate", "of plain")
      table.add("plain pread", perSecond(median(plain)), "1.00")
      table.add(
        "first read, checked", perSecond(median(checked)),
        fixed(median(plain) / median(checked), 2))
      let slow = sorted[sorted.count * 99 / 100]
      table.add(
        "99 of 100 checked reads", fixed(slow, 2) + " ms",
        note("cache.p99", of: "beside writes", slow, "ms", .atMost(2)))
      note(
        "cache.firstRead", of: "beside writes", median(plain) / median(checked), "of pread",
        .atLeast(0.5))
      table.add("resident memory", fixed(Double(residentKiB()) / 1024, 1) + " MiB", "")
      table.show()
    }

    /// What this process holds in memory, libraries and the test runner included.
    private func residentKiB() -> Int {
      let lines = ((try? readText("/proc/self/status")) ?? "").split(separator: "\n")
      let line = lines.first { $0.hasPrefix("VmRSS:") } ?? ""
      return Int(line.filter { $0.isNumber }) ?? 0
    }

    /// Reads it through; what each read took in milliseconds.
    private func readAll(_ stored: inout StoredBytes) -> [Double] {
      var position: UInt64 = 0
      var times: [Double] = []
      while position < Self.size {
        times.append(
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
      return times
    }

    private func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    @Test(.measures(.cache), arguments: Effort.isFull ? [10, 10_000] : [10])
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
      note("cache.open", of: "\(entries) entries", opening, "ms")
      table.add("open", fixed(opening, 1))
      table.show()
    }
  }
}
