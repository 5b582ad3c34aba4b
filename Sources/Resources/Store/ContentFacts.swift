import System

/// What identifies one version of a resource's bytes (RFC 9110, section 8.8).
public struct Validator: Equatable, Sendable {
  /// As the server sent it, quotes and `W/` included.
  public var entityTag: String?
  /// As the server sent it.
  public var lastModified: String?
  /// Whether the date may be used as a strong tag: it was at least a minute old.
  public var dateIsStrong: Bool

  public init(entityTag: String? = nil, lastModified: String? = nil, dateIsStrong: Bool = false) {
    self.entityTag = entityTag
    self.lastModified = lastModified
    self.dateIsStrong = dateIsStrong
  }

  /// The strong tag.
  var strongTag: String? {
    guard let entityTag, !entityTag.hasPrefix("W/"), !entityTag.hasPrefix("w/") else { return nil }
    return entityTag
  }

  /// A strong tag made of the revision of a service that identifies versions in another way.
  static func tag(ofRevision revision: String) -> String { revisionMark + revision }

  /// No entity tag begins so (RFC 9110, section 8.8.3).
  private static let revisionMark = "revision "

  /// The tag, if it is one that the server knows.
  var sentTag: String? { entityTag.flatMap { $0.hasPrefix(Validator.revisionMark) ? nil : $0 } }

  /// Whether parts that were fetched separately may be joined by it.
  var joinsParts: Bool { strongTag != nil || (entityTag == nil && dateIsStrong) }

  /// Whether both identify versions that look the same (RFC 9110, section 8.8.3.2).
  func isWeaklySame(as other: Validator) -> Bool {
    func opaque(_ tag: String) -> Substring {
      tag.hasPrefix("W/") || tag.hasPrefix("w/") ? tag.dropFirst(2) : tag[...]
    }
    if let entityTag, let otherTag = other.entityTag {
      return opaque(entityTag) == opaque(otherTag)
    }
    return entityTag == nil && other.entityTag == nil && lastModified != nil
      && lastModified == other.lastModified
  }

  /// Whether parts with these two validators belong to the same bytes.
  func joins(_ other: Validator) -> Bool {
    guard joinsParts, other.joinsParts else { return false }
    if let strongTag { return strongTag == other.strongTag }
    return other.strongTag == nil && lastModified != nil && lastModified == other.lastModified
  }
}

/// What is known of one version of a resource's bytes.
struct ContentFacts: Equatable, Sendable {
  /// In bytes; nil if the server does not say.
  var length: UInt64?
  var type: String?
  var validator = Validator()
  /// When a server last vouched for it, in seconds since 1970.
  var checked: Int64 = 0
  /// For how many seconds after that no server needs to be asked; nil if the server did not say.
  var freshFor: Int64?
  /// Whether it came from a private network.
  var isPrivate = false
  /// The address that answered last, without login and query, if redirects led to another one than
  /// was requested.
  var address: String?
  /// The encoding of a text, from its type as the server sent it.
  var charset: String?

  /// Whether no server needs to be asked yet. A check in the future does not count.
  func isFresh(now: Int64, otherwise seconds: Int64) -> Bool {
    checked > 0 && checked <= now && now - checked < (freshFor ?? seconds)
  }
}

/// A piece of a blob with its own hash.
struct Segment: Equatable, Hashable, Sendable {
  /// The most bytes of one segment.
  static let most = 1 << 20

  let start: UInt64
  let length: Int
  let hash: UInt64

  var range: Range<UInt64> { start..<start + UInt64(length) }
}

/// The number of an entry in the index: one version of one resource's bytes.
struct EntryNumber: Hashable, Sendable {
  let value: Int64
}

/// An entry in use: its facts, its blob, and the blob's segments.
struct StoredContent: Sendable {
  let entry: EntryNumber
  let blob: Blob
  var facts: ContentFacts
  var segments: [Segment]
  /// Whether it was made just now: then all of its bytes are locked against other processes.
  var isNew = false
}

/// The file of one entry.
struct Blob: Sendable {
  /// 128 random bits in hexadecimal.
  let name: String
  let file: any DiskFile

  /// Locked shared while the entry is in use, exclusively by a process that deletes it.
  static let useByte: Range<UInt64> = (1 << 62)..<(1 << 62) + 1

  /// The positions that bytes may have; ranges that are being fetched are locked exclusively.
  static let bytes = 0..<useByte.lowerBound

  /// The hash of a segment with these bytes at this position of this blob, so that no segment
  /// passes for another.
  func hash(_ bytes: [UInt8], at start: UInt64) -> UInt64 {
    Fingerprint.of(bytes, seed: Blob.seed(name, start))
  }

  /// A name that was never used before.
  static func newName() -> String {
    var source = SystemRandomNumberGenerator()
    return (0..<16).map { _ in
      UInt8.random(in: 0...255, using: &source).padded(2, radix: 16)
    }.joined()
  }

  static func isName(_ text: String) -> Bool {
    text.utf8.count == 32 && text.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }
  }

  private static func seed(_ name: String, _ start: UInt64) -> UInt64 {
    Fingerprint.of(Array(name.utf8), seed: start)
  }
}
