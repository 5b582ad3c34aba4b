import Feeds
import Resources
import Stories
import System

/// Gets the animations that a feed's server, or a folder, offers as reactions, and forgets those that
/// it withdraws. On the player's loop; what the network brings is answered when it delivers.
package final class AnimationProvider {
  package typealias Answer = (Result<[UInt8], ResourceError>) -> Void

  package let endpoint: AnimationEndpoint
  private let network: Network
  /// What is offered, without what turned out to be missing; nil until that is known.
  package private(set) var catalogue: AnimationCatalogue?
  /// Why it is not known.
  package private(set) var problem: String?
  package private(set) var isLoading = false
  /// Changes with each new list: what was kept from an older one must be checked again.
  package private(set) var edition = 0
  /// Animations that the list names but that are not there, with the hash that it gave.
  private var missing: [String: String?] = [:]
  private var lastRefresh: Instant?
  private var refreshes = 0
  /// The addresses where the list may be, how many of them were asked, and why they have none.
  private var lists: [String] = []
  private var listsAsked = 0
  private var listAnswers: [Int: ResourceError] = [:]
  /// When the next of them is asked, though the one before has not answered.
  private var patienceDue: Instant?
  private var stored: StoredAnimations?
  private var lookDue: Instant?
  private var hasLooked = false
  private var awaiting: [() -> Void] = []
  /// Files by id, with the hash that the catalogue named then.
  private var kept: [String: (bytes: [UInt8], hash: String?)] = [:]
  private var keptBytes = 0

  private static let mostKept = 8 << 20
  /// Beyond this number they stay in the list without a picture, so that a bad list causes no flood of
  /// requests.
  private static let mostMissing = 256
  private static let longest = 8 << 20
  package static let patience = Duration.seconds(1)
  static let refreshTime = Duration.seconds(300)

  package init(endpoint: AnimationEndpoint, network: Network) {
    self.endpoint = endpoint
    self.network = network
  }

  /// When the list is asked for again; nil before it was first.
  var refreshDue: Instant? {
    isLoading ? nil : lastRefresh.map { $0 + AnimationProvider.refreshTime }
  }

  // MARK: - The catalogue

  /// As `refresh`; what was missing may be there again.
  package func refreshAnew(at now: Instant) {
    missing = [:]
    refresh(at: now)
  }

  /// Asks what is offered now. An answer to an earlier question does not count any more.
  package func refresh(at now: Instant) {
    lastRefresh = now
    refreshes += 1
    isLoading = true
    switch endpoint.place {
    case .file(let folder): finishRefresh(AnimationFolder(folder).catalogue())
    case .url:
      lists = AnimationID.catalogues(below: base)
      (listsAsked, listAnswers) = (0, [:])
      askNext(at: now)
    }
  }

  private var base: String {
    let text = endpoint.place.text
    return text.hasSuffix("/") ? String(text.dropLast()) : text
  }

  /// Asks the next place where the list may be. One that does not answer soon, or is tried again and
  /// again for its server's faults, does not hold up the next.
  private func askNext(at now: Instant) {
    guard listsAsked < lists.count else { return }
    let (place, refresh) = (listsAsked, refreshes)
    listsAsked += 1
    patienceDue = listsAsked < lists.count ? now + AnimationProvider.patience : nil
    network.load(lists[place], most: AnimationCatalogue.mostBytes, namedBy: endpoint.feed) {
      [weak self] result in
      guard let self, refresh == refreshes, isLoading else { return }
      take(result.flatMap(AnimationProvider.read), from: place)
    }
  }

  private static func read(_ bytes: [UInt8]) -> Result<AnimationCatalogue, ResourceError> {
    do throws(AnimationCatalogue.Failure) {
      return .success(try AnimationCatalogue(bytes))
    } catch {
      return .failure(ResourceError(error.reason))
    }
  }

  private func take(_ answer: Result<AnimationCatalogue, ResourceError>, from place: Int) {
    guard case .failure(let error) = answer else { return finishRefresh(answer) }
    listAnswers[place] = error
    guard listAnswers.count == listsAsked else { return }
    if listsAsked < lists.count { return askNext(at: .now) }
    // The reason of the likelier place counts, unless it is only that nothing is there.
    let failures = listAnswers.sorted { $0.key < $1.key }.map(\.value)
    finishRefresh(.failure(failures.first { !$0.isGone } ?? error))
  }

  /// Does what is due.
  package func tick(at now: Instant) {
    if let patienceDue, now >= patienceDue { askNext(at: now) }
    forgetEarlier()
    lookDue = stored == nil ? nil : now + .milliseconds(50)
  }

  /// Once in a run: later lists are compared with the ones before.
  private func lookIntoCache() {
    guard !hasLooked, case .url = endpoint.place, let directory = network.options.cacheDirectory
    else { return }
    hasLooked = true
    stored = try? StoredAnimations(directory: directory)
    lookDue = .now
  }

  /// Deletes what earlier runs have stored and what is not offered any more.
  private func forgetEarlier() {
    guard let catalogue, let addresses = stored?.withdrawn(below: base, offered: catalogue)
    else { return }
    stored = nil
    for address in addresses where address != endpoint.feed { network.discard(address) }
  }

  /// When `tick` has something to do.
  var tickDue: Instant? { [patienceDue, lookDue].compactMap { $0 }.min() }
  /// Whether what earlier runs have stored is still looked for.
  package var isLooking: Bool { stored != nil }

  private func finishRefresh(_ result: Result<AnimationCatalogue, ResourceError>) {
    isLoading = false
    patienceDue = nil
    switch result {
    case .success(let new):
      let withdrawn = catalogue?.entries.filter { new[$0.id] == nil }.map(\.id) ?? []
      problem = nil
      offer(new)
      for id in withdrawn { forget(id) }
      // Only the server knows whether an animation without a hash has changed.
      for (id, file) in kept where file.hash == nil || new[id]?.sha256 != file.hash { drop(id) }
      edition += 1
      lookIntoCache()
    case .failure(let error):
      // The earlier list stays if the server cannot be reached.
      problem = error.reason
    }
    let waiting = awaiting
    awaiting = []
    for resume in waiting { resume() }
  }

  /// What was missing is offered again only where its list names another file.
  private func offer(_ new: AnimationCatalogue) {
    missing = missing.filter { id, hash in new[id].map { $0.sha256 == hash } ?? false }
    var new = new
    for id in missing.keys { new.remove(id) }
    catalogue = new
  }

  // MARK: - One animation

  /// Gets one by its id. Asks for the catalogue first, so that nothing withdrawn is shown.
  package func fetch(_ id: String, at now: Instant, answer: @escaping Answer) {
    if lastRefresh == nil { refresh(at: now) }
    guard !isLoading else {
      return awaiting.append { [weak self] in self?.fetchKnown(id, answer) }
    }
    fetchKnown(id, answer)
  }

  private func fetchKnown(_ id: String, _ answer: @escaping Answer) {
    let entry = catalogue?[id]
    guard missing[id] == nil else {
      return answer(.failure(ResourceError("it is not there", isGone: true)))
    }
    if catalogue != nil, entry == nil {
      forget(id)
      return answer(.failure(ResourceError("it is not offered any more", isGone: true)))
    }
    if let file = kept[id] { return answer(.success(file.bytes)) }
    switch endpoint.place {
    case .file(let folder):
      check(AnimationFolder(folder).file(of: id), id, entry, answer)
    case .url:
      let addresses = AnimationID.addresses(of: id, below: base)
      guard !addresses.isEmpty else { return answer(.failure(ResourceError("it has no name"))) }
      load(addresses[...], wasGone: true) { [weak self] in self?.check($0, id, entry, answer) }
    }
  }

  private func load(_ addresses: ArraySlice<String>, wasGone: Bool, answer: @escaping Answer) {
    guard let address = addresses.first else { return }
    network.load(address, most: AnimationProvider.longest, namedBy: endpoint.feed) {
      [weak self] result in
      guard let self, case .failure(let error) = result else { return answer(result) }
      let isGone = wasGone && error.isGone
      guard addresses.count > 1 else {
        return answer(.failure(ResourceError(error.reason, isGone: isGone)))
      }
      load(addresses.dropFirst(), wasGone: isGone, answer: answer)
    }
  }

  private func check(
    _ result: Result<[UInt8], ResourceError>, _ id: String, _ entry: AnimationCatalogue.Entry?,
    _ answer: Answer
  ) {
    switch result {
    case .failure(let error):
      if error.isGone {
        forget(id)
        miss(id)
      }
      answer(result)
    case .success(let bytes):
      if let hash = entry?.sha256, hash != SHA256.hex(of: bytes) {
        return answer(.failure(ResourceError("it is not what its list describes")))
      }
      keep(bytes, id, hash: entry?.sha256)
      answer(result)
    }
  }

  // MARK: - What is kept

  private func keep(_ bytes: [UInt8], _ id: String, hash: String?) {
    drop(id)
    while keptBytes + bytes.count > AnimationProvider.mostKept, let other = kept.keys.first {
      drop(other)
    }
    kept[id] = (bytes, hash)
    keptBytes += bytes.count
  }

  private func drop(_ id: String) {
    if let file = kept.removeValue(forKey: id) { keptBytes -= file.bytes.count }
  }

  /// Whether its server said that it is not there, whatever the list says.
  func isMissing(_ id: String) -> Bool { missing[id] != nil }

  /// Other animations that are kept stay valid.
  private func miss(_ id: String) {
    guard let entry = catalogue?[id], missing.count < AnimationProvider.mostMissing else { return }
    missing.updateValue(entry.sha256, forKey: id)
    catalogue?.remove(id)
  }

  /// The animation was withdrawn: it is deleted here and in the cache.
  private func forget(_ id: String) {
    drop(id)
    guard case .url = endpoint.place else { return }
    for address in AnimationID.addresses(of: id, below: base) { network.discard(address) }
  }
}
