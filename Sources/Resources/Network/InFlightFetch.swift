/// How much a fetch matters to the loader.
struct FetchPriority: Equatable {
  /// Whether a viewer waits for it.
  var isUrgent = false
  /// Whether a read waits for it.
  var isAwaited = false
}

/// A fetch under way for some content.
struct InFlightFetch {
  enum Purpose {
    /// Brings a range.
    case part
    /// Asks whether what is stored is still true.
    case check
    /// Brings all from the first byte on, as one answer.
    case whole
    /// The same for the disk, while others bring parts for memory alone.
    case kept
  }

  var purpose: Purpose
  /// What it will bring; up to the greatest position where the end is not known.
  var range: Range<UInt64>
  /// What the loader was told last.
  var priority = FetchPriority()
  /// It was told to end before all has come.
  var isLeft = false
  /// The next byte that comes.
  var position: UInt64
  /// What is held against other processes for it.
  var claim: Range<UInt64>?
  /// Answers so far: after a break another one goes on where the last one ended.
  var heads = 0
  /// How far the server may send at present.
  var allowed: UInt64

  init(
    _ purpose: Purpose, _ range: Range<UInt64>, claim: Range<UInt64>? = nil, allowed: UInt64
  ) {
    self.purpose = purpose
    self.range = range
    self.claim = claim
    self.allowed = allowed
    position = range.lowerBound
  }

  /// Whether it brings all as one answer.
  var isWhole: Bool { purpose == .whole || purpose == .kept }
  var isKept: Bool { purpose == .kept }
  var isCheck: Bool { purpose == .check }

  /// What is still to come.
  var rest: Range<UInt64> { min(position, range.upperBound)..<range.upperBound }
}
