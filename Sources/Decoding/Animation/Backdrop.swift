/// The background of an animation. Animations are meant to be drawn over something, and a terminal's
/// own background is unknown.
package enum Backdrop {
  /// Dark, and light enough that black lines still show.
  package static let colour: UInt32 = 0x20_2634

  /// Blends premultiplied 0xAARRGGBB with the backdrop to 0x00RRGGBB.
  package static func put(under pixels: [UInt32]) -> [UInt32] {
    pixels.map(put(under:))
  }

  static func put(under pixel: UInt32) -> UInt32 {
    switch pixel >> 24 {
    case 255: return pixel & 0xFF_FFFF
    case 0 where pixel == 0: return colour
    case let alpha:
      let rest = 255 - alpha
      var result: UInt32 = 0
      for shift in [16, 8, 0] as [UInt32] {
        // Exactly rounded division by 255 of a number below 255 * 255.
        let share = (colour >> shift & 0xFF) * rest + 128
        result |= min(255, (pixel >> shift & 0xFF) + (share + share >> 8) >> 8) << shift
      }
      return result
    }
  }
}
