/// A set of byte positions, as ranges that neither touch nor overlap, in order.
struct Extents: Equatable, Sendable {
  private(set) var ranges: [Range<UInt64>] = []

  init() {}

  init(_ ranges: some Sequence<Range<UInt64>>) {
    for range in ranges { insert(range) }
  }

  var isEmpty: Bool { ranges.isEmpty }

  /// How many positions it holds.
  var count: UInt64 { ranges.reduce(0) { $0 + UInt64($1.count) } }

  mutating func insert(_ range: Range<UInt64>) {
    guard !range.isEmpty else { return }
    let first = firstIndex(endingAtOrAfter: range.lowerBound)
    var last = first
    var merged = range
    while last < ranges.count, ranges[last].lowerBound <= range.upperBound {
      merged =
        min(
          merged.lowerBound, ranges[last].lowerBound)..<max(
          merged.upperBound, ranges[last].upperBound)
      last += 1
    }
    ranges.replaceSubrange(first..<last, with: CollectionOfOne(merged))
  }

  mutating func remove(_ range: Range<UInt64>) {
    guard !range.isEmpty else { return }
    var kept: [Range<UInt64>] = []
    let first = firstIndex(endingAtOrAfter: range.lowerBound)
    var last = first
    while last < ranges.count, ranges[last].lowerBound < range.upperBound {
      let old = ranges[last]
      if old.lowerBound < range.lowerBound {
        kept.append(old.lowerBound..<min(old.upperBound, range.lowerBound))
      }
      if old.upperBound > range.upperBound {
        kept.append(max(old.lowerBound, range.upperBound)..<old.upperBound)
      }
      last += 1
    }
    ranges.replaceSubrange(first..<last, with: kept)
  }

  mutating func formUnion(_ other: Extents) {
    for range in other.ranges { insert(range) }
  }

  func contains(_ range: Range<UInt64>) -> Bool {
    if range.isEmpty { return true }
    let index = firstIndex(endingAtOrAfter: range.lowerBound + 1)
    return index < ranges.count && ranges[index].lowerBound <= range.lowerBound
      && ranges[index].upperBound >= range.upperBound
  }

  /// The end of the held positions that begin at this one; the position itself if it is not held.
  func end(from position: UInt64) -> UInt64 {
    let index = firstIndex(endingAtOrAfter: position + 1)
    guard index < ranges.count, ranges[index].lowerBound <= position else { return position }
    return ranges[index].upperBound
  }

  /// The parts of a range that are not held, in order.
  func holes(in range: Range<UInt64>) -> [Range<UInt64>] {
    var holes: [Range<UInt64>] = []
    var position = range.lowerBound
    var index = firstIndex(endingAtOrAfter: range.lowerBound)
    while index < ranges.count, ranges[index].lowerBound < range.upperBound {
      if ranges[index].lowerBound > position { holes.append(position..<ranges[index].lowerBound) }
      position = max(position, ranges[index].upperBound)
      index += 1
    }
    if position < range.upperBound { holes.append(position..<range.upperBound) }
    return holes
  }

  private func firstIndex(endingAtOrAfter position: UInt64) -> Int {
    var low = 0
    var high = ranges.count
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound < position { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
