import System

/// The number of a read, never used twice for one content.
struct ReadNumber: Hashable { let value: UInt64 }

/// The number of a fetch within its content, never used twice.
struct FlightNumber: Hashable { let value: UInt64 }

/// A read that waits for its bytes.
struct PendingRead: Equatable {
  let number: ReadNumber
  let reader: UInt64
  let offset: UInt64
  let length: Int
  /// The bytes are only fetched for later: the answer is empty.
  var isOnlyFetch = false
  /// It may be answered with the first bytes, at least this many; nil if all are needed.
  var least: Int?
  /// Whether bytes had to be fetched for it.
  var isMiss = false

  /// The range that it wants, of a resource of this length.
  func range(length total: UInt64?) -> Range<UInt64> {
    // A damaged file may make a decoder ask for bytes past any end.
    let last = total ?? Verdict.mostLength
    let start = min(offset, last)
    return start..<min(start + UInt64(max(0, length)), last)
  }
}

/// An entry of the cache that is in use, and which of its bytes are stored.
struct StoredEntry: Equatable {
  let number: EntryNumber
  var extents: Extents
}

/// What happens to a content.
enum ContentEvent {
  // From readers.
  case join(UInt64)
  case leave(UInt64)
  case read(PendingRead)
  case cancel(UInt64)
  case setUrgency(ResourceUrgency, UInt64)
  /// It is opened again, so a refused request is tried again.
  case reopen
  /// The network closes: no fetch begins any more.
  case stopFetching

  // From the cache.
  /// The stored entry; nil if there is none.
  case opened(FoundEntry?)
  /// The new entry; nil if nothing can be stored.
  case created(CreatedEntry?)
  /// A segment was written to an entry.
  case written(EntryNumber, Range<UInt64>)
  /// An entry takes no more bytes, or the last ones may not be on the disk.
  case refused(EntryNumber)
  /// The bytes of an entry that the index has; nil if it could not be read.
  case reread(EntryNumber, Extents?, number: UInt64)
  case flushed(EntryNumber)

  // From fetches. `agrees` is false if bytes differ from former ones that they are compared with.
  case fetched(FlightNumber, FetchEvent, agrees: Bool)

  // Answers to actions. They come before any other event.
  /// The claimed range, of those that were asked for; nil if other processes hold them.
  case claimed(Range<UInt64>?, of: Range<UInt64>)
  case lockedCreation(Bool)
  /// A reader was given this many bytes.
  case answered(PendingRead, bytes: Int)
  /// Stored bytes were damaged; these are left of the entry.
  case unreadable(PendingRead, left: Extents)

  /// All events of this moment were handled: reads are answered, and missing bytes are fetched.
  case tick
  /// The end of the run.
  case end
}

/// The entry that the cache has of a content.
struct FoundEntry {
  var entry: StoredEntry
  var facts: ContentFacts
  /// Whether another process is fetching all of it.
  var isBeingMade = false

  /// Whether every byte is stored.
  var isWhole: Bool { facts.length.map { entry.extents.contains(0..<$0) } ?? false }
  /// Whether missing bytes can be joined to it.
  var isUsable: Bool { isWhole || facts.validator.joinsParts }
  var isLong: Bool { facts.length.map { $0 > ContentState.mostAtOnce } ?? false }
}

/// An entry that the cache has made, or has found when it was about to make one.
struct CreatedEntry {
  var entry: StoredEntry
  /// Whether it was made just now: then all of its bytes are locked against other processes.
  var isNew: Bool
  /// The ranges of `ContentState.claimable` that are locked for this process.
  var held: [Range<UInt64>]
}

/// What a content wants done. Actions are carried out in order, after `handle` has returned.
enum ContentAction: Equatable {
  // For readers. Answers are delivered after the actions of all contents.
  /// Answers a read with this range, which is stored or in memory. The result is an event.
  case answer(PendingRead, Range<UInt64>)
  case fail(PendingRead, ResourceError)

  // For the cache.
  /// Asks which bytes are stored, after a delay if another process is at work.
  case open(milliseconds: Int)
  case create(ContentFacts)
  case write(EntryNumber, at: UInt64, [UInt8])
  case flush(EntryNumber)
  case reread(EntryNumber, number: UInt64, milliseconds: Int)
  case revise(EntryNumber, ContentFacts)
  case supersede(EntryNumber)
  case close(EntryNumber)

  // Against other processes.
  /// Locks the making of the entry; the answer is `lockedCreation`.
  case lockCreation
  case unlockCreation
  /// Claims the first range, or the second if that fails; the answer is `claimed`.
  case claim(EntryNumber, Range<UInt64>, orElse: Range<UInt64>)
  case release(EntryNumber, Range<UInt64>)

  // For the loader.
  case fetch(FlightNumber, FetchRequest, allowed: UInt64, reason: FetchReason)
  case allow(FlightNumber, until: UInt64)
  case urge(FlightNumber, FetchPriority)
  case cancel(FlightNumber, unlessRemaining: UInt64)

  // For the network.
  case count(Saving)
  case noteOrigin(isPrivate: Bool)
  /// A message for the viewer, shown once for each server.
  case sayOnce(String)
  /// Whoever opens the address from now on gets another content.
  case outdate
  /// It has no readers, and no event will come any more.
  case forget
  case log(ContentNote)
}

/// Why bytes are fetched, for the log.
struct FetchReason: Equatable {
  var isCheck: Bool
  var range: Range<UInt64>
}

/// The log lines of a content.
enum ContentNote: Equatable {
  case nothingStored
  case stored(bytes: UInt64, length: UInt64?, isChecked: Bool)
  case notKept(reason: String)
  case claims(Range<UInt64>)
  case waits(Range<UInt64>)
  case answers(Range<UInt64>, from: String)

  var level: Log.Level { if case .notKept = self { .info } else { .debug } }

  var words: String {
    switch self {
    case .nothingStored: "nothing of it is stored"
    case .stored(let bytes, let length, let isChecked):
      "\(bytes)\(length.map { " of \($0)" } ?? "") bytes are on disk"
        + (isChecked ? ", to be checked with the server" : "")
    case .notKept(let reason): "is not kept: \(reason)"
    case .claims(let range): "claims bytes \(ContentNote.logged(range))"
    case .waits(let range):
      "waits for another player, which fetches bytes \(ContentNote.logged(range))"
    case .answers(let range, let source): "bytes \(ContentNote.logged(range)) from \(source)"
    }
  }

  /// A range with its last byte, as in requests.
  static func logged(_ range: Range<UInt64>) -> String {
    range.isEmpty ? "none" : "\(range.lowerBound)-\(range.upperBound - 1)"
  }
}
