import System

// Ranges that are claimed against other processes, so that each byte is fetched once.
extension ContentState {
  /// Whether another process has been waited for long enough.
  private var isOutOfPatience: Bool {
    waitsForOther.map { moment.now - $0 > setup.patienceWithOthers } ?? false
  }

  /// Claims a range against other processes, then fetches it.
  mutating func claim(_ range: Range<UInt64>) {
    switch storing {
    case .on(let entry) where mode != .loose:
      claims.append(Claim(range: range))
      // Other processes may be at the end of a large window while its beginning is free.
      actions.append(.claim(entry.number, range, orElse: ReadAhead.firstBlock(of: range)))
    case .undecided where creationLock == .free:
      phase = .locking(range)
      actions.append(.lockCreation)
    case .undecided, .deferred, .asked, .on, .off: fetch(range, claim: nil)
    }
  }

  mutating func claimed(_ part: Range<UInt64>?, of range: Range<UInt64>) {
    guard let index = claims.firstIndex(where: { $0.range == range && $0.reread == nil }) else {
      return
    }
    if let part {
      waitsForOther = nil
      rereadIndex(milliseconds: 0)
      claims[index] = Claim(range: part, reread: rereads)
      actions.append(.log(.claims(part)))
      // Another read may want the rest.
      if part != range { plan() }
      return
    }
    claims.remove(at: index)
    let first = ReadAhead.firstBlock(of: range)
    if isOutOfPatience {
      // The other process makes no progress: fetching a little twice is better than waiting
      // forever.
      return fetch(first, claim: nil)
    }
    actions.append(.log(.waits(first)))
    waitsForOther = waitsForOther ?? moment.now
    if rereadsPending == 0 { rereadIndex(milliseconds: 100) }
  }

  mutating func rereadIndex(milliseconds: Int) {
    guard let entry else { return }
    rereads += 1
    rereadsPending += 1
    actions.append(.reread(entry.number, number: rereads, milliseconds: milliseconds))
  }

  /// The index was read again. Bytes that other processes have stored since are not fetched.
  mutating func reread(_ number: EntryNumber, _ extents: Extents?, number reread: UInt64) {
    rereadsPending -= 1
    guard number == entry?.number else { return }
    endCheck()
    if let extents {
      let before = held.count
      setExtents(extents)
      if held.count > before { waitsForOther = nil }
      return fetchClaims(upTo: reread)
    }
    // A slow process holds the index. Fetching now could mean fetching twice.
    waitsForOther = waitsForOther ?? moment.now
    if !isOutOfPatience {
      rereadIndex(milliseconds: 100)
      for index in claims.indices { claims[index].reread = rereads }
      return
    }
    for index in claims.indices {
      let range = claims[index].range
      let first = ReadAhead.firstBlock(of: range)
      if first != range { release(first.upperBound..<range.upperBound) }
      claims[index].range = first
    }
    fetchClaims(upTo: .max)
  }

  /// Fetches the missing bytes of the claims that a reread of the index confirms.
  private mutating func fetchClaims(upTo reread: UInt64) {
    let ranges = claims.filter { $0.reread.map { $0 <= reread } ?? false }.map(\.range)
    claims.removeAll { $0.reread.map { $0 <= reread } ?? false }
    for range in ranges {
      guard let hole = held.holes(in: range).first else {
        release(range)
        continue
      }
      guard case .on = storing else {
        release(range)
        fetch(hole, claim: nil)
        continue
      }
      if hole.lowerBound > range.lowerBound { release(range.lowerBound..<hole.lowerBound) }
      if hole.upperBound < range.upperBound { release(hole.upperBound..<range.upperBound) }
      fetch(hole, claim: hole)
    }
  }

  // MARK: - Letting go

  mutating func release(_ range: Range<UInt64>) {
    if let entry { actions.append(.release(entry.number, range)) }
  }

  mutating func releaseClaims() {
    for claim in claims where claim.reread != nil { release(claim.range) }
    claims = []
  }

  /// Releases a range when its bytes are in the index.
  mutating func releaseWhenFlushed(_ range: Range<UInt64>) {
    guard let entry else { return }
    releases.append(range)
    actions.append(.flush(entry.number))
  }

  mutating func flushed(_ number: EntryNumber) {
    // Claims on a former entry were released with it.
    guard number == entry?.number, !releases.isEmpty else { return }
    release(releases.removeFirst())
  }

  // MARK: - The right to make an entry

  mutating func lockedCreation(_ isHeld: Bool) {
    guard case .locking(let range) = phase else { return }
    if isHeld {
      creationLock = .held
    } else if isOutOfPatience {
      phase = .unknown
      return fetch(range, claim: nil)
    } else {
      waitsForOther = waitsForOther ?? moment.now
    }
    // The cache's last answer is older than the lock: another process may have finished just now.
    phase = .looking
    actions.append(.open(milliseconds: isHeld ? 0 : 50))
  }

  /// Releases the lock when there is an entry to share, or when no fetch under way will make one.
  mutating func settleCreation() {
    switch (storing, phase) {
    case (.asked, _), (.undecided, .looking), (.undecided, .locking): break
    case (.undecided, _) where !flights.isEmpty: break
    case (.undecided, _), (.deferred, _), (.on, _), (.off, _): unlockCreation()
    }
  }

  mutating func unlockCreation() {
    guard creationLock == .held else { return }
    creationLock = .free
    actions.append(.unlockCreation)
  }
}
