import System

// What is fetched for a content, and when.
extension Content {
  private static let mostFlights = 4
  private static let patienceWithChecks = 2_500

  private var mostWindow: UInt64 {
    if mode == .loose { return 1 << 20 }
    return switch storing {
    // Another process may be at the same: little is fetched before its claims can be seen.
    case .undecided, .asked: ReadAhead.grain
    case .on: urgency == .playing ? 16 << 20 : 1 << 20
    case .off: 1 << 20
    }
  }

  /// What is held or will come.
  private var taken: Extents {
    var taken = held
    for flight in flights.values { taken.insert(reach(of: flight)) }
    for claim in unconfirmed { taken.insert(claim.range) }
    return taken
  }

  func plan() {
    switch phase {
    case .looking: return
    case _ where urgency == .held: return
    case .checking:
      if flights.isEmpty, !reads.isEmpty { check() }
      return
    case .ready: break
    }
    for index in reads.indices {
      let wanted = reads[index].range(length: facts?.length)
      guard facts == nil || !held.contains(wanted) else { continue }
      reads[index].isMiss = true
      if wantsWhole || (mode == .whole && facts != nil) {
        if !flights.values.contains(where: { $0.isWhole }) { fetchWhole() }
        continue
      }
      if mode == .loose { keepWhole() }
      // The first answer tells the length and what kind of server it is. Until the cache has made
      // room, claims cannot be seen: one more fetch, for an index at the end, is all.
      guard facts != nil || flights.isEmpty, storing != .asked || started < 2 else { return }
      let position = held.end(from: wanted.lowerBound)
      if isLeftToWhole(position) { continue }
      breakOffWhatIsFar(from: position)
      let taken = taken
      guard !taken.contains(position..<position + 1), flights.count < Content.mostFlights else {
        continue
      }
      claim(
        ReadAhead.range(
          for: position, window: readAhead.window(most: mostWindow), taken: taken,
          length: facts?.length))
      // Another process is at it: the cache is asked again what there is.
      guard phase == .ready else { return }
    }
    planAhead()
  }

  /// A viewer who went on to another place does not wait until all before that has come; what is
  /// skipped is fetched when it is wanted.
  private func breakOffWhatIsFar(from position: UInt64) {
    guard mode == .joined else { return }
    for (fetch, flight) in flights
    where flight.rest.contains(position) && !flight.isWhole && !flight.isCheck && !flight.isLeft {
      guard position - flight.position > network.muchLeft else { continue }
      flights[fetch]?.isLeft = true
      network.loader?.cancel(fetch, unlessRemaining: 64 << 10)
    }
  }

  /// Fetches what a reader will come to, so that it does not wait between two windows.
  private func planAhead() {
    guard phase == .ready, refusal == nil, urgency == .playing, mode != .whole,
      storing != .asked, let length = facts?.length, flights.count < 2,
      unconfirmed.isEmpty, !readers.isEmpty
    else { return }
    // What is wanted later must not take the line from what is wanted now.
    let isNearlyOver = flights.values.allSatisfy {
      $0.rest.upperBound - $0.rest.lowerBound <= network.littleLeft
    }
    guard isNearlyOver else { return }
    let taken = taken
    guard let next = readAhead.nextRead else { return }
    let frontier = taken.end(from: next)
    guard !flights.values.contains(where: { isLed(by: $0, at: frontier) }) else { return }
    guard frontier < length, readAhead.wantsMore(frontier: frontier, most: mostWindow) else {
      return
    }
    if mode == .loose {
      keepWhole()
      if isLeftToWhole(frontier) { return }
    }
    claim(
      ReadAhead.range(
        for: frontier, window: readAhead.window(most: mostWindow), taken: taken, length: length))
  }

  /// Takes hold of a range against other processes, then fetches it.
  private func claim(_ range: Range<UInt64>) {
    guard storing == .on, mode != .loose, let stored else {
      if storing != .undecided || begins() { fetch(range, claim: nil) }
      return
    }
    let first = ReadAhead.firstBlock(of: range)
    // Others may be at the end of a large window while its beginning is free.
    for part in range == first ? [range] : [range, first] {
      guard (try? stored.content.blob.file.hold(part, .exclusive)) ?? true else { continue }
      waitsForOther = nil
      reread(milliseconds: 0)
      unconfirmed.append(Claim(range: part, reread: rereads))
      log("claims bytes \(Content.logged(part))")
      return
    }
    if let since = waitsForOther, .now - since > network.options.patienceWithOthers {
      // It stands still: a little fetched twice is better than nothing at all.
      fetch(first, claim: nil)
    } else {
      log("waits for another player, which fetches bytes \(Content.logged(first))")
      waitsForOther = waitsForOther ?? .now
      if rereadsPending == 0 { reread(milliseconds: 100) }
    }
  }

  /// Whether its first bytes may be fetched: not while another process is at that.
  private func begins() -> Bool {
    guard let creationLocks = network.creationLocks, !isBeginning else { return true }
    isBeginning = creationLocks.hold(key)
    let isLate = waitsForOther.map { .now - $0 > network.options.patienceWithOthers } ?? false
    if !isBeginning {
      guard !isLate else { return true }
      waitsForOther = waitsForOther ?? .now
    }
    // What the cache said before is older than the hold: another one may have ended just now.
    phase = .looking
    network.cache?.send(.open(number, key: key, milliseconds: isBeginning ? 0 : 50))
    return false
  }

  /// Lets others begin once there is an entry to share, or none will be made by what is under way.
  func settleBeginning() {
    switch storing {
    case .asked: break
    case .undecided where !flights.isEmpty || phase == .looking: break
    case .undecided, .on, .off: endBeginning()
    }
  }

  func endBeginning() {
    if isBeginning { network.creationLocks?.release(key) }
    isBeginning = false
  }

  private func reread(milliseconds: Int) {
    guard let stored else { return }
    rereads += 1
    rereadsPending += 1
    network.cache?.send(
      .reread(number, stored.content.entry, number: rereads, milliseconds: milliseconds))
  }

  /// The index was read again: what others have stored meanwhile is not fetched.
  func confirm(_ segments: [Segment]?, reread number: UInt64) {
    if phase == .checking { phase = .ready }
    guard let segments else {
      // Held by a process that is slow: to fetch now would be to fetch twice.
      let since = waitsForOther ?? .now
      if .now - since < network.options.patienceWithOthers {
        waitsForOther = since
        for index in unconfirmed.indices { unconfirmed[index].reread = rereads + 1 }
        return reread(milliseconds: 100)
      }
      for index in unconfirmed.indices {
        let range = unconfirmed[index].range
        let first = ReadAhead.firstBlock(of: range)
        if first != range { letGo(first.upperBound..<range.upperBound) }
        unconfirmed[index].range = first
      }
      return confirm([], reread: .max)
    }
    let before = held.count
    stored?.add(segments)
    holdAnew()
    if held.count > before { waitsForOther = nil }
    let ranges = unconfirmed.filter { $0.reread <= number }.map(\.range)
    unconfirmed.removeAll { $0.reread <= number }
    for range in ranges {
      guard let hole = held.holes(in: range).first, storing == .on else {
        letGo(range)
        if storing != .on { fetch(range, claim: nil) }
        continue
      }
      if hole.lowerBound > range.lowerBound { letGo(range.lowerBound..<hole.lowerBound) }
      if hole.upperBound < range.upperBound { letGo(hole.upperBound..<range.upperBound) }
      fetch(hole, claim: hole)
    }
  }

  private func fetch(_ range: Range<UInt64>, claim: Range<UInt64>?) {
    readAhead.fetched()
    var request = FetchRequest(address: address, start: range.lowerBound, end: range.upperBound)
    request.known = known
    let share = Content.mostUnwritten / UInt64(Content.mostFlights)
    start(request, InFlightFetch(range, claim: claim, allowed: range.lowerBound + share))
  }

  func fetchWhole(isKept: Bool = false) {
    var request = FetchRequest(address: address, start: 0, end: nil)
    if wantsWhole { keepForComparison() }
    request.known = !wantsWhole && facts?.validator.joinsParts == true ? known : nil
    request.asWhole = true
    // What would go on is another answer, of no use for the disk.
    if isKept { request.retries = 0 }
    var flight = InFlightFetch(0..<(facts?.length ?? .max), allowed: Content.mostUnwritten)
    flight.isWhole = true
    flight.isKept = isKept
    start(request, flight)
  }

  /// Asks whether what is stored is still true.
  private func check() {
    let end = min(facts?.length ?? ReadAhead.grain, ReadAhead.grain)
    var request = FetchRequest(address: address, start: 0, end: max(1, end))
    request.known = known
    // Conditions on a list are not for "not modified" (RFC 9110, section 13.1.2).
    request.revalidates = facts?.validator != Validator() && !isListing
    if !request.revalidates { request.known = nil }
    // What is stored can be shown while the server is out of reach: no long waiting for it.
    request.retries = held.isEmpty ? FetchPlan.mostRetries : 1
    request.hasStored = !held.isEmpty
    var flight = InFlightFetch(0..<max(1, end), allowed: Content.mostUnwritten)
    flight.isCheck = true
    start(request, flight)
    // A server that is slow to say so does not keep the viewer waiting for what is here.
    if !held.isEmpty { reread(milliseconds: Content.patienceWithChecks) }
  }

  private func start(_ request: FetchRequest, _ flight: InFlightFetch) {
    guard let loader = network.openLoader else { return }
    var request = request
    request.isListing = isListing
    request.reachesPrivate = reachesPrivate
    request.isNamed = network.isNamed(address)
    request.isUrgent = isUrgent
    request.isAwaited = isWaiting
    var flight = flight
    flight.isUrgent = isUrgent
    flight.isAwaited = isWaiting
    started += 1
    let number = loader.fetch(request, allowed: flight.allowed)
    flights[number] = flight
    log(
      "\(flight.isCheck ? "checks" : "fetches") bytes \(Content.logged(flight.range)) by \(number)")
    network.owner(of: flights.keys, is: self)
  }

  private var known: RequestSpec.Known? {
    facts.map {
      RequestSpec.Known(length: $0.length, validator: $0.validator, loosely: mode == .loose)
    }
  }

  /// Tells the loader where what is under way has become more or less urgent.
  func updateUrgency() {
    for (fetch, flight) in flights
    where flight.isUrgent != isUrgent || flight.isAwaited != isWaiting {
      flights[fetch]?.isUrgent = isUrgent
      flights[fetch]?.isAwaited = isWaiting
      network.loader?.set(fetch, isUrgent: isUrgent, isAwaited: isWaiting)
    }
  }

  /// Lets servers send as far as memory and readers want it.
  func updateAllowances() {
    let wanted = max(
      readAhead.nextRead ?? 0, reads.map { $0.range(length: facts?.length).upperBound }.max() ?? 0)
    let unwritten = min(UInt64(writeBuffer.completeByteCount), Content.mostUnwritten)
    // With nothing unwritten each may bring at least what completes its piece.
    let share = (Content.mostUnwritten - unwritten) / UInt64(max(1, flights.count))
    let isHeld = urgency == .held
    for (fetch, flight) in flights where !(isHeld && flight.isWhole) {
      var until = flight.position + share
      if storing == .off { until = max(wanted, flight.range.lowerBound) + (4 << 20) }
      if mode == .loose {
        until = flight.isKept ? min(until, mostKept(of: flight)) : flight.position + (2 << 20)
      } else if flight.isWhole {
        until = min(until, wanted + Content.mostAtOnce)
      }
      guard until >= flight.allowed + ReadAhead.grain else { continue }
      flights[fetch]?.allowed = until
      network.loader?.allow(fetch, until: until)
    }
  }
}
