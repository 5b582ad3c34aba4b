import DecoderLink

/// Bytes in order.
package protocol ByteStream: AnyObject {
  /// The next bytes: fewer than `count` where no more are at hand, none only at the end.
  func read(_ count: Int) throws(DecodingError) -> [UInt8]
  /// Goes to a position, where it can.
  func move(to position: UInt64) -> Bool
  /// In bytes, where known.
  var length: UInt64? { get }
  /// Why a read failed, once one did.
  var failure: DecodingError? { get }
}

/// A resource that is read from front to back, with jumps.
package final class ResourceStream: ByteStream {
  private let connection: PlayerConnection
  /// The player's number for it; 0 is the story itself.
  let resource: UInt32
  package let length: UInt64?
  /// Where the next read begins.
  private(set) var position: UInt64 = 0
  /// Why a read failed, as long as nothing is read elsewhere.
  package private(set) var failure: DecodingError?
  /// What is known to be at hand.
  private var available: Range<UInt64> = 0..<0

  init(_ connection: PlayerConnection, resource: UInt32, length: UInt64?) {
    self.connection = connection
    self.resource = resource
    self.length = length
  }

  /// Tells the player that a resource other than the story itself is no longer needed.
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

  /// Bytes anywhere, without moving; none where they cannot be had.
  func peek(_ offset: Int64, _ count: Int) -> [UInt8] {
    let former = failure
    defer { failure = former }
    return UInt64(exactly: offset).flatMap { try? part(at: $0, count) } ?? []
  }

  /// The player refuses to be asked for much more at once.
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
  func isAtHand(_ count: UInt64) -> Bool {
    let end = min(length ?? .max, position + count)
    return position >= end || isAtHand(position..<end)
  }

  /// Whether all of it can be.
  var isWhole: Bool { isAtHand(0..<(length ?? .max)) }

  private func isAtHand(_ range: Range<UInt64>) -> Bool {
    let isKnown =
      available.lowerBound <= range.lowerBound && range.upperBound <= available.upperBound
    if isKnown { return true }
    let end = connection.endAtHand(of: resource, from: range.lowerBound)
    available = range.lowerBound..<max(range.lowerBound, end)
    return range.upperBound <= available.upperBound
  }
}
