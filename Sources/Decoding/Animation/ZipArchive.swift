import CArchive
import Glibc

/// A zip in memory, read with libarchive. Binding file: unsafe pointers.
final class ZipArchive {
  private let bytes: [UInt8]
  /// More members than any animation has.
  private static let mostMembers = 10_000

  /// Once a process, before the sandbox closes: libarchive knows names outside of ASCII only where the
  /// locale has them, which lies in a file.
  static func prepare() { setlocale(LC_CTYPE, "C.UTF-8") }

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// A member's bytes; nil where there is none of this name. Throws where they would be more than
  /// `limit`, or are damaged.
  func member(_ name: String, limit: Int) throws(DecodingError) -> [UInt8]? {
    guard let archive = archive_read_new() else { throw .outOfMemory }
    defer { archive_read_free(archive) }
    archive_read_support_format_zip(archive)
    // libarchive reads from the bytes until it is freed, which is before this closure ends.
    let result = bytes.withUnsafeBytes { memory -> Result<[UInt8]?, DecodingError> in
      guard archive_read_open_memory(archive, memory.baseAddress, memory.count) == ARCHIVE_OK else {
        return .failure(Self.damaged)
      }
      defer { archive_read_close(archive) }
      return Self.find(name, in: archive, limit: limit)
    }
    return try result.get()
  }

  private static let damaged = DecodingError("damaged or cut off: it cannot be unpacked")

  private static func find(
    _ name: String, in archive: OpaquePointer, limit: Int
  ) -> Result<[UInt8]?, DecodingError> {
    var entry: OpaquePointer?
    for _ in 0..<mostMembers {
      switch archive_read_next_header(archive, &entry) {
      case ARCHIVE_OK, ARCHIVE_WARN: break
      case ARCHIVE_EOF: return .success(nil)
      default: return .failure(damaged)
      }
      guard let path = archive_entry_pathname_utf8(entry) ?? archive_entry_pathname(entry),
        String(cString: path) == name
      else { continue }
      return read(archive, limit: limit)
    }
    return .success(nil)
  }

  private static func read(
    _ archive: OpaquePointer, limit: Int
  ) -> Result<[UInt8]?, DecodingError> {
    var text: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = part.withUnsafeMutableBytes {
        archive_read_data(archive, $0.baseAddress, $0.count)
      }
      guard count >= 0 else { return .failure(damaged) }
      if count == 0 { return .success(text) }
      text += part[..<count]
      guard text.count <= limit else { return .failure(.tooLongAnimation) }
    }
  }
}
