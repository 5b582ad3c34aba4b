import DecoderLink

/// Decoded pictures that wait for their time, oldest first.
package struct PictureQueue {
  private var pictures: [DecodedPicture] = []

  package init() {}

  package var isEmpty: Bool { pictures.isEmpty }
  package var count: Int { pictures.count }
  /// When the next picture is to be shown.
  package var nextTime: Duration? { pictures.first?.time }

  package mutating func append(_ picture: DecodedPicture) { pictures.append(picture) }
  package mutating func removeAll() { pictures.removeAll() }

  /// The oldest picture, whatever its time.
  package mutating func takeFirst() -> DecodedPicture? {
    pictures.isEmpty ? nil : pictures.removeFirst()
  }

  /// The newest picture that is due, and how many older ones were too late to be shown.
  package mutating func takeDue(at time: Duration) -> (picture: DecodedPicture, late: Int)? {
    guard let index = pictures.lastIndex(where: { $0.time <= time }) else { return nil }
    let picture = pictures[index]
    pictures.removeFirst(index + 1)
    return (picture, index)
  }
}
