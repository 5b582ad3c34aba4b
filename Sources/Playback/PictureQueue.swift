import DecoderLink

/// Decoded pictures that wait for their time, oldest first.
public struct PictureQueue: Sendable {
  private var pictures: [DecodedPicture] = []

  public init() {}

  public var isEmpty: Bool { pictures.isEmpty }
  public var count: Int { pictures.count }
  /// When the next picture is to be shown.
  public var nextTime: Duration? { pictures.first?.time }

  /// Puts a picture behind the others.
  public mutating func append(_ picture: DecodedPicture) { pictures.append(picture) }
  /// Forgets all of them.
  public mutating func removeAll() { pictures.removeAll() }

  /// The oldest picture, whatever its time.
  public mutating func takeFirst() -> DecodedPicture? {
    pictures.isEmpty ? nil : pictures.removeFirst()
  }

  /// The newest picture that is due, and how many older ones were too late to be shown.
  public mutating func takeDue(at time: Duration) -> (picture: DecodedPicture, late: Int)? {
    guard let index = pictures.lastIndex(where: { $0.time <= time }) else { return nil }
    let picture = pictures[index]
    pictures.removeFirst(index + 1)
    return (picture, index)
  }
}
