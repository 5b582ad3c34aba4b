/// Finds one text in a small JSON object (RFC 8259), such as a service's answer.
struct JSONMember {
  /// The string that a member of the outermost object holds; nil where there is no such member, or
  /// the text is no JSON as far as it was read.
  static func string(_ name: String, in text: [UInt8]) -> String? {
    var scan = JSONMember(rest: text[...])
    return scan.find(name)
  }

  private var rest: ArraySlice<UInt8>

  private mutating func find(_ name: String) -> String? {
    guard take("{") else { return nil }
    while let key = string() {
      guard take(":") else { return nil }
      if key == name { return string() }
      guard skipValue(), take(",") else { return nil }
    }
    return nil
  }

  /// The next byte that is no white space.
  private mutating func next() -> UInt8? {
    rest = rest.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
    return rest.first
  }

  private mutating func take(_ mark: Unicode.Scalar) -> Bool {
    guard next() == UInt8(ascii: mark) else { return false }
    rest = rest.dropFirst()
    return true
  }

  /// Passes over a value. Brackets are counted, not matched: what a member holds is not judged.
  private mutating func skipValue() -> Bool {
    var depth = 0
    while let byte = next() {
      switch byte {
      case UInt8(ascii: "\""): guard string() != nil else { return false }
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        rest = rest.dropFirst()
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 0 { return true }
        depth -= 1
        rest = rest.dropFirst()
      case UInt8(ascii: ",") where depth == 0: return true
      default: rest = rest.dropFirst()
      }
    }
    return false
  }

  private mutating func string() -> String? {
    guard take("\"") else { return nil }
    var units: [UInt16] = []
    var plain: [UInt8] = []
    func flush() {
      units += String(decoding: plain, as: UTF8.self).utf16
      plain = []
    }
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "\""):
        flush()
        return String(decoding: units, as: UTF16.self)
      case UInt8(ascii: "\\"):
        flush()
        guard let unit = escaped() else { return nil }
        units.append(unit)
      case 0..<0x20: return nil
      default: plain.append(byte)
      }
    }
    return nil
  }

  /// What stands after a backslash.
  private mutating func escaped() -> UInt16? {
    switch rest.popFirst() {
    case UInt8(ascii: "b"): return 8
    case UInt8(ascii: "f"): return 12
    case UInt8(ascii: "n"): return 10
    case UInt8(ascii: "r"): return 13
    case UInt8(ascii: "t"): return 9
    case UInt8(ascii: "u"):
      let digits = rest.prefix(4)
      rest = rest.dropFirst(4)
      guard digits.count == 4, digits.first != UInt8(ascii: "+") else { return nil }
      return UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
    case let byte? where "\"\\/".utf8.contains(byte): return UInt16(byte)
    default: return nil
    }
  }
}
