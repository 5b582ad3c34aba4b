/// What readers have seen of a content when the answers of its server did not fit together any more.
struct FormerBytes {
  var stored: StoredBytes?
  var writeBuffer: WriteBuffer
  /// Parts that were for memory alone.
  var loose: WriteBuffer
  let held: Extents
  let facts: ContentFacts

  /// Whether bytes are the same as those that were here, as far as there were any.
  mutating func agrees(_ bytes: [UInt8], at offset: UInt64) -> Bool {
    let range = offset..<offset + UInt64(bytes.count)
    for known in held.ranges where known.overlaps(range) {
      let common = known.clamped(to: range)
      var position = common.lowerBound
      while position < common.upperBound {
        // What cannot be read any more disagrees with nothing.
        guard let part = part(from: position, upTo: common.upperBound) else { break }
        let first = Int(position - offset)
        guard part.slice.elementsEqual(bytes[first..<first + part.count]) else { return false }
        position += UInt64(part.count)
      }
    }
    return true
  }

  private mutating func part(from position: UInt64, upTo end: UInt64) -> Part? {
    if let part = writeBuffer.read(from: position, upTo: end) { return part }
    if let part = loose.read(from: position, upTo: end) { return part }
    guard case .bytes(let part) = stored?.read(from: position, upTo: end) else { return nil }
    return part
  }
}

// What becomes of a content whose parts do not fit together. Servers that share one address may tag the
// same bytes differently, and some refuse any condition: that is no other file. So all of it is asked
// for once more as one answer without conditions, and what readers have seen is compared with that.
extension Content {
  /// Begins with that; false where it was tried already, or nothing is missing.
  func compareWithWhole() -> Bool {
    guard !wantsWhole, facts != nil, !isWhole else { return false }
    for (fetch, flight) in flights {
      network.loader?.cancel(fetch)
      if let claim = flight.claim { letGo(claim) }
    }
    flights = [:]
    wantsWhole = true
    mode = .whole
    phase = .ready
    keepForComparison()
    return true
  }

  /// Sets aside what is here, where nothing is yet.
  func keepForComparison() {
    guard former == nil, let facts, !held.isEmpty else { return }
    for claim in unconfirmed { letGo(claim.range) }
    unconfirmed = []
    releases = []
    former = FormerBytes(
      stored: stored, writeBuffer: writeBuffer, loose: loose, held: held, facts: facts)
    stored = nil
    writeBuffer = WriteBuffer()
    loose = WriteBuffer()
    storing = .undecided
    holdAnew()
  }

  /// Whether a whole answer is as long as what was here.
  func agreesInLength(_ head: FetchHead) -> Bool {
    guard let length = former?.facts.length, let total = head.accepted.total else { return true }
    return length == total
  }

  func agrees(_ bytes: [UInt8], at offset: UInt64) -> Bool {
    former?.agrees(bytes, at: offset) ?? true
  }

  /// A whole answer is of other bytes, or does not come: its readers keep what was here.
  func restoreFormer() {
    guard let former else { return }
    for fetch in flights.keys { network.loader?.cancel(fetch) }
    flights = [:]
    forgetStored()
    stored = former.stored
    writeBuffer = former.writeBuffer
    loose = former.loose
    facts = former.facts
    self.former = nil
    stopStoring()
  }

  /// Nothing is compared any more. Who comes later finds what was stored last.
  func closeFormer() {
    if let entry = former?.stored?.content.entry { network.cache?.send(.close(entry)) }
    former = nil
  }
}
