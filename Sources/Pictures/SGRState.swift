/// The colours and style that the next glyph will have, and the escapes that change them.
struct SGRState: Equatable {
  /// More than any change needs: `ESC[0;1;2;7;38;2;255;255;255;48;2;255;255;255m`.
  static let mostBytes = 48

  private(set) var foreground = HalfColour.defaultForeground
  private(set) var background = HalfColour.defaultBackground
  private(set) var style: CellStyle = []

  /// Whether `CSI m` would change nothing.
  var isPlain: Bool { self == SGRState() }

  /// Sets new colours and style with one escape, or with none if nothing changes.
  @inline(__always)
  mutating func change(
    foreground newForeground: HalfColour, background newBackground: HalfColour,
    style newStyle: CellStyle, with pen: inout EscapePen, in bytes: inout MutableRawSpan
  ) {
    guard newForeground != foreground || newBackground != background || newStyle != style else {
      return
    }
    pen.put(word: 0x5B1B, length: 2, in: &bytes)  // ESC [
    if newStyle != style { change(style: newStyle, with: &pen, in: &bytes) }
    if newForeground != foreground {
      Self.put(newForeground, base: 30, with: &pen, in: &bytes)
      foreground = newForeground
    }
    if newBackground != background {
      Self.put(newBackground, base: 40, with: &pen, in: &bytes)
      background = newBackground
    }
    pen.replaceLast(with: UInt8(ascii: "m"), in: &bytes)
  }

  private mutating func change(
    style newStyle: CellStyle, with pen: inout EscapePen, in bytes: inout MutableRawSpan
  ) {
    if !style.isSubset(of: newStyle) {
      pen.put(shortDecimal: 0, in: &bytes)
      self = SGRState()
    }
    let added = newStyle.subtracting(style)
    if added.contains(.bold) { pen.put(shortDecimal: 1, in: &bytes) }
    if added.contains(.dim) { pen.put(shortDecimal: 2, in: &bytes) }
    if added.contains(.reverse) { pen.put(shortDecimal: 7, in: &bytes) }
    style = newStyle
  }

  /// - Parameter base: 30 for the foreground, 40 for the background.
  @inline(__always)
  private static func put(
    _ colour: HalfColour, base: UInt32, with pen: inout EscapePen, in bytes: inout MutableRawSpan
  ) {
    if colour.isTrueColour {
      // "38;2;" or "48;2;".
      pen.put(word: base == 30 ? 0x3B_323B_3833 : 0x3B_323B_3834, length: 5, in: &bytes)
      pen.put(channelsOf: colour.raw, in: &bytes)
    } else {
      put(ofTerminal: colour, base: base, with: &pen, in: &bytes)
    }
  }

  private static func put(
    ofTerminal colour: HalfColour, base: UInt32, with pen: inout EscapePen,
    in bytes: inout MutableRawSpan
  ) {
    switch colour.paletteIndex {
    case nil: pen.put(shortDecimal: base + 9, in: &bytes)
    case .some(let index) where index < 8: pen.put(shortDecimal: base + index, in: &bytes)
    case .some(let index) where index < 16: pen.put(shortDecimal: base + 60 + index - 8, in: &bytes)
    case .some(let index):
      // "38;5;" or "48;5;".
      pen.put(word: base == 30 ? 0x3B_353B_3833 : 0x3B_353B_3834, length: 5, in: &bytes)
      pen.put(shortDecimal: index, in: &bytes)
    }
  }
}
