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
}
