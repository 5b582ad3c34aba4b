import CXXHash

/// Hashes that detect damage (XXH3). They do not help against an attacker who may choose the seed
/// or the secret.
enum Fingerprint {
  /// The hash of some bytes; the seed binds it to their place.
  static func of(_ bytes: [UInt8], seed: UInt64) -> UInt64 {
    bytes.withUnsafeBytes { cx_hash($0.baseAddress, $0.count, seed) }
  }

  /// The least number of bytes that `wide` needs as its secret.
  static let secretLength = 192

  /// A 128-bit hash that nobody can predict without the secret.
  static func wide(_ bytes: [UInt8], secret: [UInt8]) -> [UInt8] {
    let hash = bytes.withUnsafeBytes { wideHash($0, secret) }
    return bytesOf(hash.high64) + bytesOf(hash.low64)
  }

  /// Half of the wide hash of a text's UTF-8, as a number for a database.
  static func number(of text: String, secret: [UInt8]) -> Int64 {
    var text = text
    return text.withUTF8 { Int64(bitPattern: wideHash(UnsafeRawBufferPointer($0), secret).low64) }
  }

  private static func wideHash(
    _ bytes: UnsafeRawBufferPointer, _ secret: [UInt8]
  ) -> XXH128_hash_t {
    precondition(secret.count >= secretLength)
    return secret.withUnsafeBytes {
      cx_wide_hash(bytes.baseAddress, bytes.count, $0.baseAddress, $0.count)
    }
  }

  private static func bytesOf(_ value: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
}
