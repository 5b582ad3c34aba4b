/// What is known of a resource's bytes.
public struct ContentInfo: Equatable, Sendable {
  /// In bytes; nil where the source does not tell.
  public var length: UInt64?
  /// A media type that the source claims; never relied on.
  public var type: String?

  public init(length: UInt64?, type: String? = nil) {
    self.length = length
    self.type = type
  }
}

/// Why a resource's bytes cannot be had, in words that follow "cannot play NAME: ".
public struct ResourceError: Error, Equatable, Sendable, CustomStringConvertible {
  public let reason: String
  /// Its server says that it is not there, or not any more (404 and 410).
  public let isGone: Bool

  public init(_ reason: String, isGone: Bool = false) {
    self.reason = reason
    self.isGone = isGone
  }

  public var description: String { reason }
}

/// The bytes behind a path or a URL. A decoder sees nothing else of the world.
///
/// All calls and answers happen on the player's loop; an answer may come before the call returns
/// or in a later turn.
public protocol Resource: AnyObject {
  /// Length and type; nil until the source has told them.
  var info: ContentInfo? { get }

  /// Answers once it is known whether there is such a thing and, for a file, how long it is: with nil,
  /// or with the reason why it cannot be opened.
  func whenOpened(_ answer: @escaping (ResourceError?) -> Void)

  /// Reads a range. Fewer bytes than `length` mean that the resource ends there.
  func read(
    offset: UInt64, length: Int, answer: @escaping (Result<[UInt8], ResourceError>) -> Void)

  /// Reads what is here of a range, without waiting for all of it where some is worth having: fewer
  /// bytes than `length` need not be the end, which gives none.
  func readSome(
    offset: UInt64, length: Int, answer: @escaping (Result<[UInt8], ResourceError>) -> Void)

  /// No answer to any read still awaited is wanted.
  func cancel()

  /// How much its reads matter from now on; `playing` from the start.
  func setUrgency(_ urgency: ResourceUrgency)

  /// Whether a server is asked for more of it.
  var isFetching: Bool { get }

  /// How far it can be read from an offset on without asking a server; the offset itself where it is
  /// missing.
  func endAtHand(from offset: UInt64) -> UInt64

  /// What its line carries for long, in bits a second, or a moderate guess where that is not known
  /// yet; nil where no line is between.
  var bearableBitRate: UInt64? { get }

  /// What its name ends with, in small letters without the dot; empty where that is not known.
  var ending: String { get }
}

extension Resource {
  /// What is not known yet is told by its reads.
  public func whenOpened(_ answer: @escaping (ResourceError?) -> Void) { answer(nil) }

  /// Where all of it is here.
  public func readSome(
    offset: UInt64, length: Int, answer: @escaping (Result<[UInt8], ResourceError>) -> Void
  ) {
    read(offset: offset, length: length, answer: answer)
  }

  /// What is here needs no order.
  public func setUrgency(_: ResourceUrgency) {}
  public var isFetching: Bool { false }
  public func endAtHand(from _: UInt64) -> UInt64 { .max }
  public var bearableBitRate: UInt64? { nil }
  public var ending: String { "" }
}

/// Whose bytes come first.
public enum ResourceUrgency: Int, Comparable, Sendable {
  /// Nothing of it is asked for now: others need the line. What is under way is broken off unless
  /// it is as good as here; what would have to come from its first byte on again stands still.
  case held
  /// What is read is fetched, in small pieces and none ahead of a read; it gives way to what plays,
  /// and is asked for again then.
  case ready
  /// What is read is fetched first, and what comes next ahead of its being read.
  case playing

  public static func < (a: ResourceUrgency, b: ResourceUrgency) -> Bool { a.rawValue < b.rawValue }
}

/// Opens what a resource (a playlist) names, or refuses it.
public protocol ResourceOpener: AnyObject {
  func open(_ reference: String) throws(ResourceError) -> any Resource
}
