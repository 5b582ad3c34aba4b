/// How far a channel of a colour may be off.
struct Tolerance {
  private static let lanes: UInt64 = 0x4000_4000_4000
  let value: Int
  /// In each of three lanes of 16 bits: a guard bit and the tolerance.
  private let allowance: UInt64
  private let doubled: UInt64

  init(_ value: Int) {
    self.value = min(max(0, value), 255)
    allowance = Self.lanes + UInt64(self.value) * 0x1_0001_0001
    doubled = Self.lanes + UInt64(2 * self.value) * 0x1_0001_0001
  }

  /// Whether no channel differs by more; palette and default colours are near themselves only.
  func isNear(_ one: HalfColour, _ other: HalfColour) -> Bool {
    Self.isNear(one, other, allowance)
  }

  /// Whether some colour is near to both.
  func hasMiddle(_ one: HalfColour, _ other: HalfColour) -> Bool {
    Self.isNear(one, other, doubled)
  }

  /// Near to both of two colours that have a middle.
  func middle(_ one: HalfColour, _ other: HalfColour) -> HalfColour {
    let a = one.raw
    let b = other.raw
    return HalfColour(raw: (a & b) + ((a ^ b) >> 1 & 0x7F7F_7F7F))
  }

  private static func isNear(
    _ one: HalfColour, _ other: HalfColour, _ allowance: UInt64
  ) -> Bool {
    if one.raw == other.raw { return true }
    if (one.raw | other.raw) >> 24 != 0 { return false }
    let a = spread(one.raw)
    let b = spread(other.raw)
    // A lane keeps its guard bit where the difference does not exceed the allowance.
    return (allowance + a - b) & (allowance + b - a) & lanes == lanes
  }

  private static func spread(_ rgb: UInt32) -> UInt64 {
    let wide = UInt64(rgb)
    return wide & 0xFF | (wide & 0xFF00) << 8 | (wide & 0xFF_0000) << 16
  }
}
