import System

/// How much of a resource is held, for the viewer.
public struct ResourceProgress: Equatable, Sendable {
  /// The server that it comes from.
  public var host: String
  /// Bytes that need not be fetched.
  public var heldBytes: UInt64
  public var length: UInt64?
  /// The parts that need not be fetched, as shares of the whole, in order; empty if the length is
  /// not known.
  public var held: [ClosedRange<Double>]
  /// Whether a read waits for bytes.
  public var isWaiting: Bool

  /// What is known if the bytes come in an unknown number of parts: only their server.
  public func ofPlaylist() -> ResourceProgress {
    ResourceProgress(host: host, heldBytes: 0, length: nil, held: [], isWaiting: isWaiting)
  }

  /// Whether nothing of it has to be fetched any more.
  public var isWhole: Bool { length.map { heldBytes >= $0 } ?? false }

  /// How far one can go from a share of the whole without fetching; that share itself if the next
  /// byte is missing.
  public func reach(from share: Double) -> Double {
    // A share gives the byte only roughly, so smaller holes are ignored.
    held.first { $0.lowerBound <= share + 0.01 && $0.upperBound >= share }?.upperBound ?? share
  }
}

/// A resource behind a web address, read through the cache.
public final class CachedResource: Resource {
  private let content: Content
  private let reader: UInt64
  /// Keeps the network alive, which answers the reads.
  private let network: Network

  init(_ content: Content, reader: UInt64, network: Network) {
    self.content = content
    self.reader = reader
    self.network = network
    content.handle(.join(reader))
  }

  deinit { content.leave(reader) }

  public var info: ContentInfo? { content.state.info }

  /// Reads as described in `Resource`. A read of no bytes is answered once `info` is known. What is
  /// read within an answer is answered after that one has returned.
  public func read(
    offset: UInt64, length: Int, answer: @escaping (Result<[UInt8], ResourceError>) -> Void
  ) {
    network.read(content, answer: answer) {
      PendingRead(number: $0, reader: reader, offset: offset, length: length)
    }
  }

  public func readSome(
    offset: UInt64, length: Int, answer: @escaping (Result<[UInt8], ResourceError>) -> Void
  ) {
    network.read(content, answer: answer) {
      PendingRead(
        number: $0, reader: reader, offset: offset, length: length,
        least: CachedResource.worthHaving)
    }
  }

  /// A decoder gets at least this many bytes by a read, unless the range or the resource ends. On a
  /// slow line all that it asked for may take a second, and its next pictures may be in what is
  /// here already.
  private static let worthHaving = 8 << 10

  /// Fetches a range for a later read. Answered when all of it is held, whether it was fetched or
  /// not; a range past the end counts as held.
  public func fetch(
    offset: UInt64, length: Int, answer: @escaping (Result<Void, ResourceError>) -> Void
  ) {
    network.read(content, answer: { answer($0.map { _ in }) }) {
      PendingRead(
        number: $0, reader: reader, offset: offset, length: length, isOnlyFetch: true)
    }
  }

  /// The address that answered last, also in a former run: references in the bytes are relative to
  /// it (RFC 3986, section 5.1.3). It has no query, and it has the login of the requested address
  /// only if both have the same origin. Nil if it is the requested address, or if nothing has been
  /// answered yet.
  public var answeredAt: String? { answering?.urlWithLogin }

  var answering: WebAddress? {
    content.state.facts?.address.flatMap { WebAddress($0) }?.withLogin(of: content.address)
  }

  /// The playlist or feed that names it, if any.
  var namedBy: WebAddress? { content.namedBy }

  /// The encoding of a text, by the charset parameter of its Content-Type as the server sent it;
  /// nil if there was none.
  public var charset: String? { content.state.facts?.charset }

  /// The name in the cache's list: the address without userinfo and query.
  public var listedAs: String { content.address.visible }

  /// Whether fetched bytes are stored, as far as is known, so that they need not be fetched again.
  public var keepsBytes: Bool { content.state.keepsBytes }

  /// Why fetched bytes are not stored, in words that follow "cannot keep NAME: "; nil while they
  /// may be.
  public var whyNotKept: String? { content.state.whyNotKept }

  public func cancel() { content.cancel(reader) }

  public func setUrgency(_ urgency: ResourceUrgency) { content.setUrgency(urgency, of: reader) }

  public var isFetching: Bool { content.state.isFetching }

  public func availableEnd(from offset: UInt64) -> UInt64 {
    // A decoder may ask for any offset.
    offset == .max ? offset : content.state.held.end(from: offset)
  }

  public var bearableBitRate: UInt64? { network.bearableBitRate }

  public var usualBitRate: UInt64? { Network.usualBitRate }

  public var ending: String { FileName.fileExtension(of: content.address.path) }

  public var progress: ResourceProgress {
    let length = content.state.facts?.length
    let shares = content.state.held.ranges.map { range in
      Double(range.lowerBound) / Double(max(1, length ?? 1))...Double(range.upperBound)
        / Double(max(1, length ?? 1))
    }
    return ResourceProgress(
      host: content.address.visibleHost, heldBytes: content.state.held.count, length: length,
      held: length == nil ? [] : shares, isWaiting: !content.state.reads.isEmpty)
  }
}
