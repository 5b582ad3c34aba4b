import CArchive
import Glibc

/// A zip in memory, read with libarchive. Binding file: unsafe pointers.
final class ZipArchive {
  private let bytes: [UInt8]
  /// At most so many members are read; no animation has more.
  private static let mostMembers = 10_000

  /// Called once a process, before the sandbox closes: libarchive supports names beyond ASCII only with
  /// a locale that has them, and locales are files.
  static func prepare() { setlocale(LC_CTYPE, "C.UTF-8") }

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The bytes of a member; nil if there is none of this name. Throws if they are damaged or more than
  /// `limit`.
  func member(_ name: String, limit: Int) throws(DecodingError) -> [UInt8]? {
    var found: [UInt8]?
    try goThrough(limit: limit, .tooLongAnimation, where: { $0 == name }) { _, bytes in
      found = bytes
      return false
    }
    return found
  }

  /// All members whose names have one of these endings, in upper or lower case. Throws if they are
  /// damaged or more than `limit` bytes in all.
  func members(endingIn ends: [String], limit: Int) throws(DecodingError) -> [String: [UInt8]] {
    var found: [String: [UInt8]] = [:]
    try goThrough(
      limit: limit, .tooLargePictures,
      where: { name in ends.contains(where: name.lowercased().hasSuffix) },
      take: { name, bytes in
        found[name] = bytes
        return true
      })
    return found
  }

  /// Unpacks the wanted members until `take` returns false.
  private func goThrough(
    limit: Int, _ tooLarge: DecodingError, where isWanted: (String) -> Bool,
    take: (String, [UInt8]) -> Bool
  ) throws(DecodingError) {
    guard let archive = archive_read_new() else { throw .outOfMemory }
    defer { archive_read_free(archive) }
    archive_read_support_format_zip(archive)
    // libarchive reads the bytes until it is closed, which is before this closure ends.
    let failure = bytes.withUnsafeBytes { memory -> DecodingError? in
      guard archive_read_open_memory(archive, memory.baseAddress, memory.count) == ARCHIVE_OK else {
        return .notUnpackable
      }
      defer { archive_read_close(archive) }
      return Self.goThrough(archive, limit: limit, tooLarge, where: isWanted, take: take)
    }
    if let failure { throw failure }
  }

  private static func goThrough(
    _ archive: OpaquePointer, limit: Int, _ tooLarge: DecodingError,
    where isWanted: (String) -> Bool, take: (String, [UInt8]) -> Bool
  ) -> DecodingError? {
    var entry: OpaquePointer?
    var rest = limit
    for _ in 0..<mostMembers {
      switch archive_read_next_header(archive, &entry) {
      case ARCHIVE_OK, ARCHIVE_WARN: break
      case ARCHIVE_EOF: return nil
      default: return .notUnpackable
      }
      guard let path = archive_entry_pathname_utf8(entry) ?? archive_entry_pathname(entry) else {
        continue
      }
      let name = String(cString: path)
      guard isWanted(name) else { continue }
      switch read(archive, limit: rest, tooLarge) {
      case .success(let bytes):
        rest -= bytes.count
        if !take(name, bytes) { return nil }
      case .failure(let failure): return failure
      }
    }
    return nil
  }

  private static func read(
    _ archive: OpaquePointer, limit: Int, _ tooLarge: DecodingError
  ) -> Result<[UInt8], DecodingError> {
    var text: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = part.withUnsafeMutableBytes {
        archive_read_data(archive, $0.baseAddress, $0.count)
      }
      guard count >= 0 else { return .failure(.notUnpackable) }
      if count == 0 { return .success(text) }
      text += part[..<count]
      guard text.count <= limit else { return .failure(tooLarge) }
    }
  }
}
