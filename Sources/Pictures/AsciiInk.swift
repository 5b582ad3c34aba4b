/// The glyphs of the brightness ramp, and how much of a cell they cover.
package enum AsciiInk {
  /// From no ink to the most, strictly rising.
  ///
  /// Measured in DejaVu Sans Mono, smoothed, in a cell of 8 to 16 pixels. Other fonts differ in
  /// weight, hardly in order.
  package static let ramp: [(glyph: Unicode.Scalar, ink: Float)] = [
    (" ", 0), (".", 0.0255), (":", 0.0509), (";", 0.0673), ("!", 0.0822), ("+", 0.1001),
    ("=", 0.1068), ("c", 0.1249), ("x", 0.1408), ("C", 0.1559), ("o", 0.1721), ("a", 0.1867),
    ("$", 0.2036), ("&", 0.2248), ("#", 0.2376), ("@", 0.2663),
  ]

  /// The ink of the last glyph.
  package static let most: Float = 0.2663

  /// The index in the ramp whose ink is nearest to a share, from 0 to 1, of the most ink.
  static func index(forShare share: Float) -> Int {
    let place = Int(min(max(0, share), 1) * Float(resolution) + 0.5)
    return indices[place]
  }

  private static let resolution = 255
  private static let indices: [Int] = (0...resolution).map { step in
    let wanted = Float(step) / Float(resolution) * most
    return ramp.indices.min { abs(ramp[$0].ink - wanted) < abs(ramp[$1].ink - wanted) } ?? 0
  }
}
