/// The colours and style that the next glyph will have, and the escapes that change them.
struct SGRState: Equatable {
  /// More than any change needs: `ESC[0;1;2;7;38;2;255;255;255;48;2;255;255;255m`.
  static let mostBytes = 48

  private(set) var foreground = PackedColor.defaultForeground
  private(set) var background = PackedColor.defaultBackground
  private(set) var style: CellStyle = []

  /// Whether `CSI m` would change nothing.
  var isPlain: Bool { self == SGRState() }

  /// Sets new colours and style with one escape, or with none if nothing changes.
  mutating func change(
    foreground newForeground: PackedColor, background newBackground: PackedColor,
    style newStyle: CellStyle, in buffer: inout EscapeBuffer
  ) {
    guard newForeground != foreground || newBackground != background || newStyle != style else {
      return
    }
    buffer.append(word: 0x5B1B, length: 2)  // ESC [
    if newStyle != style { change(style: newStyle, in: &buffer) }
    if newForeground != foreground {
      Self.append(newForeground, base: 30, in: &buffer)
      foreground = newForeground
    }
    if newBackground != background {
      Self.append(newBackground, base: 40, in: &buffer)
      background = newBackground
    }
    buffer.replaceLast(with: UInt8(ascii: "m"))
  }

  private mutating func change(style newStyle: CellStyle, in buffer: inout EscapeBuffer) {
    if !style.isSubset(of: newStyle) {
      buffer.append(shortDecimal: 0)
      self = SGRState()
    }
    for (bit, code) in [(CellStyle.bold, 1), (.dim, 2), (.reverse, 7)] as [(CellStyle, UInt32)]
    where newStyle.contains(bit) && !style.contains(bit) {
      buffer.append(shortDecimal: code)
    }
    style = newStyle
  }

  /// - Parameter base: 30 for the foreground, 40 for the background.
  private static func append(_ colour: PackedColor, base: UInt32, in buffer: inout EscapeBuffer) {
    if let channels = colour.channels {
      // "38;2;" or "48;2;".
      buffer.append(word: base == 30 ? 0x3B_323B_3833 : 0x3B_323B_3834, length: 5)
      buffer.append(shortDecimals: channels.red, channels.green, channels.blue)
    } else if let index = colour.paletteIndex {
      switch index {
      case 0..<8: buffer.append(shortDecimal: base + index)
      case 8..<16: buffer.append(shortDecimal: base + 60 + index - 8)
      default:
        // "38;5;" or "48;5;".
        buffer.append(word: base == 30 ? 0x3B_353B_3833 : 0x3B_353B_3834, length: 5)
        buffer.append(shortDecimal: index)
      }
    } else {
      buffer.append(shortDecimal: base + 9)
    }
  }
}
