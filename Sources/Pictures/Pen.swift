/// The colours and style that the next glyph will have, and the escapes that change them.
struct Pen {
  private(set) var foreground = HalfColour.defaultForeground
  private(set) var background = HalfColour.defaultBackground
  private(set) var style: CellStyle = []

  /// True when `CSI m` would change nothing.
  var isPlain: Bool {
    foreground == .defaultForeground && background == .defaultBackground && style.isEmpty
  }

  /// Takes new colours and style, in one escape, or none when nothing changes.
  mutating func change(
    foreground newForeground: HalfColour, background newBackground: HalfColour,
    style newStyle: CellStyle, in buffer: inout EscapeBuffer
  ) {
    var separator: StaticString = "\u{1B}["
    if !style.isSubset(of: newStyle) {
      buffer.append(separator)
      buffer.append(UInt8(ascii: "0"))
      separator = ";"
      self = Pen()
    }
    for (bit, code) in Self.styleCodes
    where newStyle.contains(bit) && !style.contains(bit) {
      buffer.append(separator)
      buffer.append(code)
      separator = ";"
    }
    style = newStyle
    if newForeground != foreground {
      buffer.append(separator)
      Self.append(newForeground, base: 30, in: &buffer)
      separator = ";"
      foreground = newForeground
    }
    if newBackground != background {
      buffer.append(separator)
      Self.append(newBackground, base: 40, in: &buffer)
      separator = ";"
      background = newBackground
    }
    if separator.utf8CodeUnitCount == 1 { buffer.append(UInt8(ascii: "m")) }
  }

  private static let styleCodes: [(CellStyle, UInt8)] = [
    (.bold, UInt8(ascii: "1")), (.dim, UInt8(ascii: "2")), (.reverse, UInt8(ascii: "7")),
  ]

  /// - Parameter base: 30 for the foreground, 40 for the background.
  private static func append(_ colour: HalfColour, base: Int, in buffer: inout EscapeBuffer) {
    let cellColour = colour.cellColour
    if let rgb = cellColour.rgb {
      buffer.append(decimal: base + 8)
      buffer.append(";2;")
      buffer.append(decimal: Int(rgb >> 16))
      buffer.append(UInt8(ascii: ";"))
      buffer.append(decimal: Int(rgb >> 8 & 0xFF))
      buffer.append(UInt8(ascii: ";"))
      buffer.append(decimal: Int(rgb & 0xFF))
    } else if let index = cellColour.paletteIndex {
      switch index {
      case 0..<8: buffer.append(decimal: base + Int(index))
      case 8..<16: buffer.append(decimal: base + 60 + Int(index) - 8)
      default:
        buffer.append(decimal: base + 8)
        buffer.append(";5;")
        buffer.append(decimal: Int(index))
      }
    } else {
      buffer.append(decimal: base + 9)
    }
  }
}
