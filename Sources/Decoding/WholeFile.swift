/// All bytes of a resource in memory that does not move, for libraries that read from memory.
/// Binding file: unsafe pointers.
final class WholeFile {
  /// Valid while this object lives.
  let bytes: UnsafeRawBufferPointer
  private static let longest = 64 << 20

  /// - Parameter longest: in bytes; a longer file is refused.
  init(_ stream: ResourceStream, atMost longest: Int = longest) throws(DecodingError) {
    bytes = Self.joined(try Self.read(stream, longest))
  }

  /// Takes bytes that were already read.
  init(_ part: [UInt8]) { bytes = Self.joined([part]) }

  private static func joined(_ parts: [[UInt8]]) -> UnsafeRawBufferPointer {
    let memory = UnsafeMutableRawBufferPointer.allocate(
      byteCount: max(1, parts.reduce(0) { $0 + $1.count }), alignment: 16)
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
    _ stream: ResourceStream, _ longest: Int
  ) throws(DecodingError) -> [[UInt8]] {
    stream.move(to: 0)
    var parts: [[UInt8]] = []
    var count = 0
    while true {
      let part = try stream.read(256 << 10)
      if part.isEmpty { return parts }
      count += part.count
      guard count <= longest else { throw DecodingError("the file is too large for its kind") }
      parts.append(part)
    }
  }
}
