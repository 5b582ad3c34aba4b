import Decoding
import Testing

/// Known colours (ITU-R BT.601 and BT.709) are converted exactly.
@Suite struct ColourMatrixTests {
  private static let cases: [(Float, Float, Bool, Int, [Float], UInt32)] = [
    // Red and blue weight, full range, bits, Y Cb Cr, colour.
    (0.2126, 0.0722, false, 8, [16, 128, 128], 0x000000),
    (0.2126, 0.0722, false, 8, [235, 128, 128], 0xFFFFFF),
    (0.2126, 0.0722, true, 8, [255, 128, 128], 0xFFFFFF),
    (0.2126, 0.0722, true, 8, [128, 128, 128], 0x808080),
    (0.299, 0.114, false, 8, [81, 90, 240], 0xFE0000),
    (0.299, 0.114, false, 8, [145, 54, 34], 0x00FF01),
    (0.299, 0.114, false, 8, [41, 240, 110], 0x0000FF),
    (0.2126, 0.0722, false, 8, [63, 102, 240], 0xFF0000),
    (0.2126, 0.0722, false, 10, [940, 512, 512], 0xFFFFFF),
    (0.2627, 0.0593, false, 10, [64, 512, 512], 0x000000),
  ]

  @Test(arguments: cases)
  func packed_ofAKnownColour_isThatColour(
    red: Float, blue: Float, isFullRange: Bool, bits: Int, sample: [Float], colour: UInt32
  ) {
    let matrix = ColourMatrix(red: red, blue: blue, isFullRange: isFullRange, bits: bits)
    let pixel = matrix.packed(luma: [sample[0]], cb: [sample[1]], cr: [sample[2]])[0]
    for shift in [16, 8, 0] as [UInt32] {
      #expect(abs(Int(pixel >> shift & 0xFF) - Int(colour >> shift & 0xFF)) <= 1)
    }
    let deep = matrix.deep(luma: [sample[0]], cb: [sample[1]], cr: [sample[2]])
    for (part, shift) in zip(deep, [16, 8, 0] as [UInt32]) {
      #expect(abs(Int(part / 257) - Int(colour >> shift & 0xFF)) <= 1)
    }
  }
}
