import Resources
import System

/// Animations that took too long to draw, by the SHA-256 of their files. They are not tried again, in
/// this run or a later one.
public final class RefusedAnimations {
  private let path: String?
  /// nil before the first use.
  private var hashes: Set<String>?
  private static let most = 1_000
  private static let hashLength = 64

  /// - Parameter path: the file that keeps them, one hash a line; nil to keep them for this run only.
  public init(path: String?) { self.path = path }

  /// `refused-animations` in the state folder; nil without a state folder.
  public static var usualPath: String? { StateFolder.path.map { $0 + "/refused-animations" } }

  func contains(_ hash: String) -> Bool { known.contains(hash) }

  /// Adds one. If it cannot be written, the animation will be tried again, which only costs time.
  func insert(_ hash: String) {
    var all = known
    guard all.count < Self.most, all.insert(hash).inserted else { return }
    hashes = all
    guard let path else { return }
    if let slash = path.lastIndex(of: "/") {
      try? PrivateFolder.makeAll(String(path[..<slash]))
    }
    try? PrivateFile.replace(path, with: Array((all.sorted().joined(separator: "\n") + "\n").utf8))
  }

  private var known: Set<String> {
    if let hashes { return hashes }
    let limit = Self.most * (Self.hashLength + 1)
    let file = path.flatMap { try? Descriptor.open(reading: $0) }
    let bytes = (try? file?.read(at: 0, count: limit)) ?? []
    let lines = bytes.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
    let read = Set(lines.filter { $0.utf8.count == Self.hashLength })
    hashes = read
    return read
  }
}

/// Computes the hash of a possible animation while a decoder reads it.
struct AnimationHasher {
  private var sha256: SHA256?
  private var next: UInt64 = 0
  private static let longest: UInt64 = 8 << 20

  /// The hash of the whole file, once it was read from the first byte to the last.
  private(set) var fileHash: String?

  /// Adds bytes that were read; fewer than `asked` means the end of the file.
  mutating func note(_ bytes: [UInt8], at offset: UInt64, asked: Int, length: UInt64?) {
    guard fileHash == nil else { return }
    if offset == 0 {
      sha256 = AnimationHasher.mayBeAnimation(bytes) ? SHA256() : nil
    } else if offset != next {
      sha256 = nil
    }
    next = offset + UInt64(bytes.count)
    guard sha256 != nil, next <= AnimationHasher.longest else { return sha256 = nil }
    sha256?.add(bytes)
    if length.map({ next >= $0 }) ?? (bytes.count < asked) { fileHash = sha256?.hex() }
  }

  /// Whether it is JSON, gzip or zip.
  private static func mayBeAnimation(_ bytes: [UInt8]) -> Bool {
    let marks: [[UInt8]] = [[0x1F, 0x8B], [0x50, 0x4B], [0xEF, 0xBB, 0xBF]]
    if marks.contains(where: bytes.starts(with:)) { return true }
    return bytes.first { $0 != 0x20 && !(0x09...0x0D).contains($0) } == UInt8(ascii: "{")
  }
}
