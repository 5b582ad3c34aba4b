import System

// What the network and the cache tell of a content.
extension Content {
  func take(_ event: CacheEvent) {
    switch event {
    case .opened(let content): opened(content)
    case .created(let content): created(content)
    case .written(let segment):
      writeBuffer.remove(at: segment.start)
      stored?.addWritten(segment)
    case .refused: stopKeeping()
    case .unsure:
      stored?.doubt()
      stopKeeping()
    case .segments(let segments, let reread):
      rereadsPending -= 1
      confirm(segments, reread: reread)
    case .flushed(let entry):
      // One of a former entry has nothing to let go of here.
      guard entry == stored?.content.entry, !releases.isEmpty else { return }
      letGo(releases.removeFirst())
    }
  }

  private func opened(_ content: StoredContent?) {
    phase = .ready
    guard let content else { return log("nothing of it is stored") }
    guard stored == nil else {
      network.cache?.send(.close(content.entry))
      return
    }
    let bytes = StoredBytes(content)
    let isWhole = content.facts.length.map { bytes.extents.contains(0..<$0) } ?? false
    guard isWhole || content.facts.validator.joinsParts else {
      // A part that nothing can be joined to.
      if isBeingKept(content) {
        whyNotKept = "another player is fetching it"
      } else {
        network.cache?.send(.supersede(content.entry))
      }
      network.cache?.send(.close(content.entry))
      return
    }
    stored = bytes
    facts = content.facts
    network.note(address, isPrivate: content.facts.isPrivate)
    let isLong = content.facts.length.map { $0 > Content.mostAtOnce } ?? false
    mode = content.facts.validator.joinsParts ? .joined : isLong ? .loose : .whole
    storing = .on
    holdAnew()
    let isFresh = content.facts.isFresh(
      now: WallClock.seconds, otherwise: freshSeconds)
    // A part of a former run needs its server for the rest anyway. To learn only then that the rest
    // belongs to other bytes would be too late for who has seen the first ones.
    if !isFresh || (!isWhole && content.facts.checked <= network.began) { phase = .checking }
    let length = content.facts.length.map { " of \($0)" } ?? ""
    log(
      "\(held.count)\(length) bytes are on disk"
        + (phase == .checking ? ", to be checked with the server" : ""))
  }

  private func created(_ content: StoredContent?) {
    createsPending -= 1
    guard storing == .asked, createsPending == 0 else {
      // It was decided otherwise meanwhile.
      if let content {
        if content.isNew { content.blob.file.release(Blob.bytes) }
        // The next one may be the same entry; where it is not, it stands for this one.
        if createsPending == 0 { network.cache?.send(.supersede(content.entry)) }
        network.cache?.send(.close(content.entry))
      }
      return
    }
    guard let content else { return stopKeeping() }
    storing = .on
    stored = StoredBytes(content)
    if hasLateLength, let facts { network.cache?.send(.revise(content.entry, facts)) }
    let claimed = mode == .joined ? claimWhatCame(content.blob) : Extents()
    // What is kept as a whole is held until it is there: others leave it alone.
    if content.isNew, mode != .loose { claimed.holes(in: Blob.bytes).forEach(letGo) }
    for start in writeBuffer.completeStarts { store(start) }
    for _ in releases { network.cache?.send(.flush(number, content.entry)) }
    if mode == .loose { beginKeeping() }
    holdAnew()
  }

  /// What came or was asked for before there was an entry is held against others until the index
  /// tells of it. Returns what is held.
  private func claimWhatCame(_ blob: Blob) -> Extents {
    var landed = writeBuffer.extents
    var claimed: [Range<UInt64>] = []
    for (fetch, flight) in flights where !flight.range.isEmpty {
      landed.remove(flight.range)
      guard (try? blob.file.hold(flight.range, .exclusive)) == true else { continue }
      flights[fetch]?.claim = flight.range
      claimed.append(flight.range)
    }
    releases = landed.ranges.filter { (try? blob.file.hold($0, .exclusive)) == true }
    return Extents(claimed + releases)
  }

  func take(_ event: FetchEvent, _ fetch: FetchNumber) {
    guard flights[fetch] != nil else { return }
    switch event {
    case .head(let head): take(head, fetch)
    case .bytes(let offset, let bytes): take(bytes, at: offset, fetch)
    case .ended(let ending): ended(ending, fetch)
    case .failed(let error): failed(error, fetch)
    }
  }

  private func take(_ head: FetchHead, _ fetch: FetchNumber) {
    flights[fetch]?.heads += 1
    if refusal?.isFinal == false { refusal = nil }
    if head.accepted.ignoresRange { flights[fetch]?.isWhole = true }
    if flights[fetch]?.isWhole == true {
      flights[fetch]?.range = 0..<(head.accepted.total ?? .max)
      if flights[fetch]?.heads == 1 { flights[fetch]?.position = 0 }
    }
    if flights[fetch]?.isCheck == true, isSame(head) {
      // A server that does not know conditions sends what we have.
      flights[fetch]?.isCheck = false
      phase = .ready
      self.facts?.checked = 0
      if isWhole {
        noteChecked(
          freshFor: head.storing.freshFor, from: head.address, isPrivate: head.isPrivate)
        network.loader?.cancel(fetch, unlessRemaining: 64 << 10)
        flights[fetch] = nil
        return
      }
    }
    if flights[fetch]?.isKept == true { return takeKept(head, fetch) }
    if former != nil, flights[fetch]?.isWhole == true, flights[fetch]?.heads == 1 {
      return agreesInLength(head) ? begin(head, fetch) : changed(itHasChanged)
    }
    guard facts != nil, flights[fetch]?.isCheck == false else {
      guard hasServed else { return begin(head, fetch) }
      // It came too late: what readers have seen is not mixed with it.
      network.loader?.cancel(fetch)
      flights[fetch] = nil
      return changed(itHasChanged)
    }
    if mode == .whole, wantsWhole || !head.validator.joinsParts {
      if flights[fetch]?.heads == 1 {
        // All of it comes anew: what a former answer brought is not mixed with it.
        begin(head, fetch)
      } else {
        // Two answers make no whole that could be vouched for.
        forgetStored()
        stopStoring()
      }
      return
    }
    if head.accepted.ignoresRange {
      if mode == .loose { endLoosely(fetch) }
      mode = .whole
      return
    }
    noteChecked(
      freshFor: head.storing.freshFor, from: head.address, isPrivate: head.isPrivate)
  }

  /// New bytes: the first answer for this address, or another one than what is stored.
  private func begin(_ head: FetchHead, _ fetch: FetchNumber) {
    // What is still under way belongs to the former bytes.
    for other in flights.keys where other != fetch {
      network.loader?.cancel(other)
      flights[other] = nil
    }
    forgetStored()
    writeBuffer = WriteBuffer()
    loose = WriteBuffer()
    phase = .ready
    flights[fetch]?.isCheck = false
    let total = head.accepted.total
    hasLateLength = false
    facts = ContentFacts(
      length: total, type: head.type, validator: head.validator, checked: WallClock.seconds,
      freshFor: head.storing.freshFor, isPrivate: head.isPrivate, address: baseBeside(head.address),
      charset: head.charset)
    network.note(address, isPrivate: head.isPrivate)
    holdAnew()
    let isAll = head.accepted.start == 0 && head.accepted.end == total
    if flights[fetch]?.isWhole == true || isAll {
      // Where ranges work and parts can be joined, the next fetch need not bring all again.
      let isKnown = isAll && total != nil
      let canJoin = head.validator.joinsParts && !head.accepted.ignoresRange && !wantsWhole
      mode = isKnown && canJoin ? .joined : .whole
      flights[fetch]?.isWhole = true
      flights[fetch]?.range = 0..<(total ?? .max)
    } else if head.validator.joinsParts {
      mode = .joined
    } else if let total, total <= Content.mostAtOnce {
      mode = .whole
      network.loader?.cancel(fetch)
      flights[fetch] = nil
    } else {
      mode = .loose
    }
    if head.storing.isForbidden { return stopStoring("its server forbids that (no-store)") }
    if network.cache == nil { return stopStoring("there is no cache") }
    if mode == .loose { return beginLoosely() }
    // What needs a second answer is stored when that one comes.
    guard flights[fetch] != nil, let facts else { return }
    storing = .asked
    createsPending += 1
    network.cache?.send(
      .create(number, key: key, source: address.visible, facts))
  }

  func forgetStored() {
    guard let stored else { return }
    network.cache?.send(.supersede(stored.content.entry))
    network.cache?.send(.close(stored.content.entry))
    self.stored = nil
    releases = []
    for claim in unconfirmed { stored.content.blob.file.release(claim.range) }
    unconfirmed = []
    holdAnew()
  }

  /// What is stored of the address that answered; nil for what was asked itself.
  private func baseBeside(_ answering: WebAddress?) -> String? {
    answering.flatMap { $0.visible == address.visible ? nil : $0.visible }
  }

  /// A server has vouched for what is stored.
  private func noteChecked(freshFor: Int64?, from answering: WebAddress?, isPrivate: Bool) {
    guard var new = facts, let stored else { return }
    let now = WallClock.seconds
    let base = baseBeside(answering)
    guard
      !(0...60).contains(now - new.checked) || freshFor != new.freshFor || base != new.address
        || isPrivate != new.isPrivate
    else { return }
    new.checked = now
    new.freshFor = freshFor
    new.address = base
    // Who vouches for it now decides what it may name.
    new.isPrivate = isPrivate
    network.note(address, isPrivate: isPrivate)
    facts = new
    network.cache?.send(.revise(stored.content.entry, new))
  }

  private func take(_ bytes: [UInt8], at offset: UInt64, _ fetch: FetchNumber) {
    network.count(Saving(fetched: UInt64(bytes.count)))
    guard agrees(bytes, at: offset) else { return changed(itHasChanged) }
    let range = offset..<offset + UInt64(bytes.count)
    flights[fetch]?.position = range.upperBound
    if mode == .loose, flights[fetch]?.isKept == false { return take(loose: bytes, at: offset) }
    let holes = stored?.extents.holes(in: range) ?? [range]
    for hole in holes {
      let part =
        hole == range
        ? bytes : Array(bytes[Int(hole.lowerBound - offset)..<Int(hole.upperBound - offset)])
      for start in writeBuffer.append(part, at: hole.lowerBound) { store(start) }
      held.insert(hole)
      if hole.upperBound < range.upperBound { completePiece(at: hole.upperBound) }
    }
    if storing == .off {
      writeBuffer.trim(to: Content.mostInMemory)
      holdAnew()
    }
  }

  func completePiece(at end: UInt64) {
    if let start = writeBuffer.complete(at: end) { store(start) }
  }

  func land(_ fetch: FetchNumber) -> InFlightFetch? {
    guard let flight = flights.removeValue(forKey: fetch) else { return nil }
    if mode == .loose, !flight.isKept {
      _ = loose.complete(at: flight.position)
    } else {
      completePiece(at: flight.position)
    }
    if let claim = flight.claim, let stored {
      // Others may have it when the index knows of its bytes.
      releases.append(claim)
      network.cache?.send(.flush(number, stored.content.entry))
    }
    return flight
  }

  private func ended(_ ending: FetchEnding, _ fetch: FetchNumber) {
    guard let flight = land(fetch) else { return }
    if flight.isWhole { closeFormer() }
    switch ending {
    case .notModified(let storing, let answering, let isPrivate):
      phase = .ready
      facts?.checked = 0
      noteChecked(
        freshFor: storing.freshFor ?? facts?.freshFor, from: answering, isPrivate: isPrivate)
    case .complete(let total):
      if facts == nil {
        facts = ContentFacts(length: total ?? flight.position, checked: WallClock.seconds)
        stopStoring()
      }
      if flight.isCheck { phase = .ready }
      if flight.isKept { letGoOfWhole() }
      guard facts?.length == nil, flight.isWhole || flight.position < flight.range.upperBound
      else { return }
      facts?.length = total ?? flight.position
      // An end that only the connection told of is not stored as one.
      guard total != nil, let facts else { return }
      hasLateLength = true
      if let stored { network.cache?.send(.revise(stored.content.entry, facts)) }
    }
  }

  private func failed(_ error: FetchError, _ fetch: FetchNumber) {
    guard let flight = land(fetch) else { return }
    switch error.kind {
    case _ where flight.isKept && error.kind != .changed: stopKeeping()
    case .cancelled: return
    case .changed: changed(error)
    case .unreachable where flight.isCheck && !held.isEmpty:
      // Played as it was while its server is out of reach.
      phase = .ready
      network.sayOnce("plays as it was here: " + error.words, of: address)
    case .unreachable:
      restoreFormer()
      fail(error)
    // What cannot be had as a whole either is not what it was.
    default: former == nil ? fail(error) : changed(itHasChanged)
    }
  }

  var itHasChanged: FetchError {
    FetchError(kind: .changed, words: "it has changed on \(address.visibleHost)")
  }

  func changed(_ error: FetchError) {
    if hasServed {
      if compareWithWhole() { return }
      restoreFormer()
      // Its readers keep what is stored of the old bytes.
      if let stored { network.cache?.send(.supersede(stored.content.entry)) }
      network.outdated(self)
      stopStoring()
      return fail(error)
    }
    renewals += 1
    restoreFormer()
    // A server that never says the same twice does not get asked for ever.
    guard renewals <= 3 else { return fail(error) }
    wantsWhole = renewals >= 2
    forgetStored()
    for fetch in flights.keys { network.loader?.cancel(fetch) }
    flights = [:]
    facts = nil
    writeBuffer = WriteBuffer()
    loose = WriteBuffer()
    storing = .undecided
    (mayKeep, whyNotKept) = (false, nil)
    holdAnew()
  }
}
