import CZlib

/// Unpacks gzip (RFC 1952) with zlib. Binding file: unsafe pointers, which zlib keeps for one call.
enum Gunzip {
  /// The bytes of the first member; throws where they would be more than `limit`.
  static func unpack(_ bytes: [UInt8], limit: Int) throws(DecodingError) -> [UInt8] {
    var stream = z_stream()
    guard cz_begin_gunzip(&stream) == Z_OK else { throw .outOfMemory }
    defer { inflateEnd(&stream) }
    var packed = bytes
    var text: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 64 << 10)
    var taken = 0
    while true {
      let available = packed.count - taken
      let (code, rest, free) = packed.withUnsafeMutableBufferPointer { source in
        part.withUnsafeMutableBufferPointer { target in
          stream.next_in = source.baseAddress.map { $0 + taken }
          stream.avail_in = UInt32(available)
          stream.next_out = target.baseAddress
          stream.avail_out = UInt32(target.count)
          let code = inflate(&stream, Z_NO_FLUSH)
          return (code, Int(stream.avail_in), Int(stream.avail_out))
        }
      }
      taken = packed.count - rest
      text += part[..<(part.count - free)]
      guard text.count <= limit else { throw .tooLongAnimation }
      switch code {
      case Z_STREAM_END: return text
      case Z_OK: continue
      default: throw DecodingError("damaged or cut off: it cannot be unpacked")
      }
    }
  }
}
