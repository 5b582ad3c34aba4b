import DecoderLink
import Pictures
import Testing

@Suite struct BlendTests {
  /// Slow and obvious.
  private func blended(_ pixel: UInt32, over ground: UInt32) -> UInt32 {
    let rest = 1 - Double(pixel >> 24) / 255
    var result: UInt32 = 0
    for shift in [16, 8, 0] as [UInt32] {
      let below = (Double(ground >> shift & 0xFF) * rest).rounded()
      result |= UInt32(min(255, Double(pixel >> shift & 0xFF) + below)) << shift
    }
    return result
  }

  private func covered(_ grounds: [UInt32], by pixels: [UInt32]) -> [UInt32] {
    Bitmap(width: grounds.count, height: 1, pixels: grounds)
      .covered(by: Bitmap(width: pixels.count, height: 1, pixels: pixels)).pixels
  }

  @Test func everyAlpha_overEveryGround_isExactlyRounded() {
    for alpha in 0...255 as ClosedRange<UInt32> {
      let grounds = (0...255 as ClosedRange<UInt32>).map { $0 << 16 | (255 - $0) << 8 | $0 / 3 }
      let pixels = grounds.indices.map { index in
        let colour = UInt32(index) % (alpha + 1)
        return alpha << 24 | colour << 16 | (alpha - colour) << 8 | colour / 2
      }
      let wanted = zip(pixels, grounds).map { blended($0, over: $1) }
      #expect(covered(grounds, by: pixels) == wanted, "alpha \(alpha)")
    }
  }

  @Test func moreColourThanAlpha_isTheBrightest_inItsChannelAlone() {
    for pixel in [0x80FF_0000, 0x8000_FF00, 0x8000_00FF, 0x80FF_FFFF, 0x01FF_00FF] as [UInt32] {
      for ground in [0, 0xFF_FFFF, 0xFF_0000, 0x12_3456] as [UInt32] {
        #expect(covered([ground], by: [pixel]) == [blended(pixel, over: ground)])
      }
    }
  }

  /// Sizes of the picture and of what lies over it, and the pixels of the picture that it covers.
  @Test(arguments: [
    (4, 4, 2, 2, [5, 6, 9, 10]), (3, 3, 9, 1, [3, 4, 5]), (2, 2, 8, 8, [0, 1, 2, 3]),
    (5, 1, 1, 5, [2]), (4, 4, 4, 4, Array(0..<16)), (3, 3, 0, 0, []), (0, 0, 3, 3, []),
  ])
  func cover_liesOverTheMiddle(
    _ width: Int, _ height: Int, _ coverWidth: Int, _ coverHeight: Int, _ places: [Int]
  ) {
    let picture = Bitmap(
      width: width, height: height, pixels: [UInt32](repeating: 0x11_2233, count: width * height))
    let cover = Bitmap(
      width: coverWidth, height: coverHeight,
      pixels: [UInt32](repeating: 0xFFAA_BBCC, count: coverWidth * coverHeight))
    let covered = picture.covered(by: cover)
    #expect([covered.width, covered.height] == [width, height])
    #expect(covered.pixels.indices.filter { covered.pixels[$0] == 0xAA_BBCC } == places)
    #expect(covered.pixels.count { $0 == 0x11_2233 } == width * height - places.count)
  }

  @Test func cover_largerThanThePicture_showsItsMiddle() {
    let cover = Bitmap(width: 4, height: 4, pixels: (0..<16).map { 0xFF00_0000 | $0 })
    let picture = Bitmap(width: 2, height: 2, pixels: [9, 9, 9, 9])
    #expect(picture.covered(by: cover).pixels == [5, 6, 9, 10])
  }
}
