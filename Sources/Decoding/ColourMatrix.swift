/// From luma and chroma to red, green and blue (ITU-R BT.601, BT.709, BT.2020; H.273).
package struct ColourMatrix: Equatable {
  private let luma: Line
  private let chroma: Line
  private let redByCr: Float
  private let greenByCb: Float
  private let greenByCr: Float
  private let blueByCb: Float

  private struct Line: Equatable {
    var offset: Float
    var scale: Float
  }

  /// The weights of red and blue in luma, the range of the numbers and how many bits they have.
  package init(red: Float, blue: Float, isFullRange: Bool, bits: Int) {
    let green = 1 - red - blue
    let unit = Float(1 << (bits - 8))
    let most = Float(1 << bits) - 1
    let middle = 128 * unit
    luma =
      isFullRange
      ? Line(offset: 0, scale: 1 / most) : Line(offset: 16 * unit, scale: 1 / (219 * unit))
    chroma = Line(offset: middle, scale: isFullRange ? 1 / most : 1 / (224 * unit))
    redByCr = 2 * (1 - red)
    blueByCb = 2 * (1 - blue)
    greenByCb = -2 * (1 - blue) * blue / green
    greenByCr = -2 * (1 - red) * red / green
  }

  /// Packs pixels as 0x00RRGGBB.
  package func packed(luma: [Float], cb: [Float], cr: [Float]) -> [UInt32] {
    // Adding 2^23 leaves the rounded number in the low bits, without a conversion that could trap.
    let magic: Float = 8_388_608
    return [UInt32](unsafeUninitializedCapacity: luma.count) { out, count in
      for index in 0..<luma.count {
        let (y, u, v) = parts(luma[index], cb[index], cr[index])
        let red = min(255, max(0, y + redByCr * v))
        let green = min(255, max(0, y + greenByCb * u + greenByCr * v))
        let blue = min(255, max(0, y + blueByCb * u))
        out[index] =
          ((red + magic).bitPattern & 0xFF) << 16
          | ((green + magic).bitPattern & 0xFF) << 8 | ((blue + magic).bitPattern & 0xFF)
      }
      count = luma.count
    }
  }

  /// Red, green and blue of 16 bits each.
  package func deep(luma: [Float], cb: [Float], cr: [Float]) -> [UInt16] {
    var out: [UInt16] = []
    out.reserveCapacity(luma.count * 3)
    for index in luma.indices {
      let (y, u, v) = parts(luma[index], cb[index], cr[index])
      for part in [y + redByCr * v, y + greenByCb * u + greenByCr * v, y + blueByCb * u] {
        out.append(UInt16(min(65_535, max(0, part * 257)).rounded()))
      }
    }
    return out
  }

  /// Scaled so that white is 255 and chroma runs from -127.5 to 127.5.
  private func parts(_ y: Float, _ u: Float, _ v: Float) -> (Float, Float, Float) {
    (
      (y - luma.offset) * luma.scale * 255, (u - chroma.offset) * chroma.scale * 255,
      (v - chroma.offset) * chroma.scale * 255
    )
  }
}
