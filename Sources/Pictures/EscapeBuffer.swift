/// Bytes for the terminal, such as those of one frame. Its memory is kept when it is emptied.
public struct EscapeBuffer: Sendable {
  private var storage: [UInt8] = []
  private var pen = EscapePen()

  public init() {}

  /// How many bytes it holds.
  public var count: Int { pen.end }
  public var isEmpty: Bool { count == 0 }

  /// A copy of all bytes.
  public var bytes: [UInt8] { Array(storage[..<count]) }

  /// The bytes from a position on, without copying them.
  public func dropFirst(_ position: Int) -> ArraySlice<UInt8> { storage[position..<count] }

  /// Empties it, keeping its memory.
  public mutating func removeAll() { pen.end = 0 }

  /// Appends bytes.
  public mutating func append(_ added: some Collection<UInt8>) {
    write(upTo: added.count) { pen, bytes in
      for byte in added { pen.put(byte, in: &bytes) }
    }
  }

  mutating func append(_ text: String) { append(text.utf8) }

  /// Appends what `write` puts into memory that is borrowed once, which spares a check for each byte.
  ///
  /// - Parameter most: the most bytes that it puts.
  @inline(__always)
  mutating func write(
    upTo most: Int, _ write: (_ pen: inout EscapePen, _ bytes: inout MutableRawSpan) -> Void
  ) {
    // A whole word is stored, even if fewer of its bytes count.
    makeRoom(for: count + most + MemoryLayout<UInt64>.size)
    var pen = pen
    var span = storage.mutableSpan
    var bytes = span.mutableBytes
    write(&pen, &bytes)
    self.pen = pen
  }

  private mutating func makeRoom(for needed: Int) {
    guard storage.count < needed else { return }
    storage += repeatElement(0, count: max(needed, 2 * storage.count) - storage.count)
  }
}

/// Puts bytes into memory one behind the other. Each store checks that it stays inside.
struct EscapePen: Sendable {
  /// Where the next byte goes.
  fileprivate(set) var end = 0
  private let decimals = Self.decimals

  /// The digits of 0 to 255 and a semicolon, the first one in the lowest byte; the highest byte is
  /// their number.
  private static let decimals: [UInt64] = (0..<256).map { number in
    var packed: UInt64 = 0
    for byte in "\(number);".utf8.reversed() { packed = packed << 8 | UInt64(byte) }
    return packed | UInt64("\(number);".utf8.count) << 56
  }

  /// Puts the lowest `length` bytes of a word, the lowest first.
  @inline(__always)
  mutating func put(word: UInt64, length: Int, in bytes: inout MutableRawSpan) {
    bytes.storeBytes(of: word.littleEndian, toByteOffset: end, as: UInt64.self)
    end &+= length
  }

  @inline(__always)
  mutating func put(_ byte: UInt8, in bytes: inout MutableRawSpan) {
    bytes.storeBytes(of: byte, toByteOffset: end, as: UInt8.self)
    end &+= 1
  }

  @inline(__always)
  mutating func replaceLast(with byte: UInt8, in bytes: inout MutableRawSpan) {
    bytes.storeBytes(of: byte, toByteOffset: end - 1, as: UInt8.self)
  }

  /// Puts a number of any size that is not negative.
  mutating func put(decimal number: Int, in bytes: inout MutableRawSpan) {
    if number > 9 { put(decimal: number / 10, in: &bytes) }
    put(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10), in: &bytes)
  }

  /// Puts a number below 256 and a semicolon.
  @inline(__always)
  mutating func put(shortDecimal number: UInt32, in bytes: inout MutableRawSpan) {
    let digits = decimals[Int(number)]
    put(word: digits, length: Int(digits >> 56), in: &bytes)
  }

  /// Puts red, green and blue of `0x00RRGGBB`, each with a semicolon.
  @inline(__always)
  mutating func put(channelsOf rgb: UInt32, in bytes: inout MutableRawSpan) {
    let red = decimals[Int(rgb >> 16 & 0xFF)]
    let green = decimals[Int(rgb >> 8 & 0xFF)]
    let redLength = red >> 56
    // At most four bytes each: two numbers are one word.
    put(
      word: red & 0xFFFF_FFFF | green &<< (8 &* redLength),
      length: Int(redLength &+ green >> 56), in: &bytes)
    put(shortDecimal: rgb & 0xFF, in: &bytes)
  }

  /// Puts a scalar in UTF-8.
  @inline(__always)
  mutating func put(_ scalar: Unicode.Scalar, in bytes: inout MutableRawSpan) {
    let value = UInt64(scalar.value)
    if value < 0x80 {
      put(word: value, length: 1, in: &bytes)
    } else if value < 0x800 {
      put(word: 0x80C0 | value >> 6 | (value & 0x3F) << 8, length: 2, in: &bytes)
    } else if value < 0x10000 {
      put(
        word: 0x8080E0 | value >> 12 | (value >> 6 & 0x3F) << 8 | (value & 0x3F) << 16, length: 3,
        in: &bytes)
    } else {
      put(
        word: 0x8080_80F0 | value >> 18 | (value >> 12 & 0x3F) << 8 | (value >> 6 & 0x3F) << 16
          | (value & 0x3F) << 24, length: 4, in: &bytes)
    }
  }
}

/// How many digits a number has that is not negative.
func digitCount(_ number: Int) -> Int {
  number < 10 ? 1 : number < 100 ? 2 : number < 1000 ? 3 : 1 + digitCount(number / 10)
}
