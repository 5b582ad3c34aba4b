import System

// What is fetched for a content, and when.
extension ContentState {
  private static let mostFlights = 4
  private static let patienceWithChecks = 2_500

  private var mostWindow: UInt64 {
    if mode == .loose { return 1 << 20 }
    return switch storing {
    // Another process may fetch the same: little is fetched before its claims can be seen.
    case .undecided, .asked: ReadAhead.grain
    case .on: urgency == .playing ? 16 << 20 : 1 << 20
    case .deferred, .off: 1 << 20
    }
  }

  /// Bytes that are held or will come.
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
    guard mayFetch, urgency != .held else { return }
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
      // The first answer shows the length and the kind of server. Until the cache has made an
      // entry, claims of other processes cannot be seen, so only one more fetch begins, for an
      // index at the end.
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
      // First it must be known whether another process is fetching it.
      if case .locking = phase { return }
    }
    planAhead()
  }

  /// A viewer who went on to another place does not wait until everything before it has come,
  /// unless another read waits for some of that. The skipped bytes are fetched when they are
  /// wanted.
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
    // Bytes for later must not take the line from bytes that are wanted now.
    let isNearlyOver = flights.values.allSatisfy {
      $0.rest.upperBound - $0.rest.lowerBound <= moment.littleLeft
    }
    guard isNearlyOver else { return }
    let taken = taken
    // A long read wants more than what is on its way.
    for read in reads where mode == .joined {
      let wanted = read.range(length: length)
      let position = taken.end(from: wanted.lowerBound)
      guard position < wanted.upperBound else { continue }
      return claim(
        ReadAhead.range(
          for: position, window: readAhead.window(most: mostWindow), taken: taken, length: length))
    }
    guard let next = readAhead.nextRead else { return }
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
    // Readers must not get other bytes than they have seen.
    if !isVouchedFor, !isKept, wantsWhole || hasBeenSeen { keepForComparison() }
    request.known = isVouchedFor ? known : nil
    request.asWhole = true
    // After a break another answer would follow, and that could not be stored.
    if isKept { request.retries = 0 }
    start(
      request,
      InFlightFetch(
        isKept ? .kept : .whole, 0..<(length ?? .max), allowed: ContentState.mostUnwritten))
  }

  /// Asks the server whether the stored bytes are still valid.
  private mutating func check(_ facts: ContentFacts) {
    let end = max(1, min(facts.length ?? ReadAhead.grain, ReadAhead.grain))
    var request = FetchRequest(address: setup.address, start: 0, end: end)
    // Conditions on a list do not mean "not modified" (RFC 9110, section 13.1.2).
    request.revalidates = facts.validator != Validator() && !setup.isListing
    request.known = request.revalidates ? known : nil
    // The stored bytes can be shown while the server is out of reach, so it is not waited for long.
    request.retries = held.isEmpty ? FetchPlan.mostRetries : 1
    request.hasStored = !held.isEmpty
    start(request, InFlightFetch(.check, 0..<end, allowed: ContentState.mostUnwritten))
    // A slow answer does not keep the viewer waiting for stored bytes.
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

  /// Tells the loader which fetches have become more or less urgent.
  mutating func updatePriorities() {
    let priority = priority
    for (number, flight) in flights where flight.priority != priority {
      flights[number]?.priority = priority
      actions.append(.urge(number, priority))
    }
  }

  /// Lets servers send as far as memory and readers allow.
  mutating func updateAllowances() {
    let wanted = max(
      readAhead.nextRead ?? 0, reads.map { $0.range(length: length).upperBound }.max() ?? 0)
    let unwritten = min(UInt64(memory.completeByteCount), ContentState.mostUnwritten)
    // With nothing unwritten, each fetch may at least complete its piece.
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
