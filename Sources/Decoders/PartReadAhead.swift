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
    let resource: any Resource
    /// Bytes from the part's first on that are here.
    var fetched: UInt64 = 0
    var isDone = false
  }

  /// The bytes of one fetch; reads that follow each other like this are fetched in large windows.
  private static let step: UInt64 = 256 << 10
  /// Longer parts are fetched up to here; the rest, and what follows, when the decoder comes to it.
  private static let most: UInt64 = 64 << 20
  /// The same limit where nothing is stored, and the bytes have to stay in memory.
  private static let mostInMemory: UInt64 = 4 << 20

  private let opener: any ResourceOpener
  private var parts: [NeededPart] = []
  private var reachesEnd = false
  private var held: [NeededPart: Held] = [:]
  private var urgency = ResourceUrgency.ready
  /// What is on its way.
  private var current: NeededPart?
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
    if let current, !wanted.contains(current) { stop() }
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

  var isFetching: Bool { current != nil }

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
    if held.isDone { return 1 }
    let length = part.length ?? held.resource.info?.length.map { $0 - min($0, part.offset) }
    guard let length, length > 0 else { return 0 }
    let end = held.resource.availableEnd(from: part.offset)
    return min(1, Double(end - min(end, part.offset)) / Double(length))
  }

  private func stop() {
    generation += 1
    if let current { held[current]?.resource.cancel() }
    current = nil
  }

  private func goOn() {
    guard current == nil, urgency == .playing else { return }
    for part in parts {
      if held[part] == nil {
        // The reason is told when the decoder opens it.
        guard let resource = try? opener.open(part.url) else { continue }
        resource.setUrgency(urgency)
        held[part] = Held(resource: resource)
      }
      guard let known = held[part], !known.isDone else { continue }
      // A part that is too long is fetched as it is read, and those behind it wait.
      guard known.fetched < PartReadAhead.most else { return }
      current = part
      return fetchNext(of: part)
    }
  }

  private func fetchNext(of part: NeededPart) {
    guard let known = held[part] else { return }
    let generation = generation
    let left = part.length.map { $0 - min($0, known.fetched) } ?? .max
    let count = min(PartReadAhead.step, left)
    known.resource.fetch(offset: part.offset + known.fetched, length: Int(count)) {
      [weak self] result in
      guard let self, generation == self.generation else { return }
      took(count, of: part, failed: (try? result.get()) == nil)
    }
  }

  private func took(_ count: UInt64, of part: NeededPart, failed: Bool) {
    guard var known = held[part] else { return }
    known.fetched += count
    let end = known.resource.info?.length ?? .max
    let isInMemory = !known.resource.keepsBytes && known.fetched >= PartReadAhead.mostInMemory
    known.isDone =
      failed || isInMemory || part.offset + known.fetched >= end
      || part.length.map { known.fetched >= $0 } ?? false
    held[part] = known
    if known.isDone || known.fetched >= PartReadAhead.most {
      current = nil
      goOn()
    } else {
      fetchNext(of: part)
    }
  }
}
