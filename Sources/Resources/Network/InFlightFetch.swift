/// A fetch under way for some content.
struct InFlightFetch {
  /// What it will bring; up to the greatest position where the end is not known.
  var range: Range<UInt64>
  /// Whether it brings all from the first byte on, as one answer.
  var isWhole = false
  /// Whether it brings all for the disk, while other flights bring parts for memory alone.
  var isKept = false
  /// Whether it asks if what is stored is still true.
  var isCheck = false
  /// Whether the loader takes it for one that a viewer waits for.
  var isUrgent = false
  /// Whether the loader takes it for one that a read waits for.
  var isAwaited = false
  /// It was told to end before all has come.
  var isLeft = false
  /// The next byte that comes.
  var position: UInt64
  /// What is held against other processes for it.
  var claim: Range<UInt64>?
  var heads = 0
  /// How far the server may send at present.
  var allowed: UInt64

  init(_ range: Range<UInt64>, claim: Range<UInt64>? = nil, allowed: UInt64) {
    self.range = range
    self.claim = claim
    self.allowed = allowed
    position = range.lowerBound
  }

  /// What is still to come.
  var rest: Range<UInt64> { min(position, range.upperBound)..<range.upperBound }
}

/// A read that waits for its bytes.
struct PendingRead {
  let reader: UInt64
  let offset: UInt64
  let length: Int
  let answer: (Result<[UInt8], ResourceError>) -> Void
  /// The bytes are wanted here later: the answer is without them.
  var isOnlyFetch = false
  /// It is answered with as much as this of its beginning; nil for all of it alone.
  var least: Int?
  /// Whether bytes had to be fetched for it.
  var isMiss = false

  /// What it wants, of a resource of this length.
  func range(length total: UInt64?) -> Range<UInt64> {
    // A damaged file may make a decoder ask for what is nowhere.
    let last = total ?? Verdict.mostLength
    let start = min(offset, last)
    return start..<min(start + UInt64(max(0, length)), last)
  }
}
