/// A decoded picture, already scaled to the pixels that the cells can show.
public struct PixelPicture: Equatable, Sendable {
  public let width: Int
  public let height: Int
  /// `0x00RRGGBB`, row by row; always `width * height` of them.
  public let pixels: [UInt32]

  /// - Precondition: `pixels.count == width * height`.
  public init(width: Int, height: Int, pixels: [UInt32]) {
    precondition(width >= 0 && height >= 0 && pixels.count == width * height)
    self.width = width
    self.height = height
    self.pixels = pixels
  }

  /// Packs bytes as the decoder sends them: R, G, B, row by row, without padding.
  /// - Returns: nil when there are fewer than `width * height * 3` bytes.
  public init?(width: Int, height: Int, rgb24 bytes: [UInt8]) {
    guard width >= 0, height >= 0, bytes.count >= width * height * 3 else { return nil }
    let source = bytes.span
    var packed: [UInt32] = Array(repeating: 0, count: width * height)
    var target = packed.mutableSpan
    for index in target.indices {
      let red = UInt32(source[3 * index])
      let green = UInt32(source[3 * index + 1])
      let blue = UInt32(source[3 * index + 2])
      target[index] = red << 16 | green << 8 | blue
    }
    self.init(width: width, height: height, pixels: packed)
  }
}
