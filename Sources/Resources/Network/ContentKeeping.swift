import System

// Long content without a strong validator, from a server that sends only a weak entity tag or none.
// Parts that were fetched separately are shown, but never stored. One answer that brings the whole
// content is stored, however long, as long as it is not interrupted; later the server is asked
// whether the whole is still valid.
extension ContentState {
  /// The bytes of a fetch that come soon enough for a read to wait for them. A read does not wait
  /// for the fetch for the disk if a part would come sooner, or if that fetch may not go on at
  /// present.
  func reach(of flight: InFlightFetch) -> Range<UInt64> {
    guard mode == .loose, flight.isKept else { return flight.rest }
    let rest = flight.rest
    let most = min(moment.muchLeft, ContentState.mostAtOnce)
    return rest.upperBound - rest.lowerBound > most
      ? rest.lowerBound..<rest.lowerBound + most : rest
  }

  /// Whether a fetch for the disk will soon bring what follows a position.
  func isLed(by flight: InFlightFetch, at position: UInt64) -> Bool {
    flight.isKept && position >= flight.position && position <= reach(of: flight).upperBound
  }

  /// How far a fetch for the disk may go: ahead of readers near it. It waits for a viewer who has
  /// gone far from there.
  func mostKept(of flight: InFlightFetch) -> UInt64 {
    let near = flight.position + ContentState.mostAtOnce
    let waiting = reads.map { $0.range(length: length) }.filter { $0.lowerBound <= near }
    let reach = waiting.map(\.upperBound).max() ?? 0
    return max(readAhead.reach(upTo: near), reach) + ContentState.mostAtOnce
  }

  /// Whether the whole content is stored or about to be.
  var keepsWhole: Bool {
    guard let length, var kept = entry?.extents else { return false }
    kept.formUnion(memory.extents)
    return kept.contains(0..<length)
  }

  /// Parts cannot be joined, and the content is long.
  mutating func beginLoosely() {
    storing = length != nil && whyNotKept == nil ? .deferred : .off(nil)
  }

  /// Asks the cache for an entry for the whole content, once somebody plays it.
  mutating func keepWhole() {
    if storing == .deferred, urgency == .playing { askForEntry() }
  }

  /// The cache has made the entry: the whole content is fetched for it. Other processes cannot use
  /// the entry until it is whole.
  mutating func beginKeeping() {
    guard urgency == .playing, !readers.isEmpty else { return stopKeeping() }
    fetchWhole(isKept: true)
  }

  /// Whether a part is left to the whole answer that will be asked for.
  func isLeftToWhole(_ position: UInt64) -> Bool {
    guard mode == .loose, case .asked = storing else { return false }
    return position < ContentState.mostAtOnce
  }

  /// The head of an answer that brings the whole content for the disk.
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

  /// Takes a part that is only kept in memory.
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

  /// Stores nothing more. The fetch that was for the disk only is ended.
  mutating func stopKeeping() {
    for (number, flight) in flights where flight.isKept {
      abandon(number)
      completePiece(at: flight.position)
    }
    stopStoring()
    if mode == .loose { release(Blob.bytes) }
  }

  /// The server gives no parts any more. A fetch for the disk goes on alone. Without one this
  /// answer goes on, for memory only, because it must not complete the stored bytes of another
  /// answer.
  mutating func endLoosely(_ number: FlightNumber) {
    if flights.values.contains(where: \.isKept) { abandon(number) } else { stopStoring() }
  }

  /// Whether a fetch has brought all that is wanted from it at present.
  func standsStill(_ flight: InFlightFetch) -> Bool {
    flight.isKept && flight.position >= flight.allowed
  }
}
