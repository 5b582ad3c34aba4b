import CFFmpeg

/// Decrypts a segment of an HLS playlist with METHOD=AES-128 (RFC 8216, 5.2: CBC with PKCS7 padding).
/// Binding file: unsafe pointers.
package final class DecryptingStream: ByteStream {
  private let source: any ByteStream
  private let cipher: OpaquePointer
  private var vector: [UInt8]
  /// The last block, kept back until it is known whether it is the segment's last, which ends with
  /// padding.
  private var held: [UInt8] = []
  private var isAtEnd = false

  package let length: UInt64? = nil
  package var failure: DecodingError? { source.failure }

  /// Nil unless key and vector are 16 bytes each, as hexadecimal digits.
  package init?(_ source: any ByteStream, key: String, vector: String) {
    guard let key = Self.block(key), let vector = Self.block(vector), let cipher = av_aes_alloc()
    else { return nil }
    av_aes_init(cipher, key, 128, 1)
    self.source = source
    self.vector = vector
    self.cipher = cipher
  }

  deinit { av_free(UnsafeMutableRawPointer(cipher)) }

  private static func block(_ digits: String) -> [UInt8]? {
    let values = digits.compactMap(\.hexDigitValue)
    guard values.count == 32 else { return nil }
    return stride(from: 0, to: 32, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
  }

  package func read(_ count: Int) throws(DecodingError) -> [UInt8] {
    while !isAtEnd {
      var blocks = held
      let wanted = max(32, (count + 15) / 16 * 16) - held.count
      while blocks.count < held.count + wanted {
        let part = try source.read(held.count + wanted - blocks.count)
        if part.isEmpty {
          isAtEnd = true
          break
        }
        blocks += part
      }
      held = isAtEnd ? [] : Array(blocks.suffix(16))
      let clear = decrypt(blocks.dropLast(held.count))
      if !clear.isEmpty { return clear }
    }
    return []
  }

  private func decrypt(_ blocks: ArraySlice<UInt8>) -> [UInt8] {
    let count = blocks.count / 16
    guard count > 0 else { return [] }
    let source = Array(blocks)
    var clear = [UInt8](repeating: 0, count: count * 16)
    av_aes_crypt(cipher, &clear, source, Int32(count), &vector, 1)
    if isAtEnd, let padding = clear.last, (1...16).contains(padding) {
      clear.removeLast(Int(padding))
    }
    return clear
  }

  package func move(to position: UInt64) -> Bool { false }
}
