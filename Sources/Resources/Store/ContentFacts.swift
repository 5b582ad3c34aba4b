import System

/// What identifies one state of a resource's bytes (RFC 9110, section 8.8).
public struct Validator: Equatable, Sendable {
  /// As the server sent it, quotes and `W/` included.
  public var entityTag: String?
  /// As the server sent it.
  public var lastModified: String?
  /// Whether the date may stand in for a strong tag: it was at least a minute old.
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

  /// What stands for a strong tag where a service tells a revision in another way.
  static func tag(ofRevision revision: String) -> String { revisionMark + revision }

  /// No entity tag begins so (RFC 9110, section 8.8.3).
  private static let revisionMark = "revision "

  /// The tag, where it is one that a server knows.
  var sentTag: String? { entityTag.flatMap { $0.hasPrefix(Validator.revisionMark) ? nil : $0 } }

  /// Whether parts that were fetched apart may be joined by it.
  var joinsParts: Bool { strongTag != nil || (entityTag == nil && dateIsStrong) }

  /// Whether both stand for what is the same for who looks at it (RFC 9110, section 8.8.3.2).
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

  /// Whether parts with this and the other validator are parts of the same bytes.
  func joins(_ other: Validator) -> Bool {
    guard joinsParts, other.joinsParts else { return false }
    if let strongTag { return strongTag == other.strongTag }
    return other.strongTag == nil && lastModified != nil && lastModified == other.lastModified
  }
}

/// What is known of one state of a resource's bytes.
struct ContentFacts: Equatable, Sendable {
  /// In bytes; nil where the server does not tell.
  var length: UInt64?
  var type: String?
  var validator = Validator()
  /// When a server last vouched for it: seconds since 1970.
  var checked: Int64 = 0
  /// For how many seconds after that no server needs to be asked; nil where it did not say.
  var freshFor: Int64?
  /// Whether it came from a private network.
  var isPrivate = false
  /// The address that answered last, without login and query, where redirects led to another one
  /// than was asked.
  var address: String?
  /// What the type says of the encoding of a text, as it was sent.
  var charset: String?

  /// Whether no server needs to be asked yet. A check in the future counts as none.
  func isFresh(now: Int64, otherwise seconds: Int64) -> Bool {
    checked > 0 && checked <= now && now - checked < (freshFor ?? seconds)
  }
}

/// A piece of a blob, hashed as one.
struct Segment: Equatable, Hashable, Sendable {
  /// The most that one may hold.
  static let most = 1 << 20

  let start: UInt64
  let length: Int
  let hash: UInt64

  var range: Range<UInt64> { start..<start + UInt64(length) }
}

/// The number of an entry in the index: one state of one resource's bytes.
struct EntryNumber: Hashable, Sendable {
  let value: Int64
}

/// An entry that is in use: its facts, its blob, and what the blob holds.
struct StoredContent: Sendable {
  let entry: EntryNumber
  let blob: Blob
  var facts: ContentFacts
  var segments: [Segment]
  /// Whether it was made just now: then all of its bytes are held against other processes.
  var isNew = false
}

/// The file of one entry.
struct Blob: Sendable {
  /// 128 random bits in hexadecimal.
  let name: String
  let file: any DiskFile

  /// Held shared while the entry is in use, exclusively by who deletes it.
  static let useByte: Range<UInt64> = (1 << 62)..<(1 << 62) + 1

  /// Where bytes may lie; those that are being fetched are held exclusively.
  static let bytes = 0..<useByte.lowerBound

  /// The hash of a segment that holds these bytes at this position of this blob, so that none
  /// passes for another.
  func hash(_ bytes: [UInt8], at start: UInt64) -> UInt64 {
    Fingerprint.of(bytes, seed: Blob.seed(name, start))
  }

  /// A name never used before.
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
