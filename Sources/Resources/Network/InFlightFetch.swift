/// How much a fetch matters to the loader.
struct FetchPriority: Equatable {
  /// Whether a viewer waits for it.
  var isUrgent = false
  /// Whether a read waits for it.
  var isAwaited = false
}

/// A fetch of some content that is under way.
struct InFlightFetch {
  enum Purpose {
    /// Brings a range.
    case part
    /// Asks the server whether the stored bytes are still valid.
    case check
    /// Brings the whole content from its first byte on, as one answer.
    case whole
    /// Brings the whole content for the disk, while other fetches bring parts for memory only.
    case kept
  }

  var purpose: Purpose
  /// The bytes that it will bring; up to the largest position if the end is not known.
  var range: Range<UInt64>
  /// The priority that the loader has.
  var priority = FetchPriority()
  /// It was asked to end before all has arrived.
  var isLeft = false
  /// The next byte that will arrive.
  var position: UInt64
  /// The range that is claimed for it against other processes.
  var claim: Range<UInt64>?
  /// Answers so far: after a break, another one goes on where the last one ended.
  var heads = 0
  /// The server may send up to this position at present.
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

  /// Whether it brings the whole content as one answer.
  var isWhole: Bool { purpose == .whole || purpose == .kept }
  var isKept: Bool { purpose == .kept }
  var isCheck: Bool { purpose == .check }

  /// The bytes that are still to come.
  var rest: Range<UInt64> { min(position, range.upperBound)..<range.upperBound }
}
