import Decoding
import Support
import Testing

/// The fast area filter, compared with the definition of an area mean.
@Suite struct BoxFilterTests {
  /// The mean over the area that a target pixel covers, sample by sample.
  private func oracle<Sample: BoxSample>(
    _ plane: [Sample], stride: Int, x: ClosedRange<Double>, y: ClosedRange<Double>,
    width: Int, height: Int
  ) -> Double {
    func overlap(_ index: Int, _ range: ClosedRange<Double>) -> Double {
      max(0, min(Double(index + 1), range.upperBound) - max(Double(index), range.lowerBound))
    }
    var sum = 0.0
    var area = 0.0
    for row in 0..<height {
      for column in 0..<width {
        let share = overlap(row, y) * overlap(column, x)
        sum += share * Double(plane[row * stride + column])
        area += share
      }
    }
    return sum / area
  }

  private static let sizes: [(Int, Int, Int, Int, Double)] = [
    (64, 48, 8, 6, 1), (65, 49, 8, 6, 1), (161, 121, 13, 7, 1), (161, 121, 13, 7, 0.61),
    (40, 300, 20, 3, 1), (31, 31, 31, 31, 1), (97, 53, 40, 20, 0.9), (128, 128, 1, 1, 1),
    (17, 9, 8, 4, 1), (240, 135, 30, 17, 0.5),
  ]

  private func check<Sample: BoxSample>(
    _: Sample.Type, most: Sample, _ size: (Int, Int, Int, Int, Double)
  ) {
    let (width, height, cellsAcross, cellsDown, share) = size
    let stride = width + 5
    var random = SeededRandom(seed: UInt64(width * 1_000 + height))
    // Nothing beyond a row may count: the padding has the largest value.
    let plane = (0..<stride * height).map {
      $0 % stride < width ? Sample.random(in: 0...most, using: &random) : most
    }
    func axis(_ available: Int, _ count: Int) -> BoxAxis {
      let length = Double(available) * share
      return BoxAxis(
        start: (Double(available) - length) / 2, length: length, count: count,
        available: available)
    }
    let (across, down) = (axis(width, cellsAcross), axis(height, cellsDown))
    var means = [Float](repeating: 0, count: cellsAcross * cellsDown)
    BoxFilter<Sample>().reduce(
      plane, strideSamples: stride, across: across, down: down, into: &means)
    var squares = 0.0
    for y in 0..<cellsDown {
      for x in 0..<cellsAcross {
        func range(_ available: Int, _ count: Int, _ index: Int) -> ClosedRange<Double> {
          let length = Double(available) * share
          let start = (Double(available) - length) / 2
          let step = length / Double(count)
          return start + Double(index) * step...start + Double(index + 1) * step
        }
        let exact = oracle(
          plane, stride: stride, x: range(width, cellsAcross, x),
          y: range(height, cellsDown, y), width: width, height: height)
        let error = (Double(means[y * cellsAcross + x]) - exact) / Double(most) * 255
        squares += error * error
      }
    }
    // 50 dB: a mean square error of 0.65 in 8 bits.
    #expect(squares / Double(means.count) < 0.65, "\(size)")
  }

  @Test(arguments: sizes) func reduce_ofBytes_isTheAreaMean(_ size: (Int, Int, Int, Int, Double)) {
    check(UInt8.self, most: 255, size)
  }

  @Test(arguments: sizes) func reduce_ofWords_isTheAreaMean(_ size: (Int, Int, Int, Int, Double)) {
    check(UInt16.self, most: 1_023, size)
  }

  @Test(arguments: [UInt8(0), 1, 16, 128, 235, 255])
  func reduce_ofOneValue_isThatValue(_ value: UInt8) {
    let plane = [UInt8](repeating: value, count: 127 * 127)
    let axis = BoxAxis(start: 0, length: 127, count: 9, available: 127)
    var means = [Float](repeating: 0, count: 81)
    BoxFilter<UInt8>().reduce(plane, strideSamples: 127, across: axis, down: axis, into: &means)
    #expect(means.allSatisfy { abs($0 - Float(value)) < 0.001 })
  }

  @Test func reduce_ofTheLargestBox_doesNotOverflow() {
    let plane = [UInt8](repeating: 255, count: 130 * 130)
    let axis = BoxAxis(start: 0.5, length: 129, count: 1, available: 130)
    var means: [Float] = [0]
    BoxFilter<UInt8>().reduce(plane, strideSamples: 130, across: axis, down: axis, into: &means)
    #expect(abs(means[0] - 255) < 0.001)
  }

  @Test func reduce_atTheEdges_readsNothingOutside() {
    let axis = BoxAxis(start: 0, length: 10, count: 3, available: 10)
    #expect(axis.span == 0..<10)
    #expect(axis.boxes.map(\.complete) == [0..<3, 4..<6, 7..<10])
  }
}
