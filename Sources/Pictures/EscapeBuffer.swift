/// Collects bytes for the terminal.
///
/// `makeRoom` must be called first; the other functions only check that they stay inside.
struct EscapeBuffer: Sendable {
  private var storage: [UInt8] = []
  /// The digits of 0 to 255 and a semicolon, the first one in the lowest byte; the highest byte is
  /// their number.
  private let decimals: [UInt64] = (0..<256).map { number in
    var packed: UInt64 = 0
    for byte in "\(number);".utf8.reversed() { packed = packed << 8 | UInt64(byte) }
    return packed | UInt64("\(number);".utf8.count) << 56
  }
  private(set) var count = 0

  var bytes: [UInt8] { Array(storage[..<count]) }

  mutating func removeAll() {
    count = 0
  }

  /// Makes sure that `byteCount` more bytes fit.
  mutating func makeRoom(_ byteCount: Int) {
    // A whole word is stored, even if fewer of its bytes count.
    let needed = count + byteCount + 8
    guard storage.count < needed else { return }
    storage += Array(repeating: 0, count: max(needed, 2 * storage.count) - storage.count)
  }

  /// Appends the lowest `length` bytes of a word, the lowest first.
  @inline(__always)
  mutating func append(word: UInt64, length: Int) {
    let end = count
    var span = storage.mutableSpan
    var raw = span.mutableBytes
    raw.storeBytes(of: word.littleEndian, toByteOffset: end, as: UInt64.self)
    count = end + length
  }

  mutating func append(_ byte: UInt8) {
    append(word: UInt64(byte), length: 1)
  }

  mutating func replaceLast(with byte: UInt8) {
    storage[count - 1] = byte
  }

  mutating func append(_ text: String) {
    makeRoom(text.utf8.count)
    for byte in text.utf8 { append(byte) }
  }

  /// Appends a number of any size.
  mutating func append(decimal number: Int) {
    if number < 256 {
      append(shortDecimal: UInt32(number))
      count -= 1
    } else {
      append(decimal: number / 10)
      append(UInt8(ascii: "0") + UInt8(number % 10))
    }
  }

  /// Appends a number below 256 and a semicolon.
  mutating func append(shortDecimal number: UInt32) {
    let digits = decimals[Int(number)]
    append(word: digits, length: Int(digits >> 56))
  }

  /// Appends three numbers below 256, each with a semicolon.
  @inline(__always)
  mutating func append(shortDecimals first: UInt32, _ second: UInt32, _ third: UInt32) {
    let one = decimals[Int(first)]
    let two = decimals[Int(second)]
    let oneLength = one >> 56
    // At most four bytes each: two numbers are one word.
    append(
      word: one & 0xFFFF_FFFF | two << (8 * oneLength), length: Int(oneLength + (two >> 56)))
    append(shortDecimal: third)
  }

  mutating func append(_ scalar: Unicode.Scalar) {
    let value = UInt64(scalar.value)
    if value < 0x80 {
      append(word: value, length: 1)
    } else if value < 0x800 {
      append(word: 0x80C0 | value >> 6 | (value & 0x3F) << 8, length: 2)
    } else if value < 0x10000 {
      append(
        word: 0x8080E0 | value >> 12 | (value >> 6 & 0x3F) << 8 | (value & 0x3F) << 16, length: 3)
    } else {
      append(
        word: 0x8080_80F0 | value >> 18 | (value >> 12 & 0x3F) << 8 | (value >> 6 & 0x3F) << 16
          | (value & 0x3F) << 24, length: 4)
    }
  }
}

/// How many digits a positive number has.
func digitCount(_ number: Int) -> Int {
  number < 10 ? 1 : number < 100 ? 2 : number < 1000 ? 3 : 1 + digitCount(number / 10)
}
