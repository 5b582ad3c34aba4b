/// How far a channel of a colour may differ. Palette and default colours are near only to themselves.
struct Tolerance {
  private static let guards: UInt64 = 0x4000_4000_4000_4000
  private static let oneEach: UInt64 = 0x0001_0001_0001_0001
  /// The lanes of red, green and blue in `HalfColour.lanes`.
  private static let channels: UInt64 = 0x0000_FFFF_FFFF_FFFF
  private static let evenBytes: UInt64 = 0x00FF_00FF_00FF_00FF

  /// A guard bit in each lane, and the tolerance in those of channels.
  private let allowance: UInt64
  private let doubled: UInt64
  /// A guard bit and the tolerance in each lane.
  private let everywhere: UInt64

  /// - Parameter value: 0 to 255; others are clamped.
  init(_ value: Int) {
    let value = UInt64(min(max(0, value), 255))
    everywhere = Self.guards + value * Self.oneEach
    allowance = Self.guards + value * (Self.oneEach & Self.channels)
    doubled = Self.guards + 2 * value * (Self.oneEach & Self.channels)
  }

  /// Whether no channel differs by more.
  @inline(__always)
  func isNear(_ one: HalfColour, _ other: HalfColour) -> Bool {
    Self.isWithin(allowance, one.lanes, other.lanes)
  }

  /// Whether both colours of a pair are near to those of another one.
  @inline(__always)
  func areNear(_ one: ColourPair, _ other: ColourPair) -> Bool {
    guard one.areTrueColours, other.areTrueColours else {
      return isNear(one.first, other.first) && isNear(one.second, other.second)
    }
    return nearLanes(one, other) == Self.guards
  }

  /// Which of a pair's colours are near to a colour.
  @inline(__always)
  func halves(of pair: ColourPair, near colour: HalfColour) -> Halves {
    let colours = ColourPair(colour, colour)
    guard pair.areTrueColours, colour.isTrueColour else {
      return Halves(upper: isNear(pair.first, colour), lower: isNear(pair.second, colour))
    }
    let lanes = nearLanes(pair, colours)
    return Halves(
      upper: UInt32(truncatingIfNeeded: lanes) == UInt32(truncatingIfNeeded: Self.guards),
      lower: lanes >> 32 == Self.guards >> 32)
  }

  /// Guard bits in the lanes of truecolours whose two channels are near.
  @inline(__always)
  private func nearLanes(_ one: ColourPair, _ other: ColourPair) -> UInt64 {
    let even = (one.word & Self.evenBytes) &- (other.word & Self.evenBytes)
    let odd = (one.word >> 8 & Self.evenBytes) &- (other.word >> 8 & Self.evenBytes)
    return (everywhere &+ even) & (everywhere &- even) & (everywhere &+ odd)
      & (everywhere &- odd) & Self.guards
  }

  /// Whether some colour is near to both.
  @inline(__always)
  func hasMiddle(_ one: HalfColour, _ other: HalfColour) -> Bool {
    Self.isWithin(doubled, one.lanes, other.lanes)
  }

  /// A colour near to both of two colours that have a middle.
  func middle(_ one: HalfColour, _ other: HalfColour) -> HalfColour {
    HalfColour(raw: (one.raw & other.raw) + ((one.raw ^ other.raw) >> 1 & 0x7F7F_7F7F))
  }

  /// A lane keeps its guard bit where the difference does not exceed the allowance.
  @inline(__always)
  private static func isWithin(_ allowance: UInt64, _ one: UInt64, _ other: UInt64) -> Bool {
    // Lanes are at most 0x03FF, so that none borrows from its neighbour.
    let difference = one &- other
    return (allowance &+ difference) & (allowance &- difference) & guards == guards
  }
}

/// Two colours in one word: the upper half's or the foreground, and the lower half's or the background.
struct ColourPair: Equatable, BitwiseCopyable {
  let word: UInt64

  @inline(__always)
  init(_ first: HalfColour, _ second: HalfColour) {
    word = UInt64(first.raw) | UInt64(second.raw) << 32
  }

  var first: HalfColour { HalfColour(raw: UInt32(truncatingIfNeeded: word)) }
  var second: HalfColour { HalfColour(raw: UInt32(truncatingIfNeeded: word >> 32)) }
  var areTrueColours: Bool { word & 0xFF00_0000_FF00_0000 == 0 }
}

/// Halves of a cell.
struct Halves: OptionSet {
  let rawValue: UInt8

  static let upper = Halves(rawValue: 1)
  static let lower = Halves(rawValue: 2)
  static let both = Halves(rawValue: 3)

  @inline(__always)
  init(rawValue: UInt8) { self.rawValue = rawValue }

  @inline(__always)
  init(upper: Bool, lower: Bool) { rawValue = (upper ? 1 : 0) | (lower ? 2 : 0) }
}
