import DecoderLink

/// Decoded pictures that wait for their time, in the order of their times, as a decoder sends them. Whoever
/// takes or removes some allows the decoder as many new ones, also for those that were too late.
public struct PictureQueue: Sendable {
  private var pictures: [DecodedPicture] = []

  public init() {}

  public var isEmpty: Bool { pictures.isEmpty }
  public var count: Int { pictures.count }
  /// When the next picture is to be shown, on the playback's clock.
  public var nextDue: Duration? { pictures.first?.time }

  /// Puts a picture behind the others. Its time is that of the playback's clock, which runs on over loops.
  public mutating func append(_ picture: DecodedPicture) { pictures.append(picture) }
  /// Forgets all of them.
  public mutating func removeAll() { pictures.removeAll() }

  /// The first picture, whatever its time: for one that is awaited (the first of all, and after a seek)
  /// and for a run that is not timed.
  public mutating func takeFirst() -> DecodedPicture? {
    pictures.isEmpty ? nil : pictures.removeFirst()
  }

  /// The last picture that is due, and how many before it were too late to be shown.
  public mutating func takeDue(at time: Duration) -> (picture: DecodedPicture, late: Int)? {
    guard let index = pictures.lastIndex(where: { $0.time <= time }) else { return nil }
    let picture = pictures[index]
    pictures.removeFirst(index + 1)
    return (picture, index)
  }
}
