/// A colour in the form that the painter compares: red, green and blue in lanes of 16 bits.
///
/// The fourth lane distinguishes palette entries and the terminal's two default colours; for
/// truecolours it is 0.
struct PackedColor: Equatable {
  let lanes: UInt64

  static let defaultForeground = PackedColor(.defaultForeground)
  static let defaultBackground = PackedColor(.defaultBackground)

  fileprivate init(lanes: UInt64) {
    self.lanes = lanes
  }

  init(_ colour: HalfColour) {
    let raw = UInt64(colour.raw)
    if raw < 0x0100_0000 {
      lanes = raw & 0xFF | (raw & 0xFF00) << 8 | (raw & 0xFF_0000) << 16
    } else {
      lanes = (raw >> 16 & 0xFF00 | raw & 0xFF) << 48
    }
  }

  /// Red, green and blue of a truecolour, nil for the others.
  var channels: (red: UInt32, green: UInt32, blue: UInt32)? {
    guard lanes >> 48 == 0 else { return nil }
    return (
      UInt32(lanes >> 32), UInt32(lanes >> 16 & 0xFF), UInt32(truncatingIfNeeded: lanes & 0xFF)
    )
  }

  /// The palette's index, nil for the others.
  var paletteIndex: UInt32? {
    lanes >> 56 == 1 ? UInt32(lanes >> 48 & 0xFF) : nil
  }
}

/// How far a channel of a colour may differ.
struct Tolerance {
  private static let guards: UInt64 = 0x4000_4000_4000_4000
  private static let oneEach: UInt64 = 0x0000_0001_0001_0001

  /// A guard bit and the tolerance in the lane of each channel.
  private let allowance: UInt64
  private let doubled: UInt64

  init(_ value: Int) {
    let value = UInt64(min(max(0, value), 255))
    allowance = Self.guards + value * Self.oneEach
    doubled = Self.guards + 2 * value * Self.oneEach
  }

  /// Whether no channel differs by more. Palette and default colours are near only to themselves.
  func isNear(_ one: PackedColor, _ other: PackedColor) -> Bool {
    Self.isNear(one, other, allowance)
  }

  /// Whether some colour is near to both.
  func hasMiddle(_ one: PackedColor, _ other: PackedColor) -> Bool {
    Self.isNear(one, other, doubled)
  }

  /// A colour near to both of two colours that have a middle.
  func middle(_ one: PackedColor, _ other: PackedColor) -> PackedColor {
    PackedColor(
      lanes: (one.lanes & other.lanes) + ((one.lanes ^ other.lanes) >> 1 & 0x7FFF_7FFF_7FFF_7FFF))
  }

  private static func isNear(_ one: PackedColor, _ other: PackedColor, _ allowance: UInt64) -> Bool
  {
    // A lane keeps its guard bit where the difference does not exceed the allowance.
    let a = allowance + one.lanes - other.lanes
    let b = allowance + other.lanes - one.lanes
    return a & b & guards == guards
  }
}
