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
    network.read(content, reader, offset: offset, length: length, answer: answer)
  }

  public func cancel() { content.cancel(reader) }

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
