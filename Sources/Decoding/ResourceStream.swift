/// A resource that is read from front to back, with jumps.
final class ResourceStream {
  private let connection: PlayerConnection
  /// The player's number for it; 0 is the story itself.
  let resource: UInt32
  /// In bytes, where known.
  let length: UInt64?
  /// Where the next read begins.
  private(set) var position: UInt64 = 0
  /// Why the player refused a read, once it did.
  private(set) var failure: DecodingError?

  init(_ connection: PlayerConnection, resource: UInt32, length: UInt64?) {
    self.connection = connection
    self.resource = resource
    self.length = length
  }

  /// The next bytes, none at the end.
  func read(_ count: Int) throws(DecodingError) -> [UInt8] {
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
  func head(_ count: Int) throws(DecodingError) -> [UInt8] {
    let saved = position
    defer { position = saved }
    position = 0
    return try read(count)
  }

  func move(to position: UInt64) { self.position = position }
}
