/// Pixels, row by row from the top left. All rooms pass pictures in this form; a copy shares the memory.
public struct Bitmap: Equatable, Sendable {
  public let width: Int
  public let height: Int
  /// `width * height` of them in sRGB: opaque 0x00RRGGBB or, where `PictureRequest.keepsAlpha` asked for
  /// it, premultiplied 0xAARRGGBB.
  public let pixels: [UInt32]

  /// - Precondition: `pixels.count == width * height`.
  public init(width: Int, height: Int, pixels: [UInt32]) {
    precondition(width >= 0 && height >= 0 && pixels.count == width * height)
    self.width = width
    self.height = height
    self.pixels = pixels
  }
}
