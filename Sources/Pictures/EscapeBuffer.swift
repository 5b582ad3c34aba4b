/// Bytes for the terminal being put together.
struct EscapeBuffer: Sendable {
  private(set) var bytes: [UInt8] = []

  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
  }

  mutating func append(_ byte: UInt8) {
    bytes.append(byte)
  }

  mutating func append(_ text: StaticString) {
    text.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  mutating func append(decimal number: Int) {
    if number >= 10 { append(decimal: number / 10) }
    bytes.append(UInt8(ascii: "0") + UInt8(number % 10))
  }

  mutating func append(_ scalar: Unicode.Scalar) {
    let value = scalar.value
    if value < 0x80 {
      bytes.append(UInt8(value))
    } else if value < 0x800 {
      bytes.append(UInt8(0xC0 | value >> 6))
      bytes.append(UInt8(0x80 | value & 0x3F))
    } else if value < 0x10000 {
      bytes.append(UInt8(0xE0 | value >> 12))
      bytes.append(UInt8(0x80 | value >> 6 & 0x3F))
      bytes.append(UInt8(0x80 | value & 0x3F))
    } else {
      bytes.append(UInt8(0xF0 | value >> 18))
      bytes.append(UInt8(0x80 | value >> 12 & 0x3F))
      bytes.append(UInt8(0x80 | value >> 6 & 0x3F))
      bytes.append(UInt8(0x80 | value & 0x3F))
    }
  }
}

/// How many digits a positive number has.
func digitCount(_ number: Int) -> Int {
  number < 10 ? 1 : number < 100 ? 2 : number < 1000 ? 3 : 1 + digitCount(number / 10)
}
