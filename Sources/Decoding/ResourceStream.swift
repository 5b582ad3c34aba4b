import DecoderLink

/// Bytes in order.
package protocol ByteStream: AnyObject {
  /// The next bytes: fewer than `count` if no more are available yet, none only at the end.
  func read(_ count: Int) throws(DecodingError) -> [UInt8]
  /// Moves to a position; false if it cannot.
  func move(to position: UInt64) -> Bool
  /// In bytes, where known.
  var length: UInt64? { get }
  /// Why a read failed, once one did.
  var failure: DecodingError? { get }
}

/// Reads a resource from the player, sequentially and with seeks.
package final class ResourceStream: ByteStream {
  private let connection: PlayerConnection
  /// The resource's number; 0 is the story itself.
  let resource: UInt32
  package let length: UInt64?
  /// Where the next read begins.
  private(set) var position: UInt64 = 0
  /// Why the last read failed; nil after a move.
  package private(set) var failure: DecodingError?
  /// The bytes that are known to be available without waiting.
  private var available: Range<UInt64> = 0..<0

  init(_ connection: PlayerConnection, resource: UInt32, length: UInt64?) {
    self.connection = connection
    self.resource = resource
    self.length = length
  }

  /// Closes a resource other than the story itself.
  deinit { if resource != 0 { connection.send(.closeResource(resource)) } }

  package func read(_ count: Int) throws(DecodingError) -> [UInt8] {
    if let length, position >= length { return [] }
    do {
      let bytes = try connection.read(resource: resource, offset: position, count: count)
      position += UInt64(min(bytes.count, count))
      return bytes
    } catch {
      failure = error
      throw error
    }
  }

  /// The first bytes, without moving.
  func head(_ count: Int) throws(DecodingError) -> [UInt8] { try part(at: 0, count) }

  /// Bytes at any offset, without moving; none if they cannot be read.
  func peek(_ offset: Int64, _ count: Int) -> [UInt8] {
    let former = failure
    defer { failure = former }
    return UInt64(exactly: offset).flatMap { try? part(at: $0, count) } ?? []
  }

  /// The player refuses much larger reads.
  private static let mostAtOnce = 1 << 20

  private func part(at offset: UInt64, _ count: Int) throws(DecodingError) -> [UInt8] {
    let saved = position
    defer { position = saved }
    position = offset
    var bytes = try read(min(count, Self.mostAtOnce))
    while bytes.count < count {
      let part = try read(min(count - bytes.count, Self.mostAtOnce))
      if part.isEmpty { break }
      bytes += part
    }
    return bytes
  }

  @discardableResult
  package func move(to position: UInt64) -> Bool {
    self.position = position
    failure = nil
    return true
  }

  /// Whether the next `count` bytes, or all that are left, can be read without waiting for a network.
  func isAvailable(_ count: UInt64) -> Bool {
    let end = min(length ?? .max, position + count)
    return position >= end || isAvailable(position..<end)
  }

  /// Whether all of it can be read without waiting for a network.
  var isAllAvailable: Bool { isAvailable(0..<(length ?? .max)) }

  private func isAvailable(_ range: Range<UInt64>) -> Bool {
    let isKnown =
      available.lowerBound <= range.lowerBound && range.upperBound <= available.upperBound
    if isKnown { return true }
    let end = connection.availableEnd(of: resource, from: range.lowerBound)
    available = range.lowerBound..<max(range.lowerBound, end)
    return range.upperBound <= available.upperBound
  }
}
