import DecoderLink
import Decoding
import Testing

@Suite struct OrientationTests {
  /// 0 1 2 over 3 4 5, as stored.
  private let stored = Bitmap(width: 3, height: 2, pixels: [0, 1, 2, 3, 4, 5])

  /// What a viewer sees of it for each EXIF orientation (EXIF 2.32, 4.6.4 A: Orientation).
  private static let seen: [(Int, Int, [UInt32])] = [
    (1, 3, [0, 1, 2, 3, 4, 5]), (2, 3, [2, 1, 0, 5, 4, 3]), (3, 3, [5, 4, 3, 2, 1, 0]),
    (4, 3, [3, 4, 5, 0, 1, 2]), (5, 2, [0, 3, 1, 4, 2, 5]), (6, 2, [3, 0, 4, 1, 5, 2]),
    (7, 2, [5, 2, 4, 1, 3, 0]), (8, 2, [2, 5, 1, 4, 0, 3]), (0, 3, [0, 1, 2, 3, 4, 5]),
    (9, 3, [0, 1, 2, 3, 4, 5]),
  ]

  @Test(arguments: seen)
  func apply_ofAnEXIFOrientation_turns(exif: Int, width: Int, pixels: [UInt32]) {
    let orientation = Orientation(exif: exif)
    let grid = orientation.apply(to: stored)
    #expect(grid == Bitmap(width: width, height: 6 / width, pixels: pixels))
    let size = orientation.displaySize(width: 3, height: 2)
    #expect(size == (width, 6 / width))
  }

  private static let one: Int32 = 1 << 16
  private static let matrices: [([Int32], Int)] = [
    ([one, 0, 0, one], 1), ([-one, 0, 0, one], 2), ([-one, 0, 0, -one], 3),
    ([one, 0, 0, -one], 4), ([0, one, one, 0], 5), ([0, one, -one, 0], 6),
    ([0, -one, -one, 0], 7), ([0, -one, one, 0], 8),
    // No turn at all: zeros, one axis lost, halfway, and numbers without measure.
    ([0, 0, 0, 0], 1), ([one, 0, 0, 0], 1), ([one, one, -one, one], 1),
    ([.min, 0, 0, .min], 3), ([.min, .min, .max, .max], 1),
  ]

  @Test(arguments: matrices)
  func init_ofADisplayMatrix_isTheNearestTurn(matrix: [Int32], exif: Int) {
    #expect(
      Orientation(a: matrix[0], b: matrix[1], c: matrix[2], d: matrix[3])
        == Orientation(exif: exif))
  }
}
