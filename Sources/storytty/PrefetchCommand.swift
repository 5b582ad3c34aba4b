import DecoderLink
import Decoders
import Glibc
import Pictures
import Player
import Resources
import Sound
import Stories
import System
import Terminal

/// `storytty cache prefetch`: fetches whole stories into the cache, so that they play later without
/// a network.
struct PrefetchCommand {
  let invocation: Invocation
  let sources: [String]

  private static let step = 1 << 20
  private static let notKept =
    "its server forbids that, or the cache has no room or cannot be written"

  private struct Failure: Error {
    let reason: String
    var isRefusal = false
  }

  private struct Address {
    var url: String
    /// The feed that names it.
    var feed: String?
  }

  /// The result for one story.
  private struct Outcome {
    var source: String
    /// What is in the cache of it, by the names in the cache's listing.
    var kept: [String: UInt64] = [:]
    var bytes: UInt64 { kept.values.reduce(0, +) }
    var fetched: UInt64 = 0
    var error: String?
    /// Whether it was not fetched because the cache cannot keep it.
    var isRefused = false
  }

  func run() -> Int32 {
    guard !sources.isEmpty else {
      complain("cache prefetch needs a SOURCE; see storytty --help")
      return Status.failure
    }
    guard let network = openNetwork(invocation.network) else { return Status.failure }
    defer { network.close() }
    guard let feed = readFeed(sources, network) else { return Status.nothingPlayed }
    let urls = feed.reels.flatMap(\.stories).compactMap { story -> Address? in
      if case .url(let url) = story.source { Address(url: url, feed: story.feed) } else { nil }
    }
    if urls.isEmpty { complain("none of these stories comes from the network") }
    var outcomes: [Outcome] = []
    for (index, address) in urls.enumerated() {
      let outcome = fetch(address, number: index + 1, of: urls.count, from: network)
      report(outcome)
      outcomes.append(outcome)
    }
    // Only stories that are in the index when everything is written will be in the cache later.
    network.close()
    let lost = dropLost(from: &outcomes)
    complain(all: lost.map { "cannot keep \($0): \(PrefetchCommand.notKept)" })
    if invocation.json, !Output.write(PrefetchCommand.json(outcomes).description + "\n") {
      return Status.failure
    }
    let failed = outcomes.count { $0.error != nil } + feed.skipped.count(where: \.costsStories)
    complain(skipped: feed.skipped)
    if failed == 0 { return Status.success }
    return outcomes.contains { $0.error == nil } ? Status.repaired : Status.nothingPlayed
  }

  /// Marks stories that were fetched but evicted again to make room; gives their sources.
  private func dropLost(from outcomes: inout [Outcome]) -> [String] {
    guard let path = invocation.network.cacheDirectory,
      let kept = try? CacheDirectory(path, limits: invocation.network.limits).list()
    else { return [] }
    // Parts whose addresses differ only in the query have the same name.
    let bytes = Dictionary(kept.map { ($0.source, $0.bytes) }, uniquingKeysWith: +)
    var lost: [String] = []
    for index in outcomes.indices where outcomes[index].error == nil {
      let isLost = outcomes[index].kept.contains { bytes[$0.key] ?? 0 < $0.value }
      guard isLost else { continue }
      outcomes[index].error = PrefetchCommand.notKept
      lost.append(outcomes[index].source)
    }
    return lost
  }

  private func fetch(
    _ address: Address, number: Int, of count: Int, from network: Network
  ) -> Outcome {
    var outcome = Outcome(source: Story.Source.url(address.url).visible)
    let fetchedBefore = network.saving.fetched
    do {
      let resource = try network.open(address.url, namedBy: address.feed)
      let line = ProgressLine(
        name: outcome.source, number: number, count: count, isShown: !invocation.json)
      defer { line.clear() }
      let head = try read(resource, at: 0, count: PlaylistMark.reach, from: network, line)
      if PlaylistMark.isPlaylist(head) == true {
        let opener = WebOpener(network, playlist: address.url, resource: resource)
        let parts = try parts(of: resource, opener, from: network, line)
        try seeThatTheyFit(parts)
        try fetch(resource, from: network, line, into: &outcome)
        for part in parts {
          let resource = try opener.openStored(part.url)
          let end = part.length.map { part.offset + $0 }
          try fetch(resource, part.offset..<(end ?? .max), from: network, line, into: &outcome)
        }
      } else {
        try fetch(resource, from: network, line, into: &outcome)
      }
    } catch let error as ResourceError {
      outcome.error = error.reason
    } catch let error as Failure {
      (outcome.error, outcome.isRefused) = (error.reason, error.isRefusal)
    } catch {
      outcome.error = "\(error)"
    }
    outcome.fetched = network.saving.fetched - fetchedBefore
    return outcome
  }

  /// Fetches a range, or as much of it as there is.
  private func fetch(
    _ resource: CachedResource, _ range: Range<UInt64> = 0..<UInt64.max, from network: Network,
    _ line: ProgressLine, into outcome: inout Outcome
  ) throws {
    var position = range.lowerBound
    if resource.info == nil { _ = try read(resource, at: position, count: 1, from: network, line) }
    try seeThatItFits(resource)
    while position < range.upperBound {
      if let reason = resource.whyNotKept { throw Failure(reason: reason, isRefusal: true) }
      let count = Int(min(UInt64(PrefetchCommand.step), range.upperBound - position))
      let bytes = try read(resource, at: position, count: count, from: network, line)
      position += UInt64(bytes.count)
      if bytes.count < count { break }
    }
    outcome.kept[resource.listedAs, default: 0] += position - range.lowerBound
    let limit = invocation.network.limits.bytes
    if outcome.bytes > limit { throw PrefetchCommand.tooLarge(outcome.bytes, limit: limit) }
  }

  /// The parts of a playlist that the player would open on a terminal of this size.
  private func parts(
    of resource: CachedResource, _ opener: WebOpener, from network: Network, _ line: ProgressLine
  ) throws -> [NeededPart] {
    guard let pool = openPool(invocation.play) else {
      throw Failure(reason: "the decoder does not start")
    }
    defer { pool.close() }
    let lister = try PartLister(
      from: pool, resource: resource, opener: opener, shape: shape,
      soundRate: UInt32(SoundFormat.rate))
    defer { lister.close() }
    while true {
      let soon = Instant.now + .milliseconds(200)
      let ready = try awaitReadiness(
        of: [lister.interest, Interest(network.descriptor)],
        until: min(lister.deadline ?? soon, soon))
      if ready[1].readable { network.deliver() }
      line.show(resource.progress.ofPlaylist(), rate: network.rate)
      switch lister.service(ready[0], now: .now) {
      case .parts(let parts):
        guard !parts.isEmpty else {
          throw Failure(reason: "it is live, and has no end yet", isRefusal: true)
        }
        return parts
      case .failed(let reason): throw Failure(reason: reason)
      case nil: break
      }
    }
  }

  /// The grid of the player's pictures.
  private var shape: PictureRequest {
    let window = WindowSize(descriptor: STDOUT_FILENO)
    let own = window.map { (columns: max(1, $0.columns), rows: max(1, $0.rows)) }
    let size = invocation.size ?? own ?? (80, 24)
    let rows = max(1, ScreenLayout.layout(columns: size.columns, rows: size.rows).picture.rows)
    let renderer = CellRenderer(mode: invocation.play.mode, depth: .trueColour, unicode: true)
    let grid = renderer.pixelGrid(columns: size.columns, rows: rows)
    return PictureRequest(
      width: UInt32(grid.width), height: UInt32(grid.height),
      pixelAspect: renderer.pixelAspect(cellAspect: window?.cellAspect ?? 0.5),
      fit: invocation.play.fit == .cover ? .cover : .contain)
  }

  /// Throws before anything is fetched if the cache would not keep that many entries.
  private func seeThatTheyFit(_ parts: [NeededPart]) throws {
    let count = Set(parts.map(\.url)).count + 1
    let most = invocation.network.limits.entries
    guard count > most else { return }
    throw Failure(
      reason: "it has \(count) parts, and the cache holds \(most) entries at most; see"
        + " --cache-stories", isRefusal: true)
  }

  private static func tooLarge(_ bytes: UInt64, limit: UInt64) -> Failure {
    Failure(
      reason: "it has \(Format.bytes(bytes)), and the cache holds \(Format.bytes(limit)) at most;"
        + " see --cache-size", isRefusal: true)
  }

  /// Throws before the rest is fetched if it could not be kept.
  private func seeThatItFits(_ resource: CachedResource) throws {
    guard let length = resource.info?.length, let path = invocation.network.cacheDirectory else {
      return
    }
    let limits = invocation.network.limits
    let held = resource.progress.heldBytes
    let missing = length > held ? length - held : 0
    if length > limits.bytes {
      throw PrefetchCommand.tooLarge(length, limit: limits.bytes)
    }
    // If the index is locked at the moment, storing the bytes reports the problem.
    if (try? CacheDirectory(path, limits: limits).hasRoom(for: missing)) == false {
      throw Failure(
        reason:
          "it has \(Format.bytes(length)), for which the disk has no room; see --cache-reserve",
        isRefusal: true)
    }
  }

  private func read(
    _ resource: CachedResource, at offset: UInt64, count: Int, from network: Network,
    _ line: ProgressLine
  ) throws -> [UInt8] {
    var answer: Result<[UInt8], ResourceError>?
    resource.read(offset: offset, length: count) { answer = $0 }
    while answer == nil {
      let ready = try awaitReadiness(
        of: [Interest(network.descriptor)], until: .now + .milliseconds(200))
      if ready[0].readable { network.deliver() }
      line.show(resource.progress, rate: network.rate)
    }
    for notice in network.takeNotices() { complain(notice) }
    return try answer?.get() ?? []
  }

  private func report(_ outcome: Outcome) {
    if let error = outcome.error {
      let what = outcome.isRefused ? "keep" : "fetch"
      return complain("cannot \(what) \(outcome.source): \(error)")
    }
    guard !invocation.json else { return }
    let how = outcome.fetched == 0 ? "already cached" : "fetched \(Format.bytes(outcome.fetched))"
    _ = Output.write(
      DisplayText.safe("\(outcome.source)  \(Format.bytes(outcome.bytes)), \(how)") + "\n")
  }

  private static func json(_ outcomes: [Outcome]) -> JSON {
    .array(
      outcomes.map {
        .object([
          ("source", .text($0.source)), ("bytes", .integer(Int(clamping: $0.bytes))),
          ("bytesFetched", .integer(Int(clamping: $0.fetched))), ("error", .optional($0.error)),
        ])
      })
  }
}

/// A line on the terminal that shows the progress of a story; nothing where there is no terminal.
private struct ProgressLine {
  let name: String
  let number: Int
  let count: Int
  let isShown: Bool

  private static let barColumns = 20

  func show(_ progress: ResourceProgress, rate: UInt64?) {
    guard isShown, isatty(STDOUT_FILENO) == 1 else { return }
    let columns = WindowSize(descriptor: STDOUT_FILENO)?.columns ?? 80
    let share = progress.length.map { Double(progress.heldBytes) / Double(max(1, $0)) } ?? 0
    let filled = min(ProgressLine.barColumns, Int(share * Double(ProgressLine.barColumns)))
    let bar =
      String(repeating: "=", count: filled)
      + String(repeating: " ", count: ProgressLine.barColumns - filled)
    let speed = rate.map { ", \(Format.bytes($0))/s" } ?? ""
    let words = Format.waiting(for: name.lastPart, progress) + speed
    let text = DisplayText.safe("[\(bar)] \(number)/\(count) \(words)")
    _ = Output.write("\r\u{1B}[K\(DisplayText.cut(text, to: columns - 1))")
  }

  func clear() {
    guard isShown, isatty(STDOUT_FILENO) == 1 else { return }
    _ = Output.write("\r\u{1B}[K")
  }
}
