import CZlib

/// Unpacks gzip (RFC 1952) with zlib. Binding file: unsafe pointers, which zlib keeps for one call.
public enum Gzip {
  public enum Failure: Error {
    case outOfMemory
    /// It unpacks to more than the limit.
    case tooLong
    /// It is not gzip, or ends too early.
    case damaged
  }

  /// The bytes of the first member, at most `limit`.
  public static func unpack(_ bytes: [UInt8], limit: Int) throws(Failure) -> [UInt8] {
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
      guard text.count <= limit else { throw .tooLong }
      switch code {
      case Z_STREAM_END: return text
      case Z_OK: continue
      default: throw .damaged
      }
    }
  }
}
