import Addresses
import Glibc
import System

/// A regular file as a resource. The file may be replaced or cut while it is read: what is read
/// then is what is there.
public final class FileResource: Resource {
  private let descriptor: Descriptor
  public let info: ContentInfo?
  public let ending: String

  /// Opens a regular file; directories, fifos and devices are refused without waiting for them.
  public init(path: String) throws(ResourceError) {
    ending = FileName.ending(of: path)
    do {
      descriptor = try Descriptor.open(reading: path)
    } catch {
      throw ResourceError(error.code == ENOENT ? "no such file" : error.reason.lowercasedFirst)
    }
    var status = stat()
    guard fstat(descriptor.number, &status) == 0 else { throw ResourceError("cannot be examined") }
    switch status.st_mode & S_IFMT {
    case S_IFREG: info = ContentInfo(length: UInt64(max(0, status.st_size)))
    case S_IFDIR: throw ResourceError("is a directory")
    default: throw ResourceError("not a regular file")
    }
  }

  public func read(
    offset: UInt64, length: Int, answer: @escaping (Result<[UInt8], ResourceError>) -> Void
  ) {
    do {
      answer(.success(try descriptor.read(at: offset, count: length)))
    } catch {
      answer(.failure(ResourceError(error.reason.lowercasedFirst)))
    }
  }

  public func cancel() {}
}

/// Lets a local playlist name regular files in its own directory and below it, and nothing else.
public final class LocalOpener: ResourceOpener {
  private let root: String

  /// An opener for what the file at this absolute path names.
  public init(playlist path: String) {
    root = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
  }

  public func open(_ reference: String) throws(ResourceError) -> any Resource {
    let refusal = ResourceError("a playlist may only name files beside it")
    guard let path = localPath(of: reference), !path.isEmpty else { throw refusal }
    let whole = path.hasPrefix("/") ? path : root + "/" + path
    guard let real = Paths.canonical(whole) else { throw ResourceError("a part of it is missing") }
    guard let realRoot = Paths.canonical(root.isEmpty ? "/" : root),
      real.hasPrefix(realRoot.hasSuffix("/") ? realRoot : realRoot + "/")
    else { throw refusal }
    return try FileResource(path: real)
  }

  /// The path of a relative reference or a file URL; nil for any other scheme.
  private func localPath(of reference: String) -> String? {
    for start in ["file://", "file:"] where reference.hasPrefix(start) {
      return PercentCoding.decodedText(reference.dropFirst(start.count))
    }
    let colon = reference.firstIndex(of: ":") ?? reference.endIndex
    let slash = reference.firstIndex(of: "/") ?? reference.endIndex
    return colon < slash ? nil : reference
  }
}

extension String {
  /// Kernel words in the middle of a sentence of ours.
  fileprivate var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
}
