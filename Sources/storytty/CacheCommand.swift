import Glibc
import Pictures
import Player
import Resources
import System

/// `storytty cache`: what the disk cache holds, and how much traffic it has saved.
struct CacheCommand {
  let invocation: Invocation

  private enum Verb: String, CaseIterable {
    case status, list, verify, prefetch, clear, path
  }

  func run() -> Int32 {
    guard let verb: Verb = invocation.subverb(of: "cache", otherwise: .status) else {
      return Status.failure
    }
    guard verb == .prefetch || invocation.sources.count <= 1 else {
      complain("cache \(verb.rawValue) takes no source")
      return Status.failure
    }
    guard let path = invocation.network.cacheDirectory else {
      complain("there is no cache: --no-cache is given, or neither XDG_CACHE_HOME nor HOME is set")
      return Status.failure
    }
    let cache = CacheDirectory(path, limits: invocation.network.limits)
    do throws(ResourceError) {
      switch verb {
      case .status: return write(try cache.status(), of: path)
      case .list: return write(try cache.list())
      case .verify: return write(try cache.verify())
      case .clear:
        try cache.clear()
        let left = invocation.json ? try cache.status().entries : 0
        return write([], else: .object([("entries", .integer(left))]))
      case .path: return write([path], else: .object([("path", .text(path))]))
      case .prefetch:
        return PrefetchCommand(
          invocation: invocation, sources: Array(invocation.sources.dropFirst())
        ).run()
      }
    } catch {
      complain("cannot use the cache \(path): \(error.reason)")
      return Status.failure
    }
  }

  private func write(_ lines: [String], else json: JSON) -> Int32 {
    let text = invocation.json ? json.description : lines.joined(separator: "\n")
    if text.isEmpty { return Status.success }
    return Output.write(text + "\n") ? Status.success : Status.failure
  }

  // MARK: - Output

  private func write(_ status: CacheStatus, of path: String) -> Int32 {
    let total = status.total
    var lines = [
      "cache      \(DisplayText.safe(path))",
      "holds      \(Format.bytes(status.bytes)) in \(Format.count(status.entries, "entry", "entries"))"
        + ", at most \(Format.bytes(invocation.network.limits.bytes)) in "
        + "\(invocation.network.limits.entries)",
      "in all     \(CacheCommand.words(total))",
    ]
    for day in status.days.suffix(14).reversed() {
      lines.append("\(day.day) \(CacheCommand.words(day.saving))")
    }
    return write(
      lines,
      else: .object([
        ("path", .text(path)),
        ("entries", .integer(status.entries)), ("bytes", .integer(Int(clamping: status.bytes))),
        ("limitBytes", .integer(Int(clamping: invocation.network.limits.bytes))),
        ("limitEntries", .integer(invocation.network.limits.entries)),
        ("total", .object(CacheCommand.members(total))),
        (
          "days",
          .array(
            status.days.map { .object([("day", .text($0.day))] + CacheCommand.members($0.saving)) })
        ),
      ]))
  }

  /// "12.3 MB saved: 14.0 MB used, 1.7 MB fetched; 8 requests, 40 hits, 3 misses".
  static func words(_ saving: Saving) -> String {
    "\(Format.bytes(saving.saved)) saved: \(Format.bytes(saving.served)) used, "
      + "\(Format.bytes(saving.fetched)) fetched; \(Format.count(saving.requests, "request")), "
      + "\(Format.count(saving.hits, "hit")), \(Format.count(saving.misses, "miss", "misses"))"
  }

  static func members(_ saving: Saving) -> [(String, JSON)] {
    [
      ("requests", .integer(Int(clamping: saving.requests))),
      ("hits", .integer(Int(clamping: saving.hits))),
      ("misses", .integer(Int(clamping: saving.misses))),
      ("bytesServed", .integer(Int(clamping: saving.served))),
      ("bytesFetched", .integer(Int(clamping: saving.fetched))),
      ("bytesSaved", .integer(Int(clamping: saving.saved))),
    ]
  }

  private func write(_ entries: [CacheListing]) -> Int32 {
    let now = WallClock.seconds
    let lines = entries.map { entry in
      let length = entry.length.map { " of \(Format.bytes($0))" } ?? ""
      return DisplayText.safe(
        "\(Format.bytes(entry.bytes))\(length)  \(Format.age(of: entry.usedAt, now: now))  "
          + entry.source)
    }
    return write(
      lines,
      else: .array(
        entries.map { entry in
          .object([
            ("source", .text(entry.source)),
            ("bytes", .integer(Int(clamping: entry.bytes))),
            ("length", .optional(entry.length.map { Int(clamping: $0) })),
            ("type", .optional(entry.type)),
            ("used", .text(WallClock.text(secondsSince1970: entry.usedAt))),
          ])
        }))
  }

  private func write(_ check: CacheCheck) -> Int32 {
    var line =
      "\(Format.count(check.segments, "segment")) of "
      + "\(Format.count(check.entries, "entry", "entries")), \(Format.bytes(check.bytes)): "
    line += check.wrongSegments == 0 ? "all right" : "\(check.wrongSegments) wrong, dropped"
    if check.orphans > 0 {
      line += "; \(Format.count(check.orphans, "file")) that nothing referred to, deleted"
    }
    let status = write(
      [line],
      else: .object([
        ("entries", .integer(check.entries)), ("segments", .integer(check.segments)),
        ("bytes", .integer(Int(clamping: check.bytes))),
        ("wrongSegments", .integer(check.wrongSegments)), ("orphans", .integer(check.orphans)),
      ]))
    return status == Status.success && check.wrongSegments > 0 ? Status.repaired : status
  }
}
