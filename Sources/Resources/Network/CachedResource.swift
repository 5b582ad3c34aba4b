import System

/// How far a resource has come, for the viewer.
public struct ResourceProgress: Equatable, Sendable {
  /// The server it comes from.
  public var host: String
  /// Bytes that need no fetching.
  public var heldBytes: UInt64
  public var length: UInt64?
  /// What needs no fetching, as shares of the whole in order; empty where the length is not known.
  public var held: [ClosedRange<Double>]
  /// Whether a read waits for bytes.
  public var isWaiting: Bool

  /// What can be told where bytes come in parts whose number is not known: their server.
  public func ofPlaylist() -> ResourceProgress {
    ResourceProgress(host: host, heldBytes: 0, length: nil, held: [], isWaiting: isWaiting)
  }

  /// Whether nothing of it has to be fetched any more.
  public var isWhole: Bool { length.map { heldBytes >= $0 } ?? false }

  /// How far one can go from a share of the whole without fetching; that share itself where the
  /// next byte is missing.
  public func reach(from share: Double) -> Double {
    // A share tells bytes only roughly: a hole smaller than this is not believed.
    held.first { $0.lowerBound <= share + 0.01 && $0.upperBound >= share }?.upperBound ?? share
  }
}

/// A resource behind a web address, read through the cache.
public final class CachedResource: Resource {
  private let content: Content
  private let reader: UInt64
  /// Keeps what answers the reads alive.
  private let network: Network

  init(_ content: Content, reader: UInt64, network: Network) {
    self.content = content
    self.reader = reader
    self.network = network
    content.readers.insert(reader)
  }

  deinit { content.leave(reader) }

  public var info: ContentInfo? { content.info }

  /// As `Resource` has it. A read of no bytes is answered once `info` is known.
  public func read(
    offset: UInt64, length: Int, answer: @escaping (Result<[UInt8], ResourceError>) -> Void
  ) {
    network.read(
      content, PendingRead(reader: reader, offset: offset, length: length, answer: answer))
  }

  public func readSome(
    offset: UInt64, length: Int, answer: @escaping (Result<[UInt8], ResourceError>) -> Void
  ) {
    var read = PendingRead(reader: reader, offset: offset, length: length, answer: answer)
    read.least = CachedResource.worthHaving
    network.read(content, read)
  }

  /// Bytes that a decoder gets by a read at least, unless the range or the resource ends: on a slow
  /// line all that it asked for may be a second away, and its next pictures be in what is here.
  private static let worthHaving = 8 << 10

  /// Brings a range here for a later read. Answered when it is, whether that meant to fetch it or
  /// not; a range past the end is here already.
  public func fetch(
    offset: UInt64, length: Int, answer: @escaping (Result<Void, ResourceError>) -> Void
  ) {
    var read = PendingRead(reader: reader, offset: offset, length: length) { result in
      answer(result.map { _ in })
    }
    read.isOnlyFetch = true
    network.read(content, read)
  }

  /// The address that answered last, also when that was in a former run: what its bytes name is
  /// relative to it (RFC 3986, section 5.1.3). It has no query, and the login of the address that was
  /// asked only where both are of one origin. Nil where that is the address that was asked, or
  /// nothing has been answered yet.
  public var answeredAt: String? { answering?.urlWithLogin }

  var answering: WebAddress? {
    content.facts?.address.flatMap { WebAddress($0) }?.withLogin(of: content.address)
  }

  /// The encoding of a text by the charset parameter of its Content-Type, as its server sent it; nil
  /// where it said nothing.
  public var charset: String? { content.facts?.charset }

  /// What the cache's list calls it: its address without userinfo and query.
  public var listedAs: String { content.address.visible }

  /// Whether what is fetched is kept, as far as is known, so that it need not be fetched again.
  public var keepsBytes: Bool { content.storing != .off }

  /// Why what is fetched is not kept, in words that follow "cannot keep NAME: "; nil while it may be.
  public var whyNotKept: String? { content.whyNotKept }

  public func cancel() { content.cancel(reader) }

  public func setUrgency(_ urgency: ResourceUrgency) { content.setUrgency(urgency, of: reader) }

  public var isFetching: Bool { content.isFetching }

  public func endAtHand(from offset: UInt64) -> UInt64 {
    // A decoder may ask for anything.
    offset == .max ? offset : content.held.end(from: offset)
  }

  public var bearableBitRate: UInt64? { network.bearableBitRate }

  public var ending: String { FileName.fileExtension(of: content.address.path) }

  public var progress: ResourceProgress {
    let length = content.facts?.length
    let shares = content.held.ranges.map { range in
      Double(range.lowerBound) / Double(max(1, length ?? 1))...Double(range.upperBound)
        / Double(max(1, length ?? 1))
    }
    return ResourceProgress(
      host: content.address.visibleHost, heldBytes: content.held.count, length: length,
      held: length == nil ? [] : shares, isWaiting: content.isWaiting)
  }
}
