import DecoderLink

extension Bitmap {
  /// An opaque picture with a premultiplied one over its middle; what extends beyond the edges is cut
  /// off.
  public func covered(by cover: Bitmap) -> Bitmap {
    let (wide, high) = (min(width, cover.width), min(height, cover.height))
    let (left, top) = ((width - wide) / 2, (height - high) / 2)
    let (coverLeft, coverTop) = ((cover.width - wide) / 2, (cover.height - high) / 2)
    var blended = pixels
    for row in 0..<high {
      let start = (top + row) * width + left
      let coverStart = (coverTop + row) * cover.width + coverLeft
      let over = cover.pixels.span.extracting(coverStart..<coverStart + wide)
      Blend.over(over, onto: &blended, at: start)
    }
    return Bitmap(width: width, height: height, pixels: blended)
  }
}

/// Puts premultiplied pixels over opaque ones.
enum Blend {
  static func over(_ cover: Span<UInt32>, onto pixels: inout [UInt32], at start: Int) {
    var target = pixels.mutableSpan
    for index in cover.indices where cover[index] != 0 {
      target[start + index] = blend(cover[index], over: target[start + index])
    }
  }

  /// Each channel is exactly rounded. Invalid pixels with more colour than alpha are clamped.
  static func blend(_ pixel: UInt32, over ground: UInt32) -> UInt32 {
    let rest = 255 - pixel >> 24
    // Red and blue together, then green; the added constants make the shifts a rounded division by 255.
    var outer = (ground & 0xFF_00FF) * rest + 0x80_0080
    outer = (outer + (outer >> 8 & 0xFF_00FF)) >> 8 & 0xFF_00FF
    var inner = (ground >> 8 & 0xFF) * rest + 0x80
    inner = (inner + inner >> 8) >> 8
    outer += pixel & 0xFF_00FF
    inner += pixel >> 8 & 0xFF
    if outer & 0x100_0100 != 0 {
      if outer & 0x100_0000 != 0 { outer = outer & 0xFFFF | 0xFF_0000 }
      if outer & 0x100 != 0 { outer = outer & 0xFF_0000 | 0xFF }
    }
    return outer | min(255, inner) << 8
  }
}
