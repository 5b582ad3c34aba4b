import System

/// The bytes behind one web address, shared by all their readers. It carries out what its state
/// decides, with the cache, the loader and the readers. Used on the player's loop only.
final class Content {
  typealias Answer = (Result<[UInt8], ResourceError>) -> Void

  /// The stored bytes of an entry, and how many times the cache has opened it for this content.
  private struct Lent {
    var bytes: StoredBytes
    var count = 1
  }

  let number: ContentNumber
  let address: WebAddress
  /// The key of the bytes in the cache.
  let key: String
  /// The playlist or feed that names it, if any.
  let namedBy: WebAddress?
  /// Whether it may be fetched from a private network: an address that a public server named may
  /// not.
  private let reachesPrivate: Bool
  /// Whether the cache is used for it.
  private let isStored: Bool
  /// Is told if an entry is made for it.
  private let creator: CreatedEntries?
  private unowned let network: Network
  private(set) var state: ContentState
  private var lent: [EntryNumber: Lent] = [:]
  private var fetches: [FlightNumber: FetchNumber] = [:]
  private var answers: [ReadNumber: (reader: UInt64, answer: Answer)] = [:]
  private var lastRead: UInt64 = 0

  init(
    number: ContentNumber, address: WebAddress, isListing: Bool, isStored: Bool = true,
    namedBy: WebAddress?, freshSeconds: Int64, creator: CreatedEntries? = nil, network: Network
  ) {
    self.number = number
    self.isStored = isStored
    self.creator = creator
    self.namedBy = namedBy
    reachesPrivate = namedBy.map(network.isPrivate) ?? true
    self.address = address
    self.network = network
    key = Content.key(of: address, isListing: isListing, network.options)
    state = ContentState(
      ContentState.Setup(
        address: address, isListing: isListing, hasCache: isStored && network.cache != nil,
        freshSeconds: freshSeconds, began: network.began,
        patienceWithOthers: network.options.patienceWithOthers), at: network.moment)
    if isStored { network.cache?.send(.open(number, key: key, milliseconds: 0)) }
  }

  /// The key of an address's bytes in the cache. It depends on the account that asks for them.
  static func key(of address: WebAddress, isListing: Bool, _ options: NetworkOptions) -> String {
    let account = options.rules(for: address).compactMap(\.user).last
    return isListing
      ? "list " + address.identity(account: account)
      : options.profile(of: address).identity(of: address, account: account)
  }

  // MARK: - For readers

  /// - Parameter read: makes the read with the number that it is given.
  func read(_ read: (ReadNumber) -> PendingRead, answer: @escaping Answer) {
    lastRead += 1
    let read = read(ReadNumber(value: lastRead))
    answers[read.number] = (read.reader, answer)
    handle(.read(read))
    handle(.tick)
    network.deliverAnswers()
  }

  func cancel(_ reader: UInt64) { withdraw(reader, .cancel(reader)) }

  func leave(_ reader: UInt64) { withdraw(reader, .leave(reader)) }

  private func withdraw(_ reader: UInt64, _ event: ContentEvent) {
    let withdrawn = answers.filter { $0.value.reader == reader }
    for number in withdrawn.keys { answers[number] = nil }
    handle(event)
    // Releasing an answer may release the last reader, which calls `leave`.
    withExtendedLifetime(withdrawn) {}
  }

  func setUrgency(_ urgency: ResourceUrgency, of reader: UInt64) {
    handle(.setUrgency(urgency, reader))
    network.deliverAnswers()
  }

  /// The answer to a read, if it is still awaited. The caller gives it.
  func takeAnswer(to read: ReadNumber) -> Answer? { answers.removeValue(forKey: read)?.answer }

  /// Begins no fetches any more.
  func stopFetching() { handle(.stopFetching) }

  /// Ends the run. Waiting reads are not answered.
  func end() {
    let unanswered = answers
    answers = [:]
    handle(.end)
    withExtendedLifetime(unanswered) {}
  }

  // MARK: - Events

  func handle(_ event: ContentEvent) {
    var events = [event]
    while !events.isEmpty {
      for action in state.handle(events.removeFirst(), at: network.moment) {
        guard let answer = perform(action) else { continue }
        // What readers were given is noted before bytes that could not be read are fetched again.
        if case .unreadable = answer {
          events.append(answer)
        } else {
          let later = events.firstIndex { if case .unreadable = $0 { true } else { false } }
          events.insert(answer, at: later ?? events.endIndex)
        }
      }
    }
  }

  func take(_ event: CacheEvent) {
    switch event {
    case .opened(let content): handle(.opened(content.map(found)))
    case .created(let content): handle(.created(content.map(created)))
    case .written(let entry, let segment):
      lent[entry]?.bytes.addWritten(segment)
      handle(.written(entry, segment.range))
    case .refused(let entry): handle(.refused(entry))
    case .unsure(let entry):
      lent[entry]?.bytes.doubt()
      handle(.refused(entry))
    case .segments(let entry, let segments, let reread):
      if let segments { lent[entry]?.bytes.add(segments) }
      let extents = segments.map { _ in lent[entry]?.bytes.extents ?? Extents() }
      handle(.reread(entry, extents, number: reread))
    case .flushed(let entry): handle(.flushed(entry))
    }
  }

  private func found(_ content: StoredContent) -> FoundEntry {
    var found = FoundEntry(entry: lend(content), facts: content.facts)
    if !found.isUsable, found.isLong {
      found.isBeingMade = (try? content.blob.file.hold(Blob.bytes, .exclusive)) == false
    }
    return found
  }

  private func created(_ content: StoredContent) -> CreatedEntry {
    if content.isNew, creator?.created(key) == false { network.discard(key: key) }
    return CreatedEntry(
      entry: lend(content), isNew: content.isNew,
      held: state.claimable.filter { (try? content.blob.file.hold($0, .exclusive)) == true })
  }

  private func lend(_ content: StoredContent) -> StoredEntry {
    if lent[content.entry] != nil {
      lent[content.entry]?.count += 1
      lent[content.entry]?.bytes.add(content.segments)
    } else {
      lent[content.entry] = Lent(bytes: StoredBytes(content))
    }
    return StoredEntry(
      number: content.entry, extents: lent[content.entry]?.bytes.extents ?? Extents())
  }

  func take(_ event: FetchEvent, _ flight: FlightNumber) {
    var agrees = true
    switch event {
    case .head: break
    case .bytes(let offset, let bytes):
      // Bytes of abandoned fetches are compared with nothing.
      if state.flights[flight] != nil { agrees = agreesWithFormer(bytes, at: offset) }
    case .ended, .failed: fetches[flight] = nil
    }
    handle(.fetched(flight, event, agrees: agrees))
  }

  // MARK: - Actions

  /// - Returns: the result, if it is an event.
  private func perform(_ action: ContentAction) -> ContentEvent? {
    switch action {
    case .answer(let read, let range):
      guard let bytes = bytes(in: range) else {
        let entry = state.entry.flatMap { lent[$0.number] }
        return .unreadable(read, left: entry?.bytes.extents ?? Extents())
      }
      network.answer(self, read.number, .success(bytes))
      return .answered(read, bytes: bytes.count)
    case .fail(let read, let error): network.answer(self, read.number, .failure(error))
    case .lockCreation: return .lockedCreation(network.creationLocks?.hold(key) ?? true)
    case .unlockCreation: network.creationLocks?.release(key)
    case .claim(let entry, let range, let first):
      let file = lent[entry]?.bytes.content.blob.file
      let part = [range, first].first { (try? file?.hold($0, .exclusive)) ?? true }
      return .claimed(part, of: range)
    case .release(let entry, let range): lent[entry]?.bytes.content.blob.file.release(range)
    case .fetch(let flight, let request, let allowed, let reason):
      fetch(request, flight, allowed: allowed, reason)
    case .allow(let flight, let position):
      if let fetch = fetches[flight] { network.loader?.allow(fetch, until: position) }
    case .urge(let flight, let priority):
      if let fetch = fetches[flight] { network.loader?.set(fetch, priority) }
    case .cancel(let flight, let remaining):
      if let fetch = fetches[flight] { network.loader?.cancel(fetch, unlessRemaining: remaining) }
    case .open, .create, .write, .flush, .reread, .revise, .supersede, .close: send(action)
    case .count(let saving): network.count(saving)
    case .noteOrigin(let isPrivate):
      // A source that was public stays so, wherever a newer copy of it comes from.
      if isStored || !isPrivate { network.note(address, isPrivate: isPrivate) }
    case .sayOnce(let words): network.sayOnce(words, of: address)
    case .outdate: network.outdate(self)
    case .forget: network.forget(self)
    case .log(let note): log(note.words, note.level)
    }
    return nil
  }

  /// Sends the actions that are for the cache.
  private func send(_ action: ContentAction) {
    switch action {
    case .open(let milliseconds):
      network.cache?.send(.open(number, key: key, milliseconds: milliseconds))
    case .create(let facts):
      network.cache?.send(.create(number, key: key, source: address.visible, facts))
    case .write(let entry, let start, let bytes):
      network.cache?.send(.write(number, entry, at: start, bytes))
    case .flush(let entry): network.cache?.send(.flush(number, entry))
    case .reread(let entry, let reread, let milliseconds):
      network.cache?.send(.reread(number, entry, number: reread, milliseconds: milliseconds))
    case .revise(let entry, let facts): network.cache?.send(.revise(entry, facts))
    case .supersede(let entry): network.cache?.send(.supersede(entry))
    case .close(let entry):
      network.cache?.send(.close(entry))
      lent[entry]?.count -= 1
      if lent[entry]?.count == 0 { lent[entry] = nil }
    default: break
    }
  }

  private func fetch(
    _ request: FetchRequest, _ flight: FlightNumber, allowed: UInt64, _ reason: FetchReason
  ) {
    // While the network closes, fetches under way may end, and no new ones begin.
    guard let loader = network.openLoader else { return }
    var request = request
    request.reachesPrivate = reachesPrivate
    request.isNamed = network.isNamed(address)
    let fetch = loader.fetch(request, allowed: allowed)
    fetches[flight] = fetch
    network.own(fetch, number, flight)
    let verb = reason.isCheck ? "checks" : "fetches"
    log("\(verb) bytes \(ContentNote.logged(reason.range)) by \(fetch)", .debug)
  }

  /// Logs what the cache does with the content.
  private func log(_ words: @autoclosure () -> String, _ level: Log.Level) {
    network.options.log.note(.cache, level, "\(address.logged) \(words())")
  }

  // MARK: - Bytes

  /// The bytes of a held range; nil if stored ones turned out to be damaged.
  private func bytes(in range: Range<UInt64>) -> [UInt8]? {
    var bytes: [UInt8] = []
    var position = range.lowerBound
    while position < range.upperBound {
      let part =
        state.inMemory(from: position, upTo: range.upperBound)
        ?? stored(state.entry, from: position, upTo: range.upperBound)
      guard let part else { return nil }
      if bytes.isEmpty, part.count == range.count { return part.bytes }
      if bytes.isEmpty { bytes.reserveCapacity(range.count) }
      bytes += part.slice
      position += UInt64(part.count)
    }
    return bytes
  }

  private func stored(_ entry: StoredEntry?, from position: UInt64, upTo end: UInt64) -> Part? {
    guard let entry else { return nil }
    switch lent[entry.number]?.bytes.read(from: position, upTo: end) {
    case .bytes(let part): return part
    case .damaged(let segment):
      network.cache?.send(.drop(entry.number, segment))
      return nil
    case .hole, nil: return nil
    }
  }

  /// Whether bytes equal the former ones, where there are any to compare with.
  private func agreesWithFormer(_ bytes: [UInt8], at offset: UInt64) -> Bool {
    guard let held = state.former?.held, !held.isEmpty else { return true }
    let range = offset..<offset + UInt64(bytes.count)
    for known in held.ranges where known.overlaps(range) {
      let common = known.clamped(to: range)
      var position = common.lowerBound
      while position < common.upperBound {
        let part =
          state.former?.inMemory(from: position, upTo: common.upperBound)
          ?? stored(state.former?.entry, from: position, upTo: common.upperBound)
        // Former bytes that cannot be read any more are not compared.
        guard let part else { break }
        let first = Int(position - offset)
        guard part.slice.elementsEqual(bytes[first..<first + part.count]) else { return false }
        position += UInt64(part.count)
      }
    }
    return true
  }
}
