import System

/// The number of a read, never used twice for one content.
struct ReadNumber: Hashable { let value: UInt64 }

/// The number by which a content knows a fetch of its own, never used twice.
struct FlightNumber: Hashable { let value: UInt64 }

/// A read that waits for its bytes.
struct PendingRead: Equatable {
  let number: ReadNumber
  let reader: UInt64
  let offset: UInt64
  let length: Int
  /// The bytes are wanted here later: the answer is without them.
  var isOnlyFetch = false
  /// It is answered with as much as this of its beginning; nil for all of it alone.
  var least: Int?
  /// Whether bytes had to be fetched for it.
  var isMiss = false

  /// What it wants, of a resource of this length.
  func range(length total: UInt64?) -> Range<UInt64> {
    // A damaged file may make a decoder ask for what is nowhere.
    let last = total ?? Verdict.mostLength
    let start = min(offset, last)
    return start..<min(start + UInt64(max(0, length)), last)
  }
}

/// An entry of the cache in use: which of its bytes are stored.
struct StoredEntry: Equatable {
  let number: EntryNumber
  var extents: Extents
}

/// What a content is told.
enum ContentEvent {
  // From readers.
  case join(UInt64)
  case leave(UInt64)
  case read(PendingRead)
  case cancel(UInt64)
  case setUrgency(ResourceUrgency, UInt64)
  /// It is opened again: what its server refused is tried again.
  case reopen

  // From the cache.
  /// What is stored; nil for nothing.
  case opened(FoundEntry?)
  /// Where to store; nil where nothing can be stored.
  case created(CreatedEntry?)
  /// A segment was written to an entry.
  case written(EntryNumber, Range<UInt64>)
  /// An entry takes no more bytes, or those that it took last may not be on the medium.
  case refused(EntryNumber)
  /// What the index has of an entry; nil where it could not be read.
  case reread(EntryNumber, Extents?, number: UInt64)
  case flushed(EntryNumber)

  // From fetches. A content that compares answers is also told whether bytes agree with former ones.
  case fetched(FlightNumber, FetchEvent, agrees: Bool)

  // Answers to actions. They come before any other event.
  /// The range that could be claimed of those that were asked for; nil for none.
  case claimed(Range<UInt64>?, of: Range<UInt64>)
  case lockedCreation(Bool)
  /// A reader is given so many bytes.
  case answered(PendingRead, bytes: Int)
  /// Stored bytes were damaged: this is left of the entry.
  case unreadable(PendingRead, left: Extents)

  /// All that has happened at once was told: what can be answered is, and what is missing is asked for.
  case tick
  /// The end of the run.
  case end
}

/// What the cache has of a content.
struct FoundEntry {
  var entry: StoredEntry
  var facts: ContentFacts
  /// Whether another process is bringing all of it.
  var isBeingMade = false

  /// Whether every byte is stored.
  var isWhole: Bool { facts.length.map { entry.extents.contains(0..<$0) } ?? false }
  /// Whether what is missing can be joined to it.
  var isUsable: Bool { isWhole || facts.validator.joinsParts }
  var isLong: Bool { facts.length.map { $0 > ContentState.mostAtOnce } ?? false }
}

/// An entry that the cache has made, or found while it was about to.
struct CreatedEntry {
  var entry: StoredEntry
  /// Whether it was made just now: then all of its bytes are held against other processes.
  var isNew: Bool
  /// Which of `ContentState.claimable` are held.
  var held: [Range<UInt64>]
}

/// What a content wants done. Actions are carried out in order, after the state was left.
enum ContentAction: Equatable {
  // For readers. Answers are given when all actions of all contents were carried out.
  /// Reads this range, of what is stored or in memory, for a read; the answer is an event too.
  case answer(PendingRead, Range<UInt64>)
  case fail(PendingRead, ResourceError)

  // For the cache.
  /// Asks what is stored, after a time where another process is at work.
  case open(milliseconds: Int)
  case create(ContentFacts)
  case write(EntryNumber, at: UInt64, [UInt8])
  case flush(EntryNumber)
  case reread(EntryNumber, number: UInt64, milliseconds: Int)
  case revise(EntryNumber, ContentFacts)
  case supersede(EntryNumber)
  case close(EntryNumber)

  // Against other processes.
  /// Asks for the right to make the entry; the answer is `lockedCreation`.
  case lockCreation
  case unlockCreation
  /// Claims the first of these ranges that can be had, else the second; the answer is `claimed`.
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
  /// The viewer should know this, once for each server.
  case sayOnce(String)
  /// Who opens its address from now on gets another content.
  case outdate
  /// Nobody reads it and nothing comes any more.
  case forget
  case log(ContentNote)
}

/// Why bytes are fetched, for the log.
struct FetchReason: Equatable {
  var isCheck: Bool
  var range: Range<UInt64>
}

/// What the log says of a content.
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

  /// A range of bytes with its last one, as requests have it.
  static func logged(_ range: Range<UInt64>) -> String {
    range.isEmpty ? "none" : "\(range.lowerBound)-\(range.upperBound - 1)"
  }
}
