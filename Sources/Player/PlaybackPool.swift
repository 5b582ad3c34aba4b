import DecoderLink
import Decoders
import Playback
import Resources
import Sound
import Stories
import System

/// The story that plays and those that are kept ready beside it: opens them, gives each its decoder,
/// and lets go of those that are not needed.
final class PlaybackPool {
  private let stories: [Story]
  let decoders: DecoderPool
  private let bytes: StoryBytes
  private let options: PlayOptions
  /// nil where nothing is to be heard.
  private let speaker: Speaker?
  private var ready: [Int: StorySlot] = [:]
  /// The resources of the stories that play or are ready, and of the one before: bytes that no cache
  /// keeps stay only as long as somebody holds the resource.
  private var resources: [Int: any Resource] = [:]
  /// Stories that failed while they were made ready; they are not opened again before their turn.
  private var unready: Set<Int> = []
  /// How often a story's decoder has crashed. Its bytes may be made to find out by that what lies where.
  private var crashes: [Int: Int] = [:]
  private static let mostCrashes = 2
  private var isHeldBack = false
  /// Whether no story was opened at its turn since those beside it were made ready.
  private var isRested = true
  private(set) var current: StorySlot?
  /// The slot that played before; its process is ended only after the first picture of the new story
  /// is on the screen.
  private var leaving: StorySlot?
  /// The story that played before.
  private var former: Int?
  var shape: PictureRequest

  init(
    stories: [Story], decoders: DecoderPool, bytes: StoryBytes, options: PlayOptions,
    speaker: Speaker?, shape: PictureRequest
  ) {
    self.stories = stories
    self.decoders = decoders
    self.bytes = bytes
    self.options = options
    self.speaker = speaker
    self.shape = shape
  }

  /// All that have a decoder.
  var all: [StorySlot] { (current.map { [$0] } ?? []) + ready.values }

  /// Whether a story is to be played even if the viewer will probably go on at once: it costs little.
  func canPlayAtOnce(_ story: Int) -> Bool {
    ready[story] != nil || isRested && decoders.isPrepared
  }

  /// Whether a story's first picture waits to be shown.
  func hasPicture(of story: Int?) -> Bool {
    story.flatMap { ready[$0] }?.playback.hasWaitingPicture ?? false
  }

  /// Makes a story the current one, from a position on; what played before ends.
  func play(
    _ story: Int, generation: Int, from position: Duration, now: Instant
  ) throws(ResourceError) {
    leaveCurrent()
    dropFailed()
    resources = resources.filter { $0.key == story || $0.key == former || ready[$0.key] != nil }
    // A story that failed while it was made ready is tried again: now the reason can be shown.
    unready.remove(story)
    let slot: StorySlot
    if let waiting = ready.removeValue(forKey: story) {
      note(
        story,
        "was kept ready, \(waiting.playback.hasWaitingPicture ? "with" : "without") its picture")
      slot = waiting
    } else {
      note(story, "was not ready")
      slot = try open(story, urgency: .playing, now: now)
      isRested = false
    }
    current = slot
    slot.setUrgency(.playing)
    slot.begin(generation: generation, at: position, now: now)
  }

  /// Lets the story that comes next by itself begin where the current one ends, its sound too where
  /// it is sure that it plays.
  func arrange(_ next: Int?, now: Instant, where isSure: (Int) -> Bool) {
    guard let current, let next, let waiting = ready[next] else { return }
    if current.playback.isEnding(at: now) { waiting.prepare(at: now) }
    current.arrange(waiting) { isSure(next) }
  }

  /// The current story does not play any more; `letGo` ends its decoder.
  func leaveCurrent() {
    guard let current else { return }
    countCrash(of: current)
    letGo()
    former = current.story
    current.leave()
    former.flatMap { resources[$0] }?.setUrgency(.held)
    leaving = current
    self.current = nil
  }

  func letGo() {
    leaving?.close()
    leaving = nil
  }

  func endCurrent() {
    leaveCurrent()
    letGo()
  }

  /// Sets whether the story that plays needs the whole connection.
  func holdBack(_ holds: Bool) {
    guard holds != isHeldBack else { return }
    isHeldBack = holds
    options.log.note(.playback, "neighbours are \(holds ? "" : "no longer ")held back")
    for slot in ready.values { slot.setUrgency(holds ? .held : .ready) }
  }

  /// Keeps just these stories ready.
  ///
  /// - Parameter later: will be kept ready soon: what is here of it stays.
  func keepReady(_ wanted: [Int], later: Int? = nil, now: Instant) {
    letGo()
    let changes = ReadyChanges(
      from: Set(ready.keys), to: wanted, current: current?.story, unready: unready)
    for story in changes.closed {
      note(story, "is no longer kept ready")
      ready.removeValue(forKey: story)?.close()
    }
    for story in changes.opened {
      // An error is reported when the story's turn comes.
      do {
        let urgency = isHeldBack ? ResourceUrgency.held : .ready
        let slot = try open(story, urgency: urgency, now: now)
        slot.setUrgency(urgency)
        ready[story] = slot
        note(story, "kept ready\(isHeldBack ? ", held back" : "")")
      } catch {
        note(story, "cannot be made ready: \(error.reason)")
        unready.insert(story)
      }
    }
    resources = resources.filter {
      $0.key == current?.story || $0.key == later || ready[$0.key] != nil
    }
    decoders.prepareSpare()
    isRested = true
  }

  /// Closes the slots that failed: their dead sockets would wake the loop for ever.
  func dropFailed() {
    for (story, slot) in ready where slot.playback.isLost {
      note(story, "cannot be made ready")
      countCrash(of: slot)
      slot.close()
      ready[story] = nil
      unready.insert(story)
    }
  }

  private func countCrash(of slot: StorySlot) {
    if slot.hasCrashed { crashes[slot.story, default: 0] += 1 }
  }

  func reshape(_ shape: PictureRequest, at now: Instant) {
    guard shape != self.shape else { return }
    self.shape = shape
    for slot in all { slot.reshape(shape, at: now) }
  }

  func reap() { decoders.reap() }

  func close() {
    endCurrent()
    keepNone()
    decoders.close()
  }

  private func note(_ story: Int, _ words: @autoclosure () -> String) {
    options.log.note(.playback, .debug, "\(stories[story].loggedName) \(words())")
  }

  private func keepNone() {
    for slot in ready.values { slot.close() }
    ready = [:]
    resources = [:]
  }

  private func open(
    _ number: Int, urgency: ResourceUrgency, now: Instant
  ) throws(ResourceError) -> StorySlot {
    let story = stories[number]
    guard crashes[number, default: 0] < PlaybackPool.mostCrashes else {
      throw ResourceError("its decoder has crashed before")
    }
    let (resource, opener) = try bytes.open(story)
    // Before its first byte is asked for.
    resource.setUrgency(urgency)
    let session: DecoderSession
    do {
      session = try DecoderSession(
        from: decoders, decoding: resource, opener: opener, shape: shape,
        soundRate: speaker.map { _ in UInt32(SoundFormat.rate) })
    } catch {
      throw ResourceError("the decoder does not start: \(error.reason)")
    }
    let opened = "opens \(story.loggedName)"
    session.whenKnown { [log = options.log] in log.note(.decoder, "pid \($0) \(opened)") }
    resources[number] = resource
    let own = story.imageTime.flatMap { $0 > 0 ? Duration.seconds($0) : nil }
    let wants = Playback.Options(
      durations: DisplayDurations(own: own, imageTime: options.imageTime),
      soundRate: speaker.map { _ in SoundFormat.rate }, isUntimed: options.untimed,
      showsOnlyFirst: options.reduceMotion)
    return StorySlot(
      story: number, session: session, progress: StoryBytes.progress(of: resource),
      speaker: speaker, options: wants, now: now)
  }
}

/// What must change so that just the wanted stories are kept ready.
struct ReadyChanges: Equatable {
  /// No longer wanted, in their order.
  var closed: [Int]
  /// To be opened, the most urgent first.
  var opened: [Int]

  /// - Parameters:
  ///   - ready: those that are kept ready.
  ///   - wanted: those that are to be, the most urgent first.
  ///   - current: the one that plays, which has a slot already.
  ///   - unready: those that failed while they were made ready: left alone until their turn comes.
  init(from ready: Set<Int>, to wanted: [Int], current: Int?, unready: Set<Int>) {
    closed = ready.subtracting(wanted).sorted()
    opened = wanted.filter { !ready.contains($0) && $0 != current && !unready.contains($0) }
  }
}

extension Story {
  /// Where it is, for the log: without what may be a secret.
  var loggedSource: String {
    guard case .url(let url) = source else { return visibleSource }
    return String(LogText.source(url).prefix { $0 != "?" })
  }
  /// The name in the log.
  var loggedName: String { loggedSource.lastPart }

  /// The name in messages: a file's last component, a URL's without userinfo and query.
  public var shortName: String { visibleSource.lastPart }
}

extension String {
  /// What stands behind the last slash of a path or address that something follows.
  public var lastPart: String {
    let end = utf8.last == UInt8(ascii: "/") ? dropLast() : self[...]
    let start = end.utf8.lastIndex(of: UInt8(ascii: "/")).map(end.utf8.index(after:))
    let name = String(end[(start ?? end.startIndex)...])
    return name.isEmpty ? self : name
  }
}
