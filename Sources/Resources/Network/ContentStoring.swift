import System

// What the cache has of a content, and which bytes are stored.
extension ContentState {
  static let noRoom = "the cache has no room or cannot be written"

  mutating func opened(_ found: FoundEntry?) {
    guard case .looking = phase else {
      if let found { actions.append(.close(found.entry.number)) }
      return
    }
    phase = .unknown
    guard let found else { return actions.append(.log(.nothingStored)) }
    guard found.isUsable else {
      // A part that nothing can be joined to.
      if found.isBeingMade {
        whyNotKept = "another player is fetching it"
      } else {
        actions.append(.supersede(found.entry.number))
      }
      actions.append(.close(found.entry.number))
      return
    }
    actions.append(.noteOrigin(isPrivate: found.facts.isPrivate))
    storing = .on(found.entry)
    holdAnew()
    let mode: Mode = found.facts.validator.joinsParts ? .joined : found.isLong ? .loose : .whole
    let isFresh = found.facts.isFresh(now: moment.seconds, otherwise: setup.freshSeconds)
    // A part from a former run needs its server for the rest anyway. If the rest turned out to be
    // of other bytes later, readers would already have seen the first ones.
    let isChecked = !isFresh || (!found.isWhole && found.facts.checked <= setup.began)
    phase = isChecked ? .checking(found.facts, mode) : .known(found.facts, mode)
    actions.append(
      .log(.stored(bytes: held.count, length: found.facts.length, isChecked: isChecked)))
  }

  // MARK: - Making an entry

  /// Asks the cache to make an entry.
  mutating func askForEntry() {
    guard let facts else { return }
    storing = .asked(hasLateLength: false)
    createsPending += 1
    actions.append(.create(facts))
  }

  /// Whether the next entry that the cache makes is the one that is wanted.
  private var takesNextEntry: Bool {
    if case .asked = storing { createsPending == 1 } else { false }
  }

  /// Ranges of a new entry that are locked until the index has their bytes: what was fetched, or is
  /// being fetched, before there was an entry.
  var claimable: [Range<UInt64>] {
    guard takesNextEntry, mode == .joined else { return [] }
    let flying = flights.values.map(\.range).filter { !$0.isEmpty }
    return flying + landed.ranges
  }

  /// Bytes in memory that no fetch under way will bring more of.
  private var landed: Extents {
    var landed = memory.extents
    for flight in flights.values { landed.remove(flight.range) }
    return landed
  }

  mutating func created(_ made: CreatedEntry?) {
    guard takesNextEntry, case .asked(let hasLateLength) = storing else {
      // The entry is not wanted any more.
      createsPending -= 1
      guard let made else { return }
      if made.isNew { actions.append(.release(made.entry.number, Blob.bytes)) }
      // The next entry that is made may be the same one; if not, it supersedes this one.
      if createsPending == 0 { actions.append(.supersede(made.entry.number)) }
      return actions.append(.close(made.entry.number))
    }
    createsPending = 0
    guard let made else { return stopKeeping() }
    storing = .on(made.entry)
    if hasLateLength, let facts { actions.append(.revise(made.entry.number, facts)) }
    for (number, flight) in flights where made.held.contains(flight.range) {
      flights[number]?.claim = flight.range
    }
    releases = landed.ranges.filter(made.held.contains)
    // An entry that can only be kept whole stays locked until it is whole.
    if made.isNew, mode != .loose {
      for free in Extents(made.held).holes(in: Blob.bytes) { release(free) }
    }
    for start in memory.completeStarts { store(start) }
    for _ in releases { actions.append(.flush(made.entry.number)) }
    if mode == .loose { beginKeeping() }
    holdAnew()
  }

  // MARK: - Bytes

  /// Sends a complete piece to the disk.
  private mutating func store(_ start: UInt64) {
    guard case .on(let entry) = storing, let bytes = memory.bytes(at: start) else { return }
    actions.append(.write(entry.number, at: start, bytes))
  }

  /// Takes bytes that may be stored.
  mutating func keep(_ bytes: [UInt8], at offset: UInt64) {
    let range = offset..<offset + UInt64(bytes.count)
    for hole in entry?.extents.holes(in: range) ?? [range] {
      let part =
        hole == range
        ? bytes : Array(bytes[Int(hole.lowerBound - offset)..<Int(hole.upperBound - offset)])
      for start in memory.append(part, at: hole.lowerBound) { store(start) }
      held.insert(hole)
      if hole.upperBound < range.upperBound { completePiece(at: hole.upperBound) }
    }
    if case .off = storing { trimMemory() }
  }

  mutating func completePiece(at end: UInt64) {
    if let start = memory.complete(at: end) { store(start) }
  }

  mutating func trimMemory() {
    memory.trim(to: ContentState.mostInMemory)
    holdAnew()
  }

  mutating func written(_ range: Range<UInt64>, to number: EntryNumber) {
    guard var extents = entry?.extents, number == entry?.number else { return }
    memory.remove(at: range.lowerBound)
    extents.insert(range)
    setExtents(extents)
  }

  // MARK: - The end of it

  mutating func stopStoring(_ reason: String = noRoom) {
    actions.append(.log(.notKept(reason: reason)))
    storing = .off(entry)
    whyNotKept = whyNotKept ?? reason
    trimMemory()
  }

  /// Nobody shall find the stored bytes any more, and they are not read here.
  mutating func forgetStored() {
    guard let entry else { return }
    releaseClaims()
    releases = []
    actions += [.supersede(entry.number), .close(entry.number)]
    storing = .undecided
    holdAnew()
  }

  /// The server has vouched for the stored bytes.
  mutating func noteChecked(freshFor: Int64?, from answering: WebAddress?, isPrivate: Bool) {
    guard let facts, let entry else { return }
    let base = baseBeside(answering)
    guard
      !(0...60).contains(moment.seconds - facts.checked) || freshFor != facts.freshFor
        || base != facts.address || isPrivate != facts.isPrivate
    else { return }
    var new = facts
    new.checked = moment.seconds
    new.freshFor = freshFor
    new.address = base
    // The address that vouches for it now decides what it may name.
    new.isPrivate = isPrivate
    change { $0 = new }
    actions += [.noteOrigin(isPrivate: isPrivate), .revise(entry.number, new)]
  }

  /// The address that answered, as it is stored; nil for the requested one.
  func baseBeside(_ answering: WebAddress?) -> String? {
    answering.flatMap { $0.visible == setup.address.visible ? nil : $0.visible }
  }
}
