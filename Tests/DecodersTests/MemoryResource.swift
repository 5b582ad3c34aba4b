import System
import Support

@testable import Resources

/// A file's bytes, all in memory.
final class MemoryResource: Resource {
  private let bytes: [UInt8]
  let ending: String

  init(path: String) throws {
    bytes = try readFile(path)
    ending = FileName.fileExtension(of: path)
  }

  var info: ContentInfo? { ContentInfo(length: UInt64(bytes.count)) }

  func read(
    offset: UInt64, length: Int, answer: @escaping (Result<[UInt8], ResourceError>) -> Void
  ) {
    answer(.success(Array(bytes.dropFirst(Int(min(offset, UInt64(bytes.count)))).prefix(length))))
  }

  func cancel() {}
}
