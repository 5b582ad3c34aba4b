import System

// What is fetched for a content, and when.
extension ContentState {
  private static let mostFlights = 4
  private static let patienceWithChecks = 2_500

  private var mostWindow: UInt64 {
    if mode == .loose { return 1 << 20 }
    return switch storing {
    // Another process may be at the same: little is fetched before its claims can be seen.
    case .undecided, .asked: ReadAhead.grain
    case .on: urgency == .playing ? 16 << 20 : 1 << 20
    case .deferred, .off: 1 << 20
    }
  }

  /// What is held or will come.
  private var taken: Extents {
    var taken = held
    for flight in flights.values { taken.insert(reach(of: flight)) }
    for claim in claims { taken.insert(claim.range) }
    return taken
  }

  /// The first byte that a read lacks.
  func missing(_ read: PendingRead) -> UInt64 {
    held.end(from: read.range(length: length).lowerBound)
  }

  private var isAskingForEntry: Bool { if case .asked = storing { true } else { false } }

  mutating func plan() {
    guard urgency != .held else { return }
    switch phase {
    case .looking, .locking: return
    case .checking(let facts, _):
      if flights.isEmpty, !reads.isEmpty { check(facts) }
      return
    case .unknown, .known: break
    }
    for index in reads.indices {
      let wanted = reads[index].range(length: length)
      guard facts == nil || !held.contains(wanted) else { continue }
      reads[index].isMiss = true
      if wantsWhole || mode == .whole {
        if !flights.values.contains(where: { $0.isWhole }) { fetchWhole() }
        continue
      }
      if mode == .loose { keepWhole() }
      // The first answer tells the length and what kind of server it is. Until the cache has made
      // room, claims cannot be seen: one more fetch, for an index at the end, is all.
      guard facts != nil || flights.isEmpty, !isAskingForEntry || started < 2 else { return }
      let position = missing(reads[index])
      if isLeftToWhole(position) { continue }
      breakOffWhatIsFar(from: position)
      let taken = taken
      guard !taken.contains(position..<position + 1), flights.count < ContentState.mostFlights
      else { continue }
      claim(
        ReadAhead.range(
          for: position, window: readAhead.window(most: mostWindow), taken: taken, length: length))
      // Other processes are asked first whether they are at it.
      if case .locking = phase { return }
    }
    planAhead()
  }

  /// A viewer who went on to another place does not wait until all before that has come, unless
  /// another read waits for some of it; what is skipped is fetched when it is wanted.
  private mutating func breakOffWhatIsFar(from position: UInt64) {
    guard mode == .joined else { return }
    for (number, flight) in flights
    where flight.rest.contains(position) && flight.purpose == .part && !flight.isLeft {
      guard position - flight.position > moment.muchLeft,
        !reads.contains(where: { (flight.position..<position).contains(missing($0)) })
      else { continue }
      flights[number]?.isLeft = true
      actions.append(.cancel(number, unlessRemaining: 64 << 10))
    }
  }

  /// Fetches what a reader will come to, so that it does not wait between two windows.
  private mutating func planAhead() {
    guard refusal == nil, urgency == .playing, mode != .whole, !isAskingForEntry, let length,
      flights.count < 2, claims.isEmpty, !readers.isEmpty
    else { return }
    // What is wanted later must not take the line from what is wanted now.
    let isNearlyOver = flights.values.allSatisfy {
      $0.rest.upperBound - $0.rest.lowerBound <= moment.littleLeft
    }
    guard isNearlyOver, let next = readAhead.nextRead else { return }
    let taken = taken
    let frontier = taken.end(from: next)
    guard !flights.values.contains(where: { isLed(by: $0, at: frontier) }), frontier < length,
      readAhead.wantsMore(frontier: frontier, most: mostWindow)
    else { return }
    if mode == .loose {
      keepWhole()
      if isLeftToWhole(frontier) { return }
    }
    claim(
      ReadAhead.range(
        for: frontier, window: readAhead.window(most: mostWindow), taken: taken, length: length))
  }

  // MARK: - Fetches

  mutating func fetch(_ range: Range<UInt64>, claim: Range<UInt64>?) {
    readAhead.fetched()
    var request = FetchRequest(
      address: setup.address, start: range.lowerBound, end: range.upperBound)
    request.known = known
    let share = ContentState.mostUnwritten / UInt64(ContentState.mostFlights)
    start(
      request, InFlightFetch(.part, range, claim: claim, allowed: range.lowerBound + share))
  }

  mutating func fetchWhole(isKept: Bool = false) {
    var request = FetchRequest(address: setup.address, start: 0, end: nil)
    let isVouchedFor = !wantsWhole && facts?.validator.joinsParts == true
    // What comes anew must be what readers have seen.
    if !isVouchedFor, !isKept, wantsWhole || hasBeenSeen { keepForComparison() }
    request.known = isVouchedFor ? known : nil
    request.asWhole = true
    // What would go on is another answer, of no use for the disk.
    if isKept { request.retries = 0 }
    start(
      request,
      InFlightFetch(
        isKept ? .kept : .whole, 0..<(length ?? .max), allowed: ContentState.mostUnwritten))
  }

  /// Asks whether what is stored is still true.
  private mutating func check(_ facts: ContentFacts) {
    let end = max(1, min(facts.length ?? ReadAhead.grain, ReadAhead.grain))
    var request = FetchRequest(address: setup.address, start: 0, end: end)
    // Conditions on a list are not for "not modified" (RFC 9110, section 13.1.2).
    request.revalidates = facts.validator != Validator() && !setup.isListing
    request.known = request.revalidates ? known : nil
    // What is stored can be shown while the server is out of reach: no long waiting for it.
    request.retries = held.isEmpty ? FetchPlan.mostRetries : 1
    request.hasStored = !held.isEmpty
    start(request, InFlightFetch(.check, 0..<end, allowed: ContentState.mostUnwritten))
    // A server that is slow to say so does not keep the viewer waiting for what is here.
    if !held.isEmpty { rereadIndex(milliseconds: ContentState.patienceWithChecks) }
  }

  private mutating func start(_ request: FetchRequest, _ flight: InFlightFetch) {
    var (request, flight) = (request, flight)
    request.isListing = setup.isListing
    flight.priority = priority
    request.isUrgent = priority.isUrgent
    request.isAwaited = priority.isAwaited
    started += 1
    let number = FlightNumber(value: started)
    flights[number] = flight
    actions.append(
      .fetch(
        number, request, allowed: flight.allowed,
        reason: FetchReason(isCheck: flight.isCheck, range: flight.range)))
  }

  private var known: RequestSpec.Known? {
    facts.map {
      RequestSpec.Known(length: $0.length, validator: $0.validator, loosely: mode == .loose)
    }
  }

  /// Says where what is under way has become more or less urgent.
  mutating func updatePriorities() {
    let priority = priority
    for (number, flight) in flights where flight.priority != priority {
      flights[number]?.priority = priority
      actions.append(.urge(number, priority))
    }
  }

  /// Lets servers send as far as memory and readers want it.
  mutating func updateAllowances() {
    let wanted = max(
      readAhead.nextRead ?? 0, reads.map { $0.range(length: length).upperBound }.max() ?? 0)
    let unwritten = min(UInt64(memory.completeByteCount), ContentState.mostUnwritten)
    // With nothing unwritten each may bring at least what completes its piece.
    let share = (ContentState.mostUnwritten - unwritten) / UInt64(max(1, flights.count))
    let isHeld = urgency == .held
    for (number, flight) in flights where !(isHeld && flight.isWhole) {
      var until = flight.position + share
      switch storing {
      case .off, .deferred: until = max(wanted, flight.range.lowerBound) + (4 << 20)
      case .undecided, .asked, .on: break
      }
      if mode == .loose {
        until = flight.isKept ? min(until, mostKept(of: flight)) : flight.position + (2 << 20)
      } else if flight.isWhole {
        until = min(until, wanted + ContentState.mostAtOnce)
      }
      guard until >= flight.allowed + ReadAhead.grain else { continue }
      flights[number]?.allowed = until
      actions.append(.allow(number, until: until))
    }
  }
}
