/// How much to fetch at once: little after a jump, and more and more for a sequence of reads.
struct ReadAhead {
  static let grain = WriteBuffer.grain
  private static let windows: [UInt64] = [256 << 10, 1 << 20, 4 << 20, 8 << 20, 16 << 20]
  private static let mostHeads = 4
  /// Two reads that are no further apart than this count as one sequence.
  private static let nearby: UInt64 = 1 << 20

  /// A sequence of reads.
  private struct Head {
    let start: UInt64
    var next: UInt64
    var step = 0
    var isReadOn = false
  }

  private var heads: [Head] = []

  /// Notes a read; its sequence is the first one from now on.
  mutating func note(_ range: Range<UInt64>) {
    let match = heads.firstIndex { head in
      range.lowerBound <= head.next + ReadAhead.nearby
        && head.next <= range.upperBound + ReadAhead.nearby
    }
    if let match {
      var head = heads.remove(at: match)
      head.isReadOn = head.isReadOn || range.upperBound > head.next
      head.next = max(head.next, range.upperBound)
      heads.insert(head, at: 0)
    } else {
      heads.insert(Head(start: range.lowerBound, next: range.upperBound), at: 0)
      if heads.count > ReadAhead.mostHeads { heads.removeLast() }
    }
  }

  /// The most bytes to fetch at once for the last sequence.
  ///
  /// - Parameter most: the limit of memory or disk.
  func window(most: UInt64) -> UInt64 {
    min(most, ReadAhead.windows[heads.first?.step ?? 0])
  }

  /// A fetch has begun; the next one may be larger.
  mutating func fetched() {
    guard !heads.isEmpty else { return }
    heads[0].step = min(heads[0].step + 1, ReadAhead.windows.count - 1)
  }

  /// Where the last sequence goes on; nil before the first read.
  var nextRead: UInt64? { heads.first?.next }

  /// How far those sequences have come that are not beyond a position.
  func reach(upTo position: UInt64) -> UInt64 {
    heads.map(\.next).filter { $0 <= position }.max() ?? 0
  }

  /// Whether more should be fetched now, if the bytes that are held or under way end here.
  func wantsMore(frontier: UInt64, most: UInt64) -> Bool {
    guard let head = heads.first, head.isReadOn, frontier >= head.next else { return false }
    // No further ahead than it has come: the first picture may be all that is wanted.
    let run = max(head.next - min(head.start, head.next), ReadAhead.grain)
    return frontier - head.next < min(window(most: most) / 2, 4 << 20, run)
  }

  /// The part of a range up to the end of its first block.
  static func firstBlock(of range: Range<UInt64>) -> Range<UInt64> {
    range.lowerBound..<min(range.upperBound, (range.lowerBound / grain + 1) * grain)
  }

  /// The range to fetch for a missing byte.
  ///
  /// - Parameters:
  ///   - taken: bytes that are held or under way.
  ///   - length: the length of the whole, if known.
  static func range(
    for position: UInt64, window: UInt64, taken: Extents, length: UInt64?
  ) -> Range<UInt64> {
    let block = position - position % grain
    // From the start of the hole, but not from before its block.
    let before = taken.holes(in: block..<position + 1).last?.lowerBound ?? position
    var end = (before + window + grain - 1) / grain * grain
    if let length { end = min(end, length) }
    let hole = taken.holes(in: before..<max(end, before + 1)).first ?? before..<before + 1
    return hole
  }
}
