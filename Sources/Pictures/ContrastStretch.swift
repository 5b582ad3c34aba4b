import DecoderLink

/// Stretches a scene's brightness over the few tones that can be shown, without flicker.
///
/// The darkest and brightest tones are followed slowly during a scene; a cut resets them.
struct ContrastStretch {
  /// How far both ends move towards those of each new picture, as a share.
  private static let adaptation: Float = 0.05
  /// The share of pixels that must change their brightness to count as a cut.
  private static let cutShare: Float = 0.5
  /// Less contrast than this is not spread out: it would be noise.
  private static let leastRange: Float = 64
  private static let bins = 32

  private var dark: Float = 0
  private var bright: Float = 255
  private var histogram: [Float] = []
  /// Kept from picture to picture for its memory.
  private var counts: [Float] = []

  /// Takes a picture's brightness, 0 to 255.
  ///
  /// - Returns: whether a new scene begins with it.
  mutating func observe(_ lumas: [Float]) -> Bool {
    guard !lumas.isEmpty else { return false }
    counts.refill(with: 0, count: Self.bins)
    let weight = 1 / Float(lumas.count)
    for luma in lumas { counts[min(Int(luma) * Self.bins / 256, Self.bins - 1)] += weight }
    let isCut =
      histogram.isEmpty
      || zip(counts, histogram).reduce(0) { $0 + abs($1.0 - $1.1) } > 2 * Self.cutShare
    swap(&histogram, &counts)
    let ends = Self.ends(of: histogram)
    if isCut {
      (dark, bright) = ends
    } else {
      dark += (ends.dark - dark) * Self.adaptation
      bright += (ends.bright - bright) * Self.adaptation
    }
    return isCut
  }

  /// The brightness as a share, from 0 to 1, of the scene's range.
  func stretched(_ luma: Float) -> Float {
    min(max(0, (luma - dark) / (bright - dark)), 1)
  }

  /// The range of brightness without a fiftieth of the pixels at each end, widened to `leastRange`.
  private static func ends(of counts: [Float]) -> (dark: Float, bright: Float) {
    let width = 256 / Float(bins)
    var dark: Float = 0
    var bright: Float = 256
    var sum: Float = 0
    for (bin, share) in counts.enumerated() {
      if sum <= 0.02 { dark = Float(bin) * width }
      sum += share
      if sum <= 0.98 { bright = Float(min(bin + 2, bins)) * width }
    }
    bright = min(max(bright, dark + width), 255)
    let missing = max(0, leastRange - (bright - dark))
    dark = max(0, dark - missing / 2)
    bright = min(255, dark + max(leastRange, bright - dark))
    return (min(dark, bright - leastRange), bright)
  }
}

extension Bitmap {
  /// Puts the brightness of each pixel, from 0 to 255 (BT.709), in the place of other values.
  func takeLumas(into lumas: inout [Float]) {
    lumas.removeAll(keepingCapacity: true)
    for rgb in pixels {
      lumas.append(
        0.2126 * Float(rgb >> 16 & 0xFF) + 0.7152 * Float(rgb >> 8 & 0xFF)
          + 0.0722 * Float(rgb & 0xFF))
    }
  }
}

extension Array {
  /// Puts one value in the place of all others, keeping the memory.
  mutating func refill(with value: Element, count: Int) {
    removeAll(keepingCapacity: true)
    for _ in 0..<count { append(value) }
  }
}
