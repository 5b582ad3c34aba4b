import System

// Long content whose parts nothing vouches for, as its server sends only a weak entity tag or none:
// parts that were fetched apart are shown, but never stored. One answer that brings all of it is
// stored, however long, for as long as it comes without a break; then its server is asked about it
// as a whole.
extension ContentState {
  /// What a flight brings soon enough for a read to wait for it. One that brings all for the disk is
  /// not waited for where a part brings the same sooner, nor where it may not go at present.
  func reach(of flight: InFlightFetch) -> Range<UInt64> {
    guard mode == .loose, flight.isKept else { return flight.rest }
    let rest = flight.rest
    let most = min(moment.muchLeft, ContentState.mostAtOnce)
    return rest.upperBound - rest.lowerBound > most
      ? rest.lowerBound..<rest.lowerBound + most : rest
  }

  /// Whether reading on at a position is what a flight for the disk sees to.
  func isLed(by flight: InFlightFetch, at position: UInt64) -> Bool {
    flight.isKept && position >= flight.position && position <= reach(of: flight).upperBound
  }

  /// How far a flight for the disk may go: ahead of who reads on near it. For a viewer who has gone
  /// far from there it waits.
  func mostKept(of flight: InFlightFetch) -> UInt64 {
    let near = flight.position + ContentState.mostAtOnce
    let waiting = reads.map { $0.range(length: length) }.filter { $0.lowerBound <= near }
    let reach = waiting.map(\.upperBound).max() ?? 0
    return max(readAhead.reach(upTo: near), reach) + ContentState.mostAtOnce
  }

  /// Whether all of it is on the disk or on its way there.
  var keepsWhole: Bool {
    guard let length, var kept = entry?.extents else { return false }
    kept.formUnion(memory.extents)
    return kept.contains(0..<length)
  }

  /// Parts cannot be joined, and it is long.
  mutating func beginLoosely() {
    storing = length != nil && whyNotKept == nil ? .deferred : .off(nil)
  }

  /// Asks the cache for room for all of it, once somebody plays it.
  mutating func keepWhole() {
    if storing == .deferred, urgency == .playing { askForEntry() }
  }

  /// There is room: has all of it brought for the disk. Nothing of the entry is for other processes
  /// until it is whole.
  mutating func beginKeeping() {
    guard urgency == .playing, !readers.isEmpty else { return stopKeeping() }
    fetchWhole(isKept: true)
  }

  /// Whether a part is left to the answer that is about to be asked for.
  func isLeftToWhole(_ position: UInt64) -> Bool {
    guard mode == .loose, case .asked = storing else { return false }
    return position < ContentState.mostAtOnce
  }

  /// The head of an answer that is to bring all for the disk.
  mutating func takeKept(_ head: FetchHead, _ number: FlightNumber) {
    guard flights[number]?.heads == 1 else { return stopKeeping() }
    guard let facts, head.accepted.total == facts.length,
      head.validator.entityTag == facts.validator.entityTag,
      head.validator.lastModified == facts.validator.lastModified
    else {
      abandon(number)
      return changed(hasChanged)
    }
    if head.storing.isForbidden {
      whyNotKept = "its server forbids that (no-store)"
      stopKeeping()
    }
  }

  /// Takes a part that is for memory alone.
  mutating func takeLoose(_ bytes: [UInt8], at offset: UInt64) {
    let range = offset..<offset + UInt64(bytes.count)
    for hole in held.holes(in: range) {
      let part = bytes[Int(hole.lowerBound - offset)..<Int(hole.upperBound - offset)]
      _ = loose.append(Array(part), at: hole.lowerBound)
      if hole.upperBound < range.upperBound { _ = loose.complete(at: hole.upperBound) }
    }
    loose.trim(to: ContentState.mostInMemory)
    holdAnew()
  }

  /// Nothing more of it is stored. What one answer was to bring for the disk alone is not fetched
  /// any further.
  mutating func stopKeeping() {
    for (number, flight) in flights where flight.isKept {
      abandon(number)
      completePiece(at: flight.position)
    }
    stopStoring()
    if mode == .loose { release(Blob.bytes) }
  }

  /// The server gives no parts any more. What brings all for the disk goes on alone; else this
  /// answer does, for memory: what is stored of another one is not completed by it.
  mutating func endLoosely(_ number: FlightNumber) {
    if flights.values.contains(where: \.isKept) { abandon(number) } else { stopStoring() }
  }

  /// Whether a flight has brought all that is wanted of it at present.
  func standsStill(_ flight: InFlightFetch) -> Bool {
    flight.isKept && flight.position >= flight.allowed
  }
}
