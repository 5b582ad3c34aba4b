/// The backslash escapes of JSON strings.
package enum JSONEscapes {
  struct Failure: Error {
    let index: Int
    let what: String
  }

  /// A text as it is written between quotes, in nothing but visible ASCII.
  package static func inASCII(_ text: String) -> String {
    var bytes: [UInt8] = []
    append(text, to: &bytes) { _ in true }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends a text as it is written between quotes.
  ///
  /// - Parameter isEscaped: whether to escape a scalar; called for each that is not visible ASCII.
  static func append(
    _ text: String, to bytes: inout [UInt8], _ isEscaped: (Unicode.Scalar) -> Bool
  ) {
    let backslash = UInt8(ascii: "\\")
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": bytes += [backslash, UInt8(ascii: scalar)]
      case " "..."~": bytes.append(UInt8(ascii: scalar))
      case "\n": bytes += [backslash, UInt8(ascii: "n")]
      case "\t": bytes += [backslash, UInt8(ascii: "t")]
      case _ where isEscaped(scalar):
        // UTF-16 code units (RFC 8259, section 7).
        for unit in scalar.utf16 {
          let digits = String(unit, radix: 16)
          bytes += "\\u\(String(repeating: "0", count: 4 - digits.utf8.count))\(digits)".utf8
        }
      default: bytes += scalar.utf8
      }
    }
  }

  /// Control characters, and those that reorder or hide the text around them.
  static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: true
    default: false
    }
  }

  /// The text between the quotes with its escapes resolved; a lone surrogate becomes U+FFFD.
  static func resolved(_ text: ArraySlice<UInt8>) throws(Failure) -> String {
    var units: [UInt8] = []
    units.reserveCapacity(text.count)
    var index = text.startIndex
    while index < text.endIndex {
      let byte = text[index]
      index += 1
      guard byte == UInt8(ascii: "\\") else {
        units.append(byte)
        continue
      }
      let escape = text[index]
      index += 1
      switch escape {
      case UInt8(ascii: "n"): units.append(0x0A)
      case UInt8(ascii: "t"): units.append(0x09)
      case UInt8(ascii: "r"): units.append(0x0D)
      case UInt8(ascii: "b"): units.append(0x08)
      case UInt8(ascii: "f"): units.append(0x0C)
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): units.append(escape)
      case UInt8(ascii: "u"):
        let scalar = try scalar(in: text, at: &index)
        units.append(contentsOf: String(Character(scalar)).utf8)
      default: throw Failure(index: index - 1, what: "an unknown escape in a string")
      }
    }
    return String(decoding: units, as: UTF8.self)
  }

  /// The same for a text with escapes that JSON does not have: `\xNN` is the character of that
  /// number, and any other escape is the character after its backslash.
  static func guessed(_ text: ArraySlice<UInt8>) -> String {
    var units: [UInt8] = []
    var index = text.startIndex
    while index < text.endIndex {
      let next = text[index...].firstIndex(of: UInt8(ascii: "\\")) ?? text.endIndex
      units += text[index..<next]
      guard next + 1 < text.endIndex else { break }
      let escape = text[next + 1]
      // One escape, with a second surrogate if there may be one.
      let length = escape == UInt8(ascii: "u") ? 12 : 2
      if let known = known(text[next..<min(next + length, text.endIndex)]) {
        units += known.text.utf8
        index = next + known.count
      } else if escape == UInt8(ascii: "x"), next + 4 <= text.endIndex,
        let value = UInt8(String(decoding: text[(next + 2)..<(next + 4)], as: UTF8.self), radix: 16)
      {
        units += String(Character(Unicode.Scalar(value))).utf8
        index = next + 4
      } else {
        units.append(escape)
        index = next + 2
      }
    }
    return String(decoding: units, as: UTF8.self)
  }

  /// The text of the escape at the start, and how many bytes it takes; nil where JSON has no such
  /// escape.
  private static func known(_ text: ArraySlice<UInt8>) -> (text: String, count: Int)? {
    let counts = text.count > 2 ? [12, 6] : [2]
    for count in counts where count <= text.count {
      guard let resolved = try? resolved(text.prefix(count)) else { continue }
      // Two surrogates are one character; a second character is left for the next call.
      if count < 12 || resolved.unicodeScalars.count == 1 { return (resolved, count) }
    }
    return nil
  }

  /// The scalar of `\uXXXX`, together with its second surrogate if it needs one.
  private static func scalar(
    in text: ArraySlice<UInt8>, at index: inout Int
  ) throws(Failure) -> Unicode.Scalar {
    let first = try unit(in: text, at: index)
    index += 4
    if let scalar = Unicode.Scalar(first) { return scalar }
    let low = index + 2
    guard first & 0xFC00 == 0xD800, low + 4 <= text.endIndex,
      text[index] == UInt8(ascii: "\\"), text[index + 1] == UInt8(ascii: "u")
    else { return "\u{FFFD}" }
    let second = try unit(in: text, at: low)
    guard second & 0xFC00 == 0xDC00 else { return "\u{FFFD}" }
    index = low + 4
    let value = 0x10000 + (UInt32(first & 0x3FF) << 10 | UInt32(second & 0x3FF))
    return Unicode.Scalar(value) ?? "\u{FFFD}"
  }

  private static func unit(in text: ArraySlice<UInt8>, at index: Int) throws(Failure) -> UInt16 {
    guard index + 4 <= text.endIndex,
      text[index..<index + 4].allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
      let value = UInt16(String(decoding: text[index..<index + 4], as: UTF8.self), radix: 16)
    else { throw Failure(index: index, what: "a \\u escape needs four hex digits") }
    return value
  }
}
