import DecoderLink
import Resources

/// How far a playlist can be played without a network, by what its decoder has said of its parts.
public struct PartsAhead: Equatable, Sendable {
  /// The media time up to which all of it is here.
  public var availableUntil: Duration
  /// Whether nothing of it has to be fetched any more.
  public var isWhole: Bool
}

/// Fetches the parts of a playlist before its decoder opens them, one after another in the order in
/// which they are needed. Bytes go the way of all bytes: through the cache, and nothing is fetched that
/// is here or on its way already.
///
/// It holds the resources of the parts that are needed, so that bytes which no cache keeps stay until
/// the decoder has read them.
final class PartReadAhead {
  private struct Held {
    /// How the fetching of a part has ended.
    enum End {
      /// All of it is here.
      case whole
      /// The rest is fetched when the decoder reads it: no cache keeps it.
      case partly
      /// It cannot be fetched; why is told when the decoder opens it.
      case failed
    }

    let resource: any Resource
    /// Bytes from the part's first on that were fetched.
    var fetched: UInt64 = 0
    /// Nil while more of it is to be fetched.
    var end: End?
  }

  /// The first fetch of a part shows how long it is, and whether its bytes are kept.
  private static let first: UInt64 = 256 << 10
  /// The limits of `last`.
  private static let lasts: ClosedRange<UInt64> = 32 << 10...512 << 10
  private static let mostAtOnce = 2
  /// Longer parts are fetched up to here; the rest, and what follows, when the decoder comes to it.
  private static let most: UInt64 = 64 << 20
  /// The same limit where nothing is stored, and the bytes have to stay in memory.
  private static let mostInMemory: UInt64 = 4 << 20
  /// While so much stays in memory, no further part is begun.
  private static let mostInMemoryAltogether: UInt64 = 32 << 20

  private let opener: any ResourceOpener
  private var parts: [NeededPart] = []
  private var reachesEnd = false
  private var held: [NeededPart: Held] = [:]
  private var urgency = ResourceUrgency.ready
  /// What is on its way: more than one only while the first is nearly here.
  private var current: Set<NeededPart> = []
  /// Answers to former fetches are ignored.
  private var generation = 0

  init(_ opener: any ResourceOpener) { self.opener = opener }

  /// Sets what is needed, the most urgent first. What is not needed any more is let go of.
  func want(_ parts: [NeededPart], reachesEnd: Bool) {
    self.parts = parts
    self.reachesEnd = reachesEnd
    let wanted = Set(parts)
    for (part, former) in held where !wanted.contains(part) {
      former.resource.cancel()
      held[part] = nil
    }
    current.formIntersection(wanted)
    goOn()
  }

  /// Parts are fetched ahead only for a story that plays: a neighbour's first picture needs no more
  /// than its decoder asks for.
  func setUrgency(_ urgency: ResourceUrgency) {
    guard urgency != self.urgency else { return }
    self.urgency = urgency
    for part in held.values { part.resource.setUrgency(urgency) }
    if urgency != .playing { stop() }
    goOn()
  }

  func close() {
    stop()
    for part in held.values { part.resource.cancel() }
    parts = []
    held = [:]
  }

  var isFetching: Bool { !current.isEmpty }

  /// Nil before the decoder has said anything.
  var ahead: PartsAhead? {
    guard !parts.isEmpty else { return nil }
    var reach: [UInt8: Duration] = [:]
    var isOpen: Set<UInt8> = []
    for part in parts where !isOpen.contains(part.rendition) {
      let share = shareHeld(of: part)
      if let end = part.end {
        reach[part.rendition] = part.start + (end - part.start) * share
      } else if share < 1, reach[part.rendition] == nil {
        reach[part.rendition] = part.start
      }
      if share < 1 { isOpen.insert(part.rendition) }
    }
    guard let least = reach.values.min() else { return nil }
    return PartsAhead(availableUntil: least, isWhole: reachesEnd && isOpen.isEmpty)
  }

  /// How much of a part need not be fetched.
  private func shareHeld(of part: NeededPart) -> Double {
    guard let held = held[part] else { return 0 }
    if held.end == .whole { return 1 }
    guard let length = length(of: part, held), length > 0 else { return 0 }
    let end = held.resource.availableEnd(from: part.offset)
    return min(1, Double(end - min(end, part.offset)) / Double(length))
  }

  private func stop() {
    generation += 1
    for part in current { held[part]?.resource.cancel() }
    current = []
  }

  private func goOn() {
    guard urgency == .playing else { return }
    for part in parts where current.count < PartReadAhead.mostAtOnce {
      guard bytesInMemory < PartReadAhead.mostInMemoryAltogether else { return }
      if held[part] == nil {
        // The reason is told when the decoder opens it.
        guard let resource = try? opener.openPart(part.url) else { continue }
        resource.setUrgency(urgency)
        held[part] = Held(resource: resource)
      }
      guard let known = held[part], known.end == nil else { continue }
      // A part that is too long is fetched as it is read, and those behind it wait.
      guard known.fetched < PartReadAhead.most else { return }
      if current.insert(part).inserted { fetchNext(of: part) }
      guard held[part].map({ $0.end != nil || isNearlyHere(part, $0) }) ?? false else { return }
    }
  }

  /// What was fetched and is not stored.
  private var bytesInMemory: UInt64 {
    held.values.reduce(0) { $0 + ($1.resource.keepsBytes ? 0 : $1.fetched) }
  }

  private func isNearlyHere(_ part: NeededPart, _ held: Held) -> Bool {
    length(of: part, held).map { $0 - min($0, held.fetched) <= last(of: held.resource) } ?? false
  }

  /// While so many last bytes of a part are on their way, the next part is begun, or the line would be
  /// idle in between: those of a quarter of a second. On a slow line more would come too late, as the
  /// two share it.
  private func last(of resource: any Resource) -> UInt64 {
    let lasts = PartReadAhead.lasts
    // It is three quarters of the line's rate, in bits.
    guard let rate = resource.bearableBitRate else { return lasts.upperBound }
    return min(max(rate / 24, lasts.lowerBound), lasts.upperBound)
  }

  /// In bytes; nil while unknown.
  private func length(of part: NeededPart, _ held: Held) -> UInt64? {
    let whole = held.resource.info?.length.map { $0 - min($0, part.offset) }
    return part.length.map { min($0, whole ?? .max) } ?? whole
  }

  private func fetchNext(of part: NeededPart) {
    guard let known = held[part] else { return }
    let generation = generation
    var count = PartReadAhead.first
    if known.fetched > 0, known.resource.keepsBytes, let length = length(of: part, known) {
      // A long fetch has no pauses.
      let left = min(length, PartReadAhead.most) - min(length, known.fetched)
      let last = last(of: known.resource)
      count = left > last ? left - last : left
    } else if let length = part.length {
      count = min(count, length - min(length, known.fetched))
    }
    known.resource.fetch(offset: part.offset + known.fetched, length: Int(count)) {
      [weak self] result in
      guard let self, generation == self.generation, current.contains(part) else { return }
      took(count, of: part, failed: (try? result.get()) == nil)
    }
  }

  private func took(_ count: UInt64, of part: NeededPart, failed: Bool) {
    guard var known = held[part] else { return }
    if failed {
      known.end = .failed
    } else {
      known.fetched += count
      if known.fetched >= length(of: part, known) ?? .max {
        known.end = .whole
      } else if !known.resource.keepsBytes, known.fetched >= PartReadAhead.mostInMemory {
        known.end = .partly
      }
    }
    held[part] = known
    if known.end != nil || known.fetched >= PartReadAhead.most {
      current.remove(part)
    } else {
      fetchNext(of: part)
    }
    goOn()
  }
}
