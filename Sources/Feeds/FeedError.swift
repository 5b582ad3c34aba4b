import System

/// Why a source gives nothing to play, in words for its user.
public enum FeedError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The source is not there, may not be read, or holds no media.
  case cannotPlay(source: String, reason: String)
  /// The source is a feed or list whose text is wrong or not supported.
  case cannotRead(source: String, reason: String)

  /// The source as the user wrote it, an address without userinfo and query.
  public var source: String {
    switch self {
    case .cannotPlay(let source, _), .cannotRead(let source, _): source
    }
  }

  public var reason: String {
    switch self {
    case .cannotPlay(_, let reason), .cannotRead(_, let reason): reason
    }
  }

  /// "cannot play clips: no media in this directory". Text of strangers is in it unchanged.
  public var description: String {
    switch self {
    case .cannotPlay(let source, let reason): "cannot play \(source): \(reason)"
    case .cannotRead(let source, let reason): "cannot read \(source): \(reason)"
    }
  }
}

/// Limits on what is read from an untrusted feed.
enum Limit {
  static let feedBytes = 64 << 20
  static let items = 1_000_000
  /// The most reactions to one story.
  static let reactions = 1_000
  /// How deep JSON and folders may be nested.
  static let nesting = 64
  /// Subfolders of a web folder whose lists are asked for: each is a request.
  static let webFolders = 256
  /// How deep lists may be nested.
  static let lists = 8
  /// The most media that one item names.
  static let mediaPerItem = 256
  /// The most authors of one item.
  static let authors = 64
  /// A caption longer than this is cut.
  static let textBytes = 4096
  /// Longer addresses are refused.
  static let addressBytes = 8192
  /// Longer addresses given by the user are refused too: no server takes them.
  static let ownAddressBytes = 16 << 10
  /// How many first bytes of a file its type is detected from.
  static let headBytes = MediaSignature.headBytes
  /// So many files with the name of a medium are looked into; the types of more are taken from
  /// their names, so that a folder of 100,000 files opens at once.
  static let sniffedFiles = 4096
  /// A larger JSON text in a folder is no animation.
  static let animationBytes = 8 << 20
}
