import Support
import Testing

@testable import Resources

@Suite struct ExtentsTests {
  /// The same by a set of numbers.
  private struct Oracle {
    var positions: Set<UInt64> = []

    var ranges: [Range<UInt64>] {
      var ranges: [Range<UInt64>] = []
      for position in positions.sorted() {
        if let last = ranges.last, last.upperBound == position {
          ranges[ranges.count - 1] = last.lowerBound..<position + 1
        } else {
          ranges.append(position..<position + 1)
        }
      }
      return ranges
    }
  }

  @Test(arguments: 0..<60)
  func anyChanges_agreeWithASetOfNumbers(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var extents = Extents()
    var oracle = Oracle()
    for _ in 0..<80 {
      let start = UInt64.random(in: 0..<40, using: &random)
      let range = start..<start + UInt64.random(in: 0..<12, using: &random)
      if Bool.random(using: &random) {
        extents.insert(range)
        oracle.positions.formUnion(range)
      } else {
        extents.remove(range)
        oracle.positions.subtract(range)
      }
      #expect(extents.ranges == oracle.ranges)
      #expect(extents.count == UInt64(oracle.positions.count))
      let probe = UInt64.random(in: 0..<50, using: &random)
      let wide = probe..<probe + UInt64.random(in: 0..<15, using: &random)
      #expect(extents.contains(wide) == wide.allSatisfy(oracle.positions.contains))
      var holes = Oracle()
      holes.positions = Set(wide).subtracting(oracle.positions)
      #expect(extents.holes(in: wide) == holes.ranges)
      var end = probe
      while oracle.positions.contains(end) { end += 1 }
      #expect(extents.end(from: probe) == end)
    }
  }
}
