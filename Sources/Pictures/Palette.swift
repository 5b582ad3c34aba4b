/// The colours of a terminal without truecolour, as far as they are known.
///
/// A theme may change the first 16; xterm's values are the best guess there is. The others are
/// fixed: a cube of six levels a channel, and 24 greys.
struct Palette: Sendable {
  /// Red, green, blue and 0, each from 0 to 255; the position is the palette's index.
  let colours: [SIMD4<Float>]
  private let whole: [SIMD4<Int32>]
  /// Whether only the first 16 may be used, which also means fonts with few block elements.
  let isSmall: Bool
  /// The nearest colour for each `0xRGB` of four bits a channel; empty for the large palette.
  private let nearestOfSmall: [UInt8]

  private static let levels: [Float] = [0, 95, 135, 175, 215, 255]
  /// The nearest level for a channel.
  private let levelIndices: [UInt8]

  /// xterm's 256 colours, of which only the fixed 240 are used.
  static let large = Palette(isSmall: false)
  static let small = Palette(isSmall: true)

  private init(isSmall: Bool) {
    self.isSmall = isSmall
    let themed: [UInt32] = [
      0x000000, 0xCD0000, 0x00CD00, 0xCDCD00, 0x0000EE, 0xCD00CD, 0x00CDCD, 0xE5E5E5,
      0x7F7F7F, 0xFF0000, 0x00FF00, 0xFFFF00, 0x5C5CFF, 0xFF00FF, 0x00FFFF, 0xFFFFFF,
    ]
    var colours = themed.map { SIMD4<Float>(rgb: $0) }
    if !isSmall {
      for red in Self.levels {
        for green in Self.levels {
          for blue in Self.levels { colours.append(SIMD4(red, green, blue, 0)) }
        }
      }
      for grey in 0..<24 { colours.append(SIMD4(SIMD3(repeating: Float(8 + 10 * grey)), 0)) }
    }
    self.colours = colours
    whole = colours.map { SIMD4(Int32($0.x), Int32($0.y), Int32($0.z), 0) }
    levelIndices = (0..<256).map { Self.levelIndex(of: $0) }
    nearestOfSmall =
      isSmall ? (0..<4096).map { Self.nearest(toKey: $0, among: colours) } : []
  }

  private static func levelIndex(of channel: Int) -> UInt8 {
    if channel < 48 { return 0 }
    return channel < 115 ? 1 : UInt8((channel - 35) / 40)
  }

  /// The index of the colour at the smallest distance; channels outside 0 to 255 are clamped.
  func nearest(_ colour: SIMD4<Float>) -> UInt8 {
    let red = Self.channel(colour.x)
    let green = Self.channel(colour.y)
    let blue = Self.channel(colour.z)
    if isSmall {
      let key = (red + 8) / 17 * 256 + (green + 8) / 17 * 16 + (blue + 8) / 17
      return nearestOfSmall[key]
    }
    let cube =
      16 + 36 * levelIndices[red] + 6 * levelIndices[green] + levelIndices[blue]
    // The nearest grey is that of the channels' mean, for any hue.
    let grey = UInt8(232 + min(max(0, ((red + green + blue) / 3 - 3) / 10), 23))
    let target = SIMD4<Int32>(Int32(red), Int32(green), Int32(blue), 0)
    return distance(target, grey) < distance(target, cube) ? grey : cube
  }

  private func distance(_ colour: SIMD4<Int32>, _ index: UInt8) -> Int32 {
    let difference = colour &- whole[Int(index)]
    let squares = difference &* difference
    return squares.x + squares.y + squares.z
  }

  private static func channel(_ value: Float) -> Int {
    Int(min(max(0, value), 255) + 0.5)
  }

  /// Distances weight green most and blue least, as the eye does.
  private static func nearest(toKey key: Int, among colours: [SIMD4<Float>]) -> UInt8 {
    let weights = SIMD4<Float>(3, 4, 2, 0)
    let channels = SIMD4<Float>(Float(key >> 8), Float(key >> 4 & 15), Float(key & 15), 0)
    var best = (index: 0, distance: Float.infinity)
    for (index, candidate) in colours.enumerated() {
      let difference = channels * 17 - candidate
      let distance = (difference * difference * weights).sum()
      if distance < best.distance { best = (index, distance) }
    }
    return UInt8(best.index)
  }
}

extension SIMD4<Float> {
  init(rgb: UInt32) {
    self.init(Float(rgb >> 16 & 0xFF), Float(rgb >> 8 & 0xFF), Float(rgb & 0xFF), 0)
  }
}
