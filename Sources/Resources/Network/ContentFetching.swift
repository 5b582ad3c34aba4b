import System

// What the answers of servers mean for a content.
extension ContentState {
  var hasChanged: FetchError {
    FetchError(kind: .changed, words: "it has changed on \(setup.address.visibleHost)")
  }

  mutating func fetched(_ event: FetchEvent, _ number: FlightNumber, agrees: Bool) {
    guard flights[number] != nil else { return }
    switch event {
    case .head(let head): take(head, number)
    case .bytes(let offset, let bytes): take(bytes, at: offset, number, agrees: agrees)
    case .ended(let ending): ended(ending, number)
    case .failed(let error): failed(error, number)
    }
  }

  // MARK: - Heads

  private mutating func take(_ head: FetchHead, _ number: FlightNumber) {
    guard var flight = flights[number] else { return }
    var isCheck = flight.isCheck
    flight.heads += 1
    if refusal?.isFinal == false { refusal = nil }
    if head.accepted.ignoresRange, !flight.isKept { flight.purpose = .whole }
    if flight.isWhole {
      flight.range = 0..<(head.accepted.total ?? .max)
      if flight.heads == 1 { flight.position = 0 }
    }
    flights[number] = flight
    if isCheck, isSame(head) {
      // A server that ignores conditions sends the same bytes again.
      isCheck = false
      if flight.isCheck { flights[number]?.purpose = .part }
      endCheck()
      change { $0.checked = 0 }
      if isWhole {
        noteChecked(head)
        flights[number] = nil
        return actions.append(.cancel(number, unlessRemaining: 64 << 10))
      }
    }
    if flight.isKept { return takeKept(head, number) }
    if former != nil, flight.isWhole, flight.heads == 1 {
      return agreesInLength(head) ? begin(head, number) : changed(hasChanged)
    }
    guard facts != nil, !isCheck else {
      guard hasBeenSeen else { return begin(head, number) }
      // The answer came too late: readers have seen other bytes, and the two are not mixed.
      abandon(number)
      return changed(hasChanged)
    }
    if mode == .whole, wantsWhole || !head.validator.joinsParts {
      // The whole content comes again. It is not mixed with the bytes of a former answer.
      if flight.heads == 1 { return begin(head, number) }
      // Nothing vouches for a whole that was made of two answers.
      forgetStored()
      return stopStoring()
    }
    if head.accepted.ignoresRange {
      if mode == .loose { endLoosely(number) }
      // This answer brings the bytes of the claims.
      releaseClaims()
      return become(.whole)
    }
    noteChecked(head)
  }

  private mutating func noteChecked(_ head: FetchHead) {
    noteChecked(freshFor: head.storing.freshFor, from: head.address, isPrivate: head.isPrivate)
  }

  /// Whether an answer is of the known bytes. If all of them are stored from one answer, a weak
  /// validator suffices (RFC 9110, section 13.1.2).
  private func isSame(_ head: FetchHead) -> Bool {
    guard let facts, head.accepted.total == facts.length else { return false }
    return facts.validator.joins(head.validator)
      || (isWhole && facts.validator.isWeaklySame(as: head.validator))
  }

  /// New bytes: the first answer for this address, or another one than the stored bytes.
  private mutating func begin(_ head: FetchHead, _ number: FlightNumber) {
    // Fetches under way are for the former bytes.
    for other in flights.keys where other != number { abandon(other) }
    forgetStored()
    memory = WriteBuffer()
    loose = WriteBuffer()
    holdAnew()
    actions.append(.noteOrigin(isPrivate: head.isPrivate))
    let mode = mode(by: head, isWhole: flights[number]?.isWhole == true)
    phase = .known(facts(by: head), mode)
    if mode == .whole, flights[number]?.isWhole == false, !isAll(head) {
      // It needs a second answer, and is stored when that comes.
      abandon(number)
    } else if flights[number]?.isWhole == true || isAll(head) {
      flights[number]?.purpose = .whole
      flights[number]?.range = 0..<(head.accepted.total ?? .max)
    } else {
      flights[number]?.purpose = .part
    }
    if head.storing.isForbidden { return stopStoring("its server forbids that (no-store)") }
    if !setup.hasCache { return stopStoring("there is no cache") }
    if mode == .loose { return beginLoosely() }
    if flights[number] != nil { askForEntry() }
  }

  private func facts(by head: FetchHead) -> ContentFacts {
    ContentFacts(
      length: head.accepted.total, type: head.type, validator: head.validator,
      checked: moment.seconds, freshFor: head.storing.freshFor, isPrivate: head.isPrivate,
      address: baseBeside(head.address), charset: head.charset)
  }

  /// Whether the answer to a range is the whole content.
  private func isAll(_ head: FetchHead) -> Bool {
    head.accepted.start == 0 && head.accepted.end == head.accepted.total
  }

  private func mode(by head: FetchHead, isWhole: Bool) -> Mode {
    let total = head.accepted.total
    if isWhole || isAll(head) {
      // If ranges work and parts can be joined, the next fetch need not bring everything again.
      let canJoin = head.validator.joinsParts && !head.accepted.ignoresRange && !wantsWhole
      return isAll(head) && total != nil && canJoin ? .joined : .whole
    }
    if head.validator.joinsParts { return .joined }
    return total.map { $0 <= ContentState.mostAtOnce } ?? false ? .whole : .loose
  }

  // MARK: - Bytes

  private mutating func take(
    _ bytes: [UInt8], at offset: UInt64, _ number: FlightNumber, agrees: Bool
  ) {
    actions.append(.count(Saving(fetched: UInt64(bytes.count))))
    guard agrees else { return changed(hasChanged) }
    flights[number]?.position = offset + UInt64(bytes.count)
    if mode == .loose, flights[number]?.isKept == false {
      takeLoose(bytes, at: offset)
    } else {
      keep(bytes, at: offset)
    }
  }

  /// A fetch has ended.
  mutating func land(_ number: FlightNumber) -> InFlightFetch? {
    guard let flight = flights.removeValue(forKey: number) else { return nil }
    if mode == .loose, !flight.isKept {
      _ = loose.complete(at: flight.position)
    } else {
      completePiece(at: flight.position)
    }
    if let claim = flight.claim { releaseWhenFlushed(claim) }
    return flight
  }

  // MARK: - Ends

  private mutating func ended(_ ending: FetchEnding, _ number: FlightNumber) {
    guard let flight = land(number) else { return }
    if flight.isWhole { closeFormer() }
    endCheck()
    switch ending {
    case .notModified(let storing, let answering, let isPrivate):
      change { $0.checked = 0 }
      noteChecked(
        freshFor: storing.freshFor ?? facts?.freshFor, from: answering, isPrivate: isPrivate)
    case .complete(let total):
      if facts == nil {
        let facts = ContentFacts(length: total ?? flight.position, checked: moment.seconds)
        phase = .known(facts, .joined)
        stopStoring()
      }
      if flight.isKept { releaseWhenFlushed(Blob.bytes) }
      guard length == nil, flight.isWhole || flight.position < flight.range.upperBound
      else { return }
      change { $0.length = total ?? flight.position }
      // An end that only the connection showed is not stored as one.
      guard total != nil, let facts else { return }
      switch storing {
      case .asked: storing = .asked(hasLateLength: true)
      case .on(let entry), .off(let entry?): actions.append(.revise(entry.number, facts))
      case .undecided, .deferred, .off(nil): break
      }
    }
  }

  private mutating func failed(_ error: FetchError, _ number: FlightNumber) {
    guard let flight = land(number) else { return }
    switch error.kind {
    case _ where flight.isKept && error.kind != .changed: stopKeeping()
    case .cancelled: return
    case .changed: changed(error)
    case .unreachable where flight.isCheck && !held.isEmpty:
      // While the server is out of reach, the stored bytes are played as they are.
      endCheck()
      actions.append(.sayOnce("plays as it was here: " + error.words))
    case .unreachable:
      restoreFormer()
      refuse(error)
    // If the whole content cannot be fetched either, it has changed.
    default: former == nil ? refuse(error) : changed(hasChanged)
    }
  }

  /// The server has other bytes now.
  mutating func changed(_ error: FetchError) {
    if hasBeenSeen {
      if compareWithWhole() { return }
      restoreFormer()
      // Its readers keep the stored old bytes.
      if let entry { actions.append(.supersede(entry.number)) }
      actions.append(.outdate)
      stopStoring()
      return refuse(error)
    }
    renewals += 1
    restoreFormer()
    // A server that answers differently each time is not asked forever.
    guard renewals <= 3 else { return refuse(error) }
    wantsWhole = renewals >= 2
    for number in flights.keys { abandon(number) }
    forgetStored()
    phase = .unknown
    storing = .undecided
    whyNotKept = nil
    memory = WriteBuffer()
    loose = WriteBuffer()
    holdAnew()
  }
}
