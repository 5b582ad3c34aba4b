import DecoderLink

/// Two pixels a cell without any colour: each is on or off.
///
/// A fixed pattern of thresholds decides, so that still parts do not move. The pattern has no visible
/// grain: similar thresholds lie far apart (void and cluster).
struct DitheredHalves: CellMode {
  private static let patternSize = 16
  private static let pattern: [UInt8] = [
    143, 15, 159, 103, 67, 7, 237, 172, 125, 196, 253, 140, 208, 4, 41, 247,
    202, 113, 217, 35, 198, 151, 80, 48, 96, 161, 17, 86, 222, 115, 163, 79,
    21, 66, 177, 138, 240, 116, 219, 29, 242, 60, 183, 44, 155, 57, 231, 184,
    100, 254, 3, 84, 51, 19, 182, 129, 203, 107, 227, 132, 194, 94, 25, 134,
    207, 154, 121, 221, 192, 97, 158, 69, 0, 146, 32, 78, 8, 244, 175, 50,
    235, 38, 173, 68, 145, 30, 251, 216, 88, 174, 249, 123, 213, 148, 110, 75,
    142, 93, 18, 243, 106, 204, 55, 120, 40, 195, 64, 166, 37, 58, 199, 14,
    118, 188, 214, 45, 133, 6, 170, 141, 234, 98, 20, 108, 238, 85, 169, 226,
    56, 152, 77, 165, 233, 91, 190, 73, 11, 160, 209, 137, 185, 2, 130, 33,
    89, 241, 24, 114, 63, 215, 34, 246, 112, 223, 46, 71, 220, 101, 252, 206,
    10, 136, 200, 179, 16, 127, 150, 53, 168, 82, 144, 27, 156, 42, 65, 162,
    105, 228, 39, 95, 255, 186, 99, 205, 22, 189, 250, 111, 201, 180, 124, 191,
    49, 72, 167, 147, 47, 76, 9, 239, 122, 62, 5, 90, 236, 23, 81, 245,
    117, 211, 1, 218, 119, 225, 164, 139, 87, 178, 210, 131, 54, 149, 12, 157,
    31, 176, 128, 83, 26, 193, 59, 36, 232, 153, 43, 229, 171, 102, 224, 197,
    92, 230, 52, 248, 181, 135, 104, 212, 13, 70, 109, 28, 74, 187, 126, 61,
  ]

  private var stretch = ContrastStretch()
  /// Kept from picture to picture for its memory.
  private var lumas: [Float] = []

  mutating func beginScene() {
    stretch = ContrastStretch()
  }

  mutating func draw(
    _ picture: Bitmap, left: Int, top: Int, into grid: inout CellGrid
  ) {
    picture.takeLumas(into: &lumas)
    _ = stretch.observe(lumas)
    for row in top / 2...(top + picture.height - 1) / 2 {
      for x in 0..<picture.width {
        grid[row, left + x] =
          HalfCell(
            upper: half(of: picture, x: x, y: 2 * row - top, left: left, top: top),
            lower: half(of: picture, x: x, y: 2 * row + 1 - top, left: left, top: top)
          ).cell
      }
    }
  }

  private func half(of picture: Bitmap, x: Int, y: Int, left: Int, top: Int) -> HalfColour {
    guard y >= 0, y < picture.height else { return .defaultBackground }
    return isOn(lumas[y * picture.width + x], x: left + x, y: top + y)
      ? .defaultForeground : .defaultBackground
  }

  private func isOn(_ luma: Float, x: Int, y: Int) -> Bool {
    let size = Self.patternSize
    let threshold = (Float(Self.pattern[y % size * size + x % size]) + 0.5) / 256
    return stretch.stretched(luma) > threshold
  }
}
