import DecoderLink

/// How stored pixels are rotated and mirrored for display: one of eight ways.
package struct Orientation: Equatable {
  /// Rows become columns.
  package var transposed = false
  /// What is displayed is mirrored left to right, after transposing.
  package var mirrored = false
  /// What is displayed is upside down, after transposing.
  package var flipped = false

  package static let upright = Orientation()

  package init(transposed: Bool = false, mirrored: Bool = false, flipped: Bool = false) {
    self.transposed = transposed
    self.mirrored = mirrored
    self.flipped = flipped
  }

  /// The rotation nearest to a display matrix (ISO 14496-12, 8.3.2: x' = a x + c y, y' = b x + d y);
  /// upright for an invalid one. Only signs and the larger sizes matter: a quarter turn clockwise has
  /// b > 0 and c < 0.
  package init(a: Int32, b: Int32, c: Int32, d: Int32) {
    let straight = abs(Double(a)) + abs(Double(d))
    let crossed = abs(Double(b)) + abs(Double(c))
    if straight > crossed, a != 0, d != 0 {
      self.init(mirrored: a < 0, flipped: d < 0)
    } else if crossed > straight, b != 0, c != 0 {
      self.init(transposed: true, mirrored: c < 0, flipped: b < 0)
    } else {
      self.init()
    }
  }

  /// EXIF orientation 1 to 8; anything else is upright.
  package init(exif value: Int) {
    switch value {
    case 2: self.init(mirrored: true)
    case 3: self.init(mirrored: true, flipped: true)
    case 4: self.init(flipped: true)
    case 5: self.init(transposed: true)
    case 6: self.init(transposed: true, mirrored: true)
    case 7: self.init(transposed: true, mirrored: true, flipped: true)
    case 8: self.init(transposed: true, flipped: true)
    default: self.init()
    }
  }

  /// The displayed size of a stored one, or the stored size of a displayed one.
  package func displaySize<Number>(width: Number, height: Number) -> (width: Number, height: Number)
  {
    transposed ? (height, width) : (width, height)
  }

  /// Stored pixels, rotated and mirrored for display.
  package func apply(to stored: Bitmap) -> Bitmap {
    if self == .upright { return stored }
    let (width, height) = displaySize(width: stored.width, height: stored.height)
    var pixels: [UInt32] = []
    pixels.reserveCapacity(width * height)
    for y in 0..<height {
      // u and v count in the displayed picture without mirroring, so transposing comes last.
      let v = flipped ? height - 1 - y : y
      for x in 0..<width {
        let u = mirrored ? width - 1 - x : x
        pixels.append(
          transposed ? stored.pixels[u * stored.width + v] : stored.pixels[v * stored.width + u])
      }
    }
    return Bitmap(width: width, height: height, pixels: pixels)
  }
}
