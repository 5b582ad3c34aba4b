/// Percent-encoding (RFC 3986, section 2.1): bytes to `%XX` and back.
///
/// There is one way to encode: each byte that the caller does not keep becomes `%XX`, in upper
/// case. There are two ways to decode, and the caller has to choose:
///
/// - `decoded` is for text that must be unambiguous, such as requests, logins and names that a
///   service is asked for. A `%` without two hexadecimal digits after it is an error.
/// - `decodedLeniently` is for names as people write them. A `%` without two digits stays as it is:
///   `100%.mp4` is the name of a file.
///
/// Both decode once, and give bytes that may be invalid UTF-8 and may hold a NUL or a slash.
public enum PercentCoding {
  private static let digits = Array("0123456789ABCDEF".utf8)

  /// Whether a byte means the same in every part of a URL, encoded or not (section 2.3).
  public static func isUnreserved(_ byte: UInt8) -> Bool {
    byte.isASCIILetter || byte.isASCIIDigit || "-._~".utf8.contains(byte)
  }

  /// Encodes bytes as text.
  ///
  /// - Parameter isKept: whether a byte stays as it is. Such bytes must be ASCII.
  public static func encoded(
    _ bytes: some Sequence<UInt8>, keeping isKept: (UInt8) -> Bool = isUnreserved
  ) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.underestimatedCount)
    for byte in bytes {
      if isKept(byte) { text.append(byte) } else { append(byte, to: &text) }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Appends `%XX`.
  public static func append(_ byte: UInt8, to text: inout [UInt8]) {
    text += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
  }

  /// The text with each `%XX` decoded; nil where a `%` has no two hexadecimal digits after it.
  public static func decoded(_ text: some Collection<UInt8>) -> [UInt8]? {
    decoded(text) { nil }
  }

  /// The same as text; nil also where the bytes are invalid UTF-8 or hold a NUL.
  public static func decodedText(_ text: some StringProtocol) -> String? {
    guard let bytes = decoded(text.utf8), !bytes.contains(0) else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }

  /// The text with each `%XX` decoded; any other `%` stays.
  public static func decodedLeniently(_ text: some Collection<UInt8>) -> [UInt8] {
    decoded(text) { UInt8(ascii: "%") } ?? []
  }

  /// Whether a text begins with `%` and two hexadecimal digits.
  public static func isEscape(_ text: some Collection<UInt8>) -> Bool {
    var rest = text.makeIterator()
    guard rest.next() == UInt8(ascii: "%") else { return false }
    return rest.next().flatMap(\.hexValue) != nil && rest.next().flatMap(\.hexValue) != nil
  }

  /// - Parameter broken: gives the byte for a `%` that begins no escape; nil to give up.
  private static func decoded(_ text: some Collection<UInt8>, broken: () -> UInt8?) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.underestimatedCount)
    var place = text.startIndex
    while place != text.endIndex {
      let byte = text[place]
      text.formIndex(after: &place)
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      var rest = text[place...].makeIterator()
      if let high = rest.next().flatMap(\.hexValue), let low = rest.next().flatMap(\.hexValue) {
        bytes.append(high << 4 | low)
        text.formIndex(&place, offsetBy: 2)
      } else if let stand = broken() {
        bytes.append(stand)
      } else {
        return nil
      }
    }
    return bytes
  }
}
