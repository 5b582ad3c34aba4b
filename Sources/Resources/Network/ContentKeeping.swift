import System

// Long content whose parts nothing vouches for, as its server sends only a weak entity tag or none:
// parts that were fetched apart are shown, but never stored. One answer that brings all of it is
// stored, however long, for as long as it comes without a break; then its server is asked about it
// as a whole.
extension Content {
  /// What a flight brings soon enough for a read to wait for it. One that brings all for the disk is
  /// not waited for where a part brings the same sooner, nor where it may not go at present.
  func reach(of flight: InFlightFetch) -> Range<UInt64> {
    guard mode == .loose, flight.isKept else { return flight.rest }
    let rest = flight.rest
    let most = min(network.muchLeft, Content.mostAtOnce)
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
    let near = flight.position + Content.mostAtOnce
    let waiting = reads.map { $0.range(length: facts?.length) }.filter { $0.lowerBound <= near }
    let reach = waiting.map(\.upperBound).max() ?? 0
    return max(readAhead.reach(upTo: near), reach) + Content.mostAtOnce
  }

  /// Whether all of it is on the disk or on its way there.
  var keepsWhole: Bool {
    guard let length = facts?.length, let stored else { return false }
    var kept = stored.extents
    kept.formUnion(writeBuffer.extents)
    return kept.contains(0..<length)
  }

  /// Whether another process is bringing all of an entry.
  func isBeingKept(_ content: StoredContent) -> Bool {
    guard let length = content.facts.length, length > Content.mostAtOnce else { return false }
    return (try? content.blob.file.hold(Blob.bytes, .exclusive)) == false
  }

  /// Whether an answer is of the bytes that are known. Where all of them are stored, as one answer
  /// brought them, a weak validator tells that too (RFC 9110, section 13.1.2).
  func isSame(_ head: FetchHead) -> Bool {
    guard let facts, head.accepted.total == facts.length else { return false }
    return facts.validator.joins(head.validator)
      || (isWhole && facts.validator.isWeaklySame(as: head.validator))
  }

  /// The first answer has told that parts cannot be joined, and that it is long.
  func beginLoosely() {
    storing = .off
    mayKeep = facts?.length != nil && whyNotKept == nil
  }

  /// Asks the cache for room for all of it, once somebody plays it.
  func keepWhole() {
    guard mayKeep, urgency == .playing, let facts else { return }
    mayKeep = false
    storing = .asked
    createsPending += 1
    network.cache?.send(
      .create(number, key: key, source: address.visible, facts))
  }

  /// There is room: has all of it brought for the disk. Nothing of the entry is for other processes
  /// until it is whole.
  func beginKeeping() {
    guard urgency == .playing, !readers.isEmpty else { return stopKeeping() }
    fetchWhole(isKept: true)
  }

  /// Whether a part is left to the answer that is about to be asked for.
  func isLeftToWhole(_ position: UInt64) -> Bool {
    mode == .loose && storing == .asked && position < Content.mostAtOnce
  }

  /// The head of an answer that is to bring all for the disk.
  func takeKept(_ head: FetchHead, _ fetch: FetchNumber) {
    guard flights[fetch]?.heads == 1 else { return stopKeeping() }
    guard let facts, head.accepted.total == facts.length,
      head.validator.entityTag == facts.validator.entityTag,
      head.validator.lastModified == facts.validator.lastModified
    else {
      network.loader?.cancel(fetch)
      flights[fetch] = nil
      return changed(itHasChanged)
    }
    if head.storing.isForbidden {
      whyNotKept = "its server forbids that (no-store)"
      stopKeeping()
    }
  }

  /// Takes a part that is for memory alone.
  func take(loose bytes: [UInt8], at offset: UInt64) {
    let range = offset..<offset + UInt64(bytes.count)
    for hole in held.holes(in: range) {
      let part = bytes[Int(hole.lowerBound - offset)..<Int(hole.upperBound - offset)]
      _ = loose.append(Array(part), at: hole.lowerBound)
      if hole.upperBound < range.upperBound { _ = loose.complete(at: hole.upperBound) }
    }
    loose.trim(to: Content.mostInMemory)
    holdAnew()
  }

  /// Nothing more of it is stored. What one answer was to bring for the disk alone is not fetched
  /// any further.
  func stopKeeping() {
    for (fetch, flight) in flights where flight.isKept {
      network.loader?.cancel(fetch)
      completePiece(at: flight.position)
      flights[fetch] = nil
    }
    stopStoring()
    if mode == .loose { letGo(Blob.bytes) }
  }

  /// The server gives no parts any more. What brings all for the disk goes on alone; else this
  /// answer does, for memory: what is stored of another one is not completed by it.
  func endLoosely(_ fetch: FetchNumber) {
    if flights.values.contains(where: \.isKept) {
      network.loader?.cancel(fetch)
      flights[fetch] = nil
    } else {
      stopStoring()
    }
  }

  /// Whether a flight has brought all that is wanted of it at present.
  func standsStill(_ flight: InFlightFetch) -> Bool {
    flight.isKept && flight.position >= flight.allowed
  }

  /// All has come: others may have it once the index tells of it.
  func letGoOfWhole() {
    guard let stored, storing == .on else { return }
    releases.append(Blob.bytes)
    network.cache?.send(.flush(number, stored.content.entry))
  }
}
