/// Why bytes from the other program are not a message.
public enum WireError: Error, Equatable, Sendable {
  /// A frame longer than any message may be.
  case frameTooLong(Int)
  /// A message of an unknown kind.
  case unknownKind(UInt8)
  /// A message that is too short or too long, or contains a value out of range.
  case malformed(kind: UInt8)
}

/// Appends the fields of one message, little-endian.
struct FieldWriter {
  private var bytes: [UInt8] = []

  /// - Parameter count: the expected size of the fields in bytes, if large.
  init(reserving count: Int) {
    bytes.reserveCapacity(Frame.headerLength + count)
    bytes.append(contentsOf: repeatElement(0, count: Frame.headerLength))
  }

  mutating func put<Number: FixedWidthInteger>(_ value: Number) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func put(_ value: Double) { put(value.bitPattern) }
  mutating func put(_ value: Bool) { put(UInt8(value ? 1 : 0)) }

  mutating func put(_ value: Duration) { put(value.wholeNanoseconds) }

  mutating func put(_ value: String) {
    let utf8 = Array(value.utf8.prefix(Frame.longestText))
    put(UInt32(utf8.count))
    bytes.append(contentsOf: utf8)
  }

  mutating func put<Number: FixedWidthInteger>(_ value: Number?) {
    put(value != nil)
    if let value { put(value) }
  }

  mutating func put(_ value: Double?) {
    put(value != nil)
    if let value { put(value) }
  }

  mutating func put(_ value: Duration?) { put(value?.wholeNanoseconds) }

  mutating func put(_ value: String?) {
    put(value != nil)
    if let value { put(value) }
  }

  mutating func put<Number: FixedWidthInteger>(elements: [Number]) {
    put(UInt32(elements.count))
    elements.withUnsafeBytes { bytes.append(contentsOf: $0) }
  }

  /// The header and the fields.
  consuming func frame(kind: UInt8) -> [UInt8] {
    let length = UInt32(bytes.count - Frame.headerLength)
    for index in 0..<4 { bytes[index] = UInt8(truncatingIfNeeded: length >> (8 * UInt32(index))) }
    bytes[4] = kind
    return bytes
  }
}

/// Reads the fields of one message; every method throws if the bytes do not contain one.
struct FieldReader {
  private let bytes: ArraySlice<UInt8>
  private var position: Int
  private let kind: UInt8

  init(_ bytes: ArraySlice<UInt8>, kind: UInt8) {
    self.bytes = bytes
    self.kind = kind
    position = bytes.startIndex
  }

  var malformed: WireError { .malformed(kind: kind) }

  private mutating func take(_ count: Int) throws(WireError) -> ArraySlice<UInt8> {
    guard count <= bytes.endIndex - position else { throw malformed }
    defer { position += count }
    return bytes[position..<position + count]
  }

  mutating func number<Number: FixedWidthInteger>(_: Number.Type = Number.self)
    throws(WireError) -> Number
  {
    let raw = try take(MemoryLayout<Number>.size)
    return raw.withUnsafeBytes { Number(littleEndian: $0.loadUnaligned(as: Number.self)) }
  }

  mutating func double() throws(WireError) -> Double {
    let value = Double(bitPattern: try number())
    guard value.isFinite else { throw malformed }
    return value
  }

  mutating func flag() throws(WireError) -> Bool {
    switch try number(UInt8.self) {
    case 0: return false
    case 1: return true
    default: throw malformed
    }
  }

  mutating func duration() throws(WireError) -> Duration { .nanoseconds(try number(Int64.self)) }

  mutating func text() throws(WireError) -> String {
    let length = try number(UInt32.self)
    guard length <= Frame.longestText else { throw malformed }
    return String(decoding: try take(Int(length)), as: UTF8.self)
  }

  mutating func optional<Value>(
    _ read: (inout FieldReader) throws(WireError) -> Value
  ) throws(WireError) -> Value? {
    try flag() ? try read(&self) : nil
  }

  mutating func elements<Number: FixedWidthInteger>(_: Number.Type = Number.self)
    throws(WireError) -> [Number]
  {
    let count = Int(try number(UInt32.self))
    guard count <= Frame.longest / MemoryLayout<Number>.size else { throw malformed }
    let raw = try take(count * MemoryLayout<Number>.size)
    return [Number](unsafeUninitializedCapacity: count) { buffer, initialized in
      raw.withUnsafeBytes { UnsafeMutableRawBufferPointer(buffer).copyMemory(from: $0) }
      initialized = count
    }
  }

  func finish() throws(WireError) {
    guard position == bytes.endIndex else { throw malformed }
  }
}

/// The frame around every message: four bytes of length (of what follows the kind), one of kind.
enum Frame {
  static let headerLength = 5
  /// A picture of 2,000 x 2,000 grid pixels fits.
  static let longest = 17 << 20
  static let longestText = 64 << 10
}

extension Duration {
  /// No story is longer, whatever a damaged file says: decoders send no later times, and the player
  /// accepts none.
  public static let longestStory = Duration.seconds(1_000 * 86_400)
}

extension Duration {
  /// Nanoseconds, clamped to what 64 bits hold (292 years).
  public var wholeNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, overflowSum) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
    return overflow || overflowSum ? (seconds < 0 ? .min : .max) : sum
  }
}
