/// What is known of a resource's bytes.
public struct ContentInfo: Equatable, Sendable {
  /// In bytes; nil if the source does not say.
  public var length: UInt64?
  /// A media type that the source claims; never relied on.
  public var type: String?

  /// More bytes than any file has; positions up to here can be added without overflow.
  public static let mostLength = Verdict.mostLength

  public init(length: UInt64?, type: String? = nil) {
    self.length = length
    self.type = type
  }
}

/// Why a resource cannot be read, in words that follow "cannot play NAME: ".
public struct ResourceError: Error, Equatable, Sendable, CustomStringConvertible {
  public let reason: String
  /// Its server says that it does not exist, or no longer exists (404 and 410).
  public let isGone: Bool

  public init(_ reason: String, isGone: Bool = false) {
    self.reason = reason
    self.isGone = isGone
  }

  public var description: String { reason }
}

/// The bytes behind a path or a URL. A decoder sees nothing else of the world.
///
/// All calls and answers happen on the player's loop. An answer may come before the call returns, or
/// in a later turn.
public protocol Resource: AnyObject {
  /// Length and type; nil until they are known.
  var info: ContentInfo? { get }

  /// Answers when it is known whether the resource exists and, for a file, how long it is: with
  /// nil, or with the reason why it cannot be opened.
  func whenOpened(_ answer: @escaping (ResourceError?) -> Void)

  /// Reads a range. Fewer bytes than `length` mean that the resource ends there.
  func read(
    offset: UInt64, length: Int, answer: @escaping (Result<[UInt8], ResourceError>) -> Void)

  /// Reads the held bytes at the beginning of a range, if there are enough to be useful, without
  /// waiting for the rest. Fewer bytes than `length` need not be the end; at the end there are
  /// none.
  func readSome(
    offset: UInt64, length: Int, answer: @escaping (Result<[UInt8], ResourceError>) -> Void)

  /// Fetches a range for a later read; a range past the end counts as fetched.
  func fetch(
    offset: UInt64, length: Int, answer: @escaping (Result<Void, ResourceError>) -> Void)

  /// Whether fetched bytes are stored, as far as is known, so that they need not be fetched again.
  var keepsBytes: Bool { get }

  /// Withdraws all reads that are not answered yet.
  func cancel()

  /// Sets how much its reads matter from now on; `playing` at first.
  func setUrgency(_ urgency: ResourceUrgency)

  /// Whether a server is asked for more of it.
  var isFetching: Bool { get }

  /// How far it can be read from an offset on without a request; the offset itself if the byte is
  /// missing.
  func availableEnd(from offset: UInt64) -> UInt64

  /// The bit rate that its line can sustain, or a moderate guess if that is not known yet; nil
  /// without a line.
  var bearableBitRate: UInt64? { get }

  /// What `bearableBitRate` is before anything is known of the line.
  var usualBitRate: UInt64? { get }

  /// The extension of its name, in lower case without the dot; empty if unknown.
  var ending: String { get }
}

extension Resource {
  /// For a resource that reports errors by its reads.
  public func whenOpened(_ answer: @escaping (ResourceError?) -> Void) { answer(nil) }

  /// For a resource all of whose bytes are at hand.
  public func readSome(
    offset: UInt64, length: Int, answer: @escaping (Result<[UInt8], ResourceError>) -> Void
  ) {
    read(offset: offset, length: length, answer: answer)
  }

  /// For a resource all of whose bytes are at hand.
  public func fetch(
    offset _: UInt64, length _: Int, answer: @escaping (Result<Void, ResourceError>) -> Void
  ) {
    answer(.success(()))
  }
  public var keepsBytes: Bool { true }

  /// For a resource that needs no order of reads.
  public func setUrgency(_: ResourceUrgency) {}
  public var isFetching: Bool { false }
  public func availableEnd(from _: UInt64) -> UInt64 { .max }
  public var bearableBitRate: UInt64? { nil }
  public var usualBitRate: UInt64? { nil }
  public var ending: String { "" }
}

/// Which reads come first.
public enum ResourceUrgency: Int, Comparable, Sendable {
  /// Nothing is requested now, because others need the line. Fetches under way are ended unless
  /// they are nearly done; a fetch that would have to start again from the first byte is only
  /// stopped.
  case held
  /// Reads are fetched, in small pieces and none ahead. They give way to the story that plays, and
  /// are requested again later.
  case ready
  /// Reads are fetched first, and the following bytes ahead of them.
  case playing

  public static func < (a: ResourceUrgency, b: ResourceUrgency) -> Bool { a.rawValue < b.rawValue }
}

/// Opens the resources that a playlist names, or refuses them.
public protocol ResourceOpener: AnyObject {
  func open(_ reference: String) throws(ResourceError) -> any Resource

  /// Opens a part that is no playlist, such as a segment or a key, to fetch it.
  func openPart(_ reference: String) throws(ResourceError) -> any Resource

  /// Opens a playlist as it is now, whatever was read of it before: a reference, or nil for the
  /// playlist itself.
  func reload(_ reference: String?) throws(ResourceError) -> any Resource

  /// What is stored of a reference, or of the playlist itself, is of no use later. It is deleted, but of
  /// a reference only if it was not stored before this playlist was opened.
  func forget(_ reference: String?)
}
