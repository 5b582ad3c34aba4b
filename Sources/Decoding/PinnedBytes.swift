/// Bytes in memory whose address stays the same, for libraries that read from memory. Binding file:
/// unsafe pointers.
final class PinnedBytes {
  /// Valid while this object lives.
  let bytes: UnsafeRawBufferPointer
  private static let usualLimit = 64 << 20

  /// Reads a whole file from its first byte on, wherever the stream stands.
  ///
  /// - Parameter limit: in bytes; a longer file is refused.
  init(_ stream: ResourceStream, atMost limit: Int = usualLimit) throws(DecodingError) {
    bytes = Self.joined(try Self.read(stream, limit))
  }

  init(copying bytes: [UInt8]) { self.bytes = Self.joined([bytes]) }

  private static func joined(_ parts: [[UInt8]]) -> UnsafeRawBufferPointer {
    let memory = UnsafeMutableRawBufferPointer.allocate(
      byteCount: parts.reduce(0) { $0 + $1.count }, alignment: 16)
    var offset = 0
    for part in parts {
      UnsafeMutableRawBufferPointer(rebasing: memory[offset...]).copyBytes(from: part)
      offset += part.count
    }
    return UnsafeRawBufferPointer(memory)
  }

  deinit { bytes.deallocate() }

  /// A copy of them.
  var copied: [UInt8] { Array(bytes) }

  private static func read(
    _ stream: ResourceStream, _ limit: Int
  ) throws(DecodingError) -> [[UInt8]] {
    stream.move(to: 0)
    var parts: [[UInt8]] = []
    var count = 0
    while true {
      let part = try stream.read(256 << 10)
      if part.isEmpty { return parts }
      count += part.count
      guard count <= limit else { throw DecodingError("the file is too large for its kind") }
      parts.append(part)
    }
  }
}
