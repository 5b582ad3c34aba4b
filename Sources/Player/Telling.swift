import DecoderLink
import Decoders
import Playback
import Resources
import Sound
import System

/// One story being made ready or told: its decoder, the pictures that wait for their time, and its
/// clock. It decides what is to be seen when; it draws nothing.
final class Telling {
  /// What is to happen on the screen now.
  enum Step {
    case nothing
    case show(DecodedPicture)
    case finished
    case failed(String)
  }

  /// Further pictures at the end, so that it is known before the sound device has all samples.
  private static let picturesAtEnd = 12
  /// Pictures a decoder may be ahead: enough to ride out a slow one, few enough to be cheap.
  private static let picturesAhead = 4
  /// So long before its end its successor's decoder goes on.
  private static let notice = Duration.milliseconds(150)

  let story: Int
  /// The stage's number for this telling; nil while it is only kept ready.
  var generation: Int?
  private(set) var info: MediaInfo?
  private(set) var shown: DecodedPicture?
  private(set) var framesDecoded = 0
  private(set) var framesDropped = 0
  private(set) var isPaused = false
  var notes = StoryNotes()
  /// So much earlier than at its end it counts as finished: what its successor's first picture takes
  /// to get to the screen.
  var lead = Duration.zero
  private let session: DecoderSession
  /// Nil once it is left.
  private var reportProgress: (() -> ResourceProgress)?
  /// Where sound is heard; nil where none is wanted.
  private let speaker: Speaker?
  /// Once it is known that the story has any.
  private var sound: StorySound?
  private var knowsSoundEnd = false
  /// The clock runs, or waits for the sound to begin.
  private var isGoing = false
  /// The present picture was shown because its time had come.
  private var wasOnTime = false
  /// The clock starts with the next step.
  private var startsNext = false
  private let stays: DisplayDurations
  private let untimed: Bool
  /// Only the first picture is shown, for as long as the story lasts.
  private let onlyFirst: Bool
  private var queue = PictureQueue()
  private var clock = MediaClock()
  private var needsPicture = true
  private var ends: (pictures: Duration?, sound: Duration?)?
  private var failure: String?
  private var loop = LoopTimeline()
  private var pace = DecodingPace()
  private(set) var waits = StallStats()
  /// When the decoder was last seen waiting for bytes.
  private var waitedAt = Instant.now
  /// Since when more of it has been fetched; nil while nothing is.
  private var fetchingSince: Instant?
  /// Told to its end, and only its last picture is still wanted.
  private var isAtRest = false
  /// The decoder may go on behind the first picture.
  private var isPrepared = false
  /// Whether it begins at a later position than its own beginning.
  private var startsLate = false

  init(
    story: Int, session: DecoderSession, progress: (() -> ResourceProgress)?, speaker: Speaker?,
    stays: DisplayDurations, untimed: Bool, onlyFirst: Bool
  ) {
    self.story = story
    self.session = session
    reportProgress = progress
    self.speaker = speaker
    self.stays = stays
    self.untimed = untimed
    self.onlyFirst = onlyFirst
    session.allow(pictures: 1)
    if speaker != nil { session.allow(soundFrames: StorySound.readyFrames) }
  }

  /// What to wait for; -1 once nothing can come, as the socket of a decoder that has ended is always
  /// ready.
  var descriptor: Int32 { failure == nil ? session.descriptor : -1 }
  var wantsToWrite: Bool { session.wantsToWrite }
  var hasPicture: Bool { shown != nil }
  /// Made ready: the first picture can be shown at once.
  var hasWaitingPicture: Bool { !queue.isEmpty }
  var isRunning: Bool { clock.isRunning }

  /// How far its bytes have come from the network; nil where they are here. Of a playlist only its
  /// server is known.
  var progress: ResourceProgress? {
    session.isPlaylist ? reportProgress?().ofPlaylist() : reportProgress?()
  }

  /// Its waits, with a seek that is still waited for.
  func waits(at now: Instant) -> StallStats {
    var waits = waits
    waits.endSeek(at: now)
    return waits
  }

  /// How much its bytes matter beside those of others.
  func setUrgency(_ urgency: ResourceUrgency) { session.setUrgency(urgency) }

  /// Since when it stands still for want of bytes, or of the picture that was sought.
  var standsSince: Instant? { waits.since ?? (needsPicture && shown != nil ? waits.soughtAt : nil) }

  /// How it is with its bytes; nil where nothing has to come.
  func supply(at now: Instant) -> BufferStatus? {
    guard let progress else { return nil }
    let position = position(at: now)
    let availableUntil = length.flatMap { length in
      length > .zero ? length * progress.reach(from: position.inSeconds / length.inSeconds) : nil
    }
    return BufferStatus(
      isWhole: progress.isWhole, availableUntil: availableUntil,
      calm: session.isPlaylist ? now - waitedAt : nil, fetching: fetchingSince.map { now - $0 },
      position: position, length: length,
      isStalled: shown == nil || waits.since != nil || waits.soughtInVain)
  }

  /// Its turn comes in a moment: the decoder may go on, so that what follows its first picture is
  /// here in time.
  func prepare() {
    guard !isPrepared, goesOn else { return }
    isPrepared = true
    session.allow(pictures: Telling.picturesAhead - 1)
  }

  /// From ready to told.
  func begin(generation: Int) {
    self.generation = generation
    prepare()
  }

  /// Whether its end is near.
  func isEnding(at now: Instant) -> Bool {
    end.map { isGoing && clock.time(at: now) >= $0 - Telling.notice } ?? false
  }

  /// Whether the decoder is to decode more than the first picture.
  private var goesOn: Bool { !onlyFirst || sound != nil }

  /// Has a story that nothing was shown of yet begin at a position.
  func start(at position: Duration) {
    guard shown == nil, position > .zero, !untimed, !onlyFirst else { return }
    startsLate = true
    sound?.restart(at: position)
    restart(at: position, now: .now)
  }

  /// Takes in what the decoder says, and serves it.
  func service(_ readiness: Readiness, now: Instant) {
    for event in session.service(readiness, now: now) {
      switch event {
      case .opened(let info):
        self.info = info
        if info.kind == .animation, info.loops { loop.length = info.duration }
        if info.soundCodec != nil { sound = speaker.map { StorySound($0) } }
        if startsLate { sound?.restart(at: clock.time(at: now)) }
        if onlyFirst, goesOn, generation != nil {
          session.allow(pictures: Telling.picturesAhead - 1)
        }
      case .picture(var picture):
        framesDecoded += 1
        picture.time += loop.start
        queue.append(picture)
      case .sound(let samples): sound?.take(samples)
      case .soundEnded(let end): soundEnded(at: end)
      case .ended(_, let pictures, let sound): ended(pictures: pictures, sound: sound)
      case .note(let words): notes.add(words)
      case .failed(let reason): failure = reason
      }
    }
    if session.isWaitingForBytes { waitedAt = now }
    fetchingSince = session.isFetching ? fetchingSince ?? now : nil
    if ends == nil, failure == nil {
      sound?.allow(session, isTold: generation != nil, time: clock.time(at: now))
    }
  }

  /// Whether a story that was to begin at a position has given nothing but a picture long before
  /// that: its last one, where it has become shorter.
  private func isTooEarly(at now: Instant) -> Bool {
    guard startsLate, shown == nil, queue.count <= 1 else { return false }
    return queue.nextTime.map { $0 + .seconds(1) < clock.time(at: now) } ?? true
  }

  /// It has become shorter than the position at which it was to begin.
  private func beginAtTheBeginning(now: Instant) {
    startsLate = false
    sound?.restart(at: .zero)
    restart(at: .zero, now: now)
  }

  private func ended(pictures: Duration?, sound: Duration?) {
    let now = Instant.now
    let isShorter = (pictures ?? .zero) + .seconds(1) < clock.time(at: now)
    if isTooEarly(at: now), queue.isEmpty || isShorter { return beginAtTheBeginning(now: now) }
    guard let info, info.loops, let pictures, !untimed else {
      ends = (pictures, sound)
      if let end { self.sound?.finish(at: end) }
      return
    }
    guard loop.beginNext(after: pictures, within: stay(of: info)) else {
      ends = (max(stay(of: info), loop.length ?? pictures), nil)
      return
    }
    session.seek(to: .zero)
  }

  private func soundEnded(at end: Duration) {
    sound?.finish(at: end)
    guard let length = info?.duration, length - end < .seconds(1), !knowsSoundEnd else { return }
    knowsSoundEnd = true
    if generation != nil { session.allow(pictures: Telling.picturesAtEnd) }
  }

  /// The media time at which the story is over; nil while unknown. The sound counts where it
  /// outlasts the pictures by 250 ms or more.
  var end: Duration? {
    guard let info else { return nil }
    if info.isForShow, info.isStill || onlyFirst { return stay(of: info) }
    if !goesOn { return info.duration ?? stay(of: info) }
    guard let ends else { return nil }
    let pictures = ends.pictures ?? .zero
    guard let sound = ends.sound, sound >= pictures + .milliseconds(250) else { return pictures }
    return sound
  }

  private func stay(of info: MediaInfo) -> Duration {
    info.kind == .animation ? stays.animation : stays.picture
  }

  /// The best guess at the whole length.
  var length: Duration? {
    if let end { return end }
    if let info, info.isForShow { return max(stay(of: info), loop.length ?? .zero) }
    return info?.duration
  }

  /// The media time that a viewer has reached: never beyond what was shown.
  func position(at now: Instant) -> Duration {
    guard let shown else { return .zero }
    var position = clock.time(at: now)
    if needsPicture { return max(.zero, position) }
    if let end { return max(.zero, min(position, end)) }
    if queue.isEmpty, !hasStill {
      position = min(position, shown.time + (shown.duration ?? .milliseconds(100)))
    }
    return max(.zero, position)
  }

  /// One picture stays while the sound is heard.
  private var hasStill: Bool { sound != nil && (onlyFirst || info?.isStill == true) }

  /// Where a later run goes on: nothing for what has no positions, and for its last second.
  func resumePosition(at now: Instant) -> Duration {
    if startsLate, shown == nil { return clock.time(at: now) }
    guard let info, !info.isForShow, !onlyFirst else { return .zero }
    let position = position(at: now)
    return length.map { position < $0 - .seconds(1) } ?? true ? position : .zero
  }

  /// Lets the clock run or stand.
  func setPaused(_ paused: Bool, at now: Instant) {
    isPaused = paused
    isAtRest = isAtRest && paused
    if paused {
      halt(at: now)
      // Whose wait this is from now on is the viewer's affair.
      waits.end(at: now)
    } else if shown != nil, !needsPicture {
      go(at: now)
    }
  }

  /// It was told to its end and stays on the screen: what is left of its sound is heard.
  func rest(at now: Instant) {
    isPaused = true
    isGoing = false
    isAtRest = true
    sound?.leave()
    clock.stop(at: now)
  }

  private func go(at now: Instant) {
    startsNext = false
    guard !isGoing else { return }
    isGoing = true
    if sound == nil { clock.run(at: now) } else { sound?.go(&clock, at: now) }
  }

  private func halt(at now: Instant) {
    startsNext = false
    isGoing = false
    sound?.halt()
    clock.stop(at: now)
  }

  /// Lets the sound of the next story begin where this one's ends, once that is known, and where it
  /// is sure that it is told.
  func arrange(_ next: Telling, where isSure: () -> Bool) {
    if ends != nil, let sound, let other = next.sound, isSure() { sound.arrange(other) }
  }

  /// How far the sound is ahead of the picture that was shown when its time had come; nil where none
  /// is heard, and for a picture that was waited for.
  func soundLead(at now: Instant) -> Duration? {
    guard let shown, wasOnTime, let time = sound?.time(at: now) else { return nil }
    return time - shown.time
  }

  /// The moment at which `step` has something to say without an event from outside.
  func nextMoment(now: Instant) -> Instant? {
    if isAtRest { return needsPicture && !queue.isEmpty ? now : nil }
    if failure != nil, ends == nil, queue.isEmpty { return now }
    if needsPicture { return queue.isEmpty || ends == nil && isTooEarly(at: now) ? nil : now }
    if untimed { return queue.isEmpty && ends == nil ? nil : now }
    if startsNext { return now }
    if !isGoing, !queue.isEmpty, !isPaused, let since = waits.since {
      return since + waits.resumeThreshold
    }
    let forSound = isGoing ? sound?.nextMoment(now: now, isComplete: ends != nil) : nil
    let forPicture = (queue.nextTime ?? end.map { $0 - lead }).flatMap(clock.moment(of:))
    let notice = end.flatMap { clock.moment(of: $0 - Telling.notice) }
    let forNext = notice.flatMap { $0 > now ? $0 : nil }
    return [forSound, forPicture, forNext].compactMap { $0 }.min()
  }

  /// A picture's time within the medium, whatever round of it this is.
  func sourceTime(of picture: DecodedPicture) -> Duration {
    max(.zero, picture.time - loop.start)
  }

  /// When the decoder counts as hanging.
  var deadline: Instant? { session.deadline }
  /// It was made ready in vain.
  var hasFailed: Bool { failure != nil }

  /// What is to be seen now. A picture that is returned counts as shown.
  func step(at now: Instant) -> Step {
    if startsNext { go(at: now) }
    if isGoing { sound?.follow(&clock, at: now) }
    if needsPicture {
      // Until another one or the end has come it is not known whether it is the right one.
      guard ends != nil || !isTooEarly(at: now), let picture = queue.takeFirst() else {
        if session.isWaitingForBytes { waits.noteMissing() }
        if isPaused, ends != nil, shown != nil { endSeek(at: now) }
        return idle
      }
      endSeek(at: now)
      wasOnTime = false
      // After a seek the clock stands where it is to go on: within this picture's time.
      if shown == nil, !startsLate { clock.set(to: min(picture.time, .zero), at: now) }
      // The sound device is opened only when the picture is on the screen.
      if sound != nil { startsNext = !isPaused } else if !isPaused { go(at: now) }
      return show(picture)
    }
    if untimed {
      if onlyFirst { return .finished }
      if let picture = queue.takeFirst() { return show(picture) }
      if info?.isStill == true, info?.isForShow == true { return .finished }
      return ends == nil ? idle : .finished
    }
    wait(at: now)
    let time = clock.time(at: now)
    if let (picture, late) = queue.takeDue(at: time) {
      if onlyFirst {
        session.allow(pictures: late + 1)
        return .nothing
      }
      wasOnTime = true
      framesDropped += late
      session.allow(pictures: late)
      follow(picture, time: time, now: now)
      return show(picture)
    }
    if queue.isEmpty, ends == nil, failure != nil { return idle }
    // Who has paused at the end goes on from there when he likes.
    if queue.isEmpty, !isPaused, let end, time >= end - lead { return .finished }
    return .nothing
  }

  /// What was sought is here, or nothing lies there.
  private func endSeek(at now: Instant) {
    needsPicture = false
    waits.endSeek(at: now)
  }

  /// No picture waits, and one is needed.
  private var idle: Step {
    if ends == nil, let failure { return .failed(failure) }
    guard ends != nil, needsPicture else { return .nothing }
    return shown == nil ? .failed("nothing in it can be shown") : .finished
  }

  private func show(_ picture: DecodedPicture) -> Step {
    shown = picture
    if goesOn { session.allow(pictures: 1) }
    return .show(picture)
  }

  /// While bytes are missing the clock stands at the end of what was shown.
  private func wait(at now: Instant) {
    guard let shown, !isPaused else { return }
    var starved = queue.isEmpty && ends == nil && session.isWaitingForBytes
    if hasStill, let sound { starved = starved && !sound.isReady(at: clock.time(at: now)) }
    if starved, isGoing {
      let edge = shown.time + (shown.duration ?? .milliseconds(100))
      guard clock.time(at: now) > edge else { return }
      let isLed = sound?.isLeading ?? false
      halt(at: now)
      // A still does not tell how far the sound was.
      if !isLed, !hasStill { clock.set(to: edge, at: now) }
      waits.begin(at: now)
    } else if !starved, waits.since.map({ hasEnoughToGoOn(since: $0, now: now) }) ?? true {
      go(at: now)
      waits.end(at: now)
    }
  }

  /// One longer stop is easier to watch than a stop at every picture.
  private func hasEnoughToGoOn(since stopped: Instant, now: Instant) -> Bool {
    // A playlist's bytes are not counted.
    if ends != nil || session.isPlaylist && !session.isWaitingForBytes { return true }
    if supply(at: now)?.lasts(waits.resumeThreshold) ?? true { return true }
    return now - stopped >= waits.resumeThreshold && (!queue.isEmpty || hasStill)
  }

  /// A decoder that falls behind may skip pictures; where that does not help, the clock waits.
  private func follow(_ picture: DecodedPicture, time: Duration, now: Instant) {
    let lateness = time - picture.time
    if let effort = pace.effort(lateness: lateness, now: now) {
      session.setEffort(effort)
    }
    if lateness > .seconds(1), queue.isEmpty, sound?.isLeading != true {
      clock.set(to: picture.time, at: now)
    }
  }

  /// Goes to a position within the story; false where it cannot.
  func seek(to time: Duration, at now: Instant) -> Bool {
    guard let info, !onlyFirst, shown != nil, failure == nil else { return false }
    if info.isForShow, info.isStill { return false }
    let target = max(.zero, length.map { min(time, $0) } ?? time)
    isAtRest = false
    isGoing = false
    sound?.restart(at: target)
    clock.stop(at: now)
    restart(at: target, now: now)
    waits.beginSeek(at: now)
    return true
  }

  /// The grid has changed: the present picture is wanted again in the new size.
  func reshape(_ shape: PictureRequest, at now: Instant) {
    // One that has ended gives no other picture.
    guard failure == nil else { return }
    session.reshape(shape)
    if !goesOn, shown != nil { session.allow(pictures: 1) }
    // Until it is open nothing of the old size is under way.
    guard info != nil else { return }
    let position = shown == nil ? clock.time(at: now) : position(at: now)
    // The sound is heard on: what comes again of it is known already.
    if sound?.isLeading != true {
      isGoing = false
      clock.stop(at: now)
    }
    restart(at: position, now: now)
    if shown != nil, waits.soughtAt == nil { waits.beginSeek(at: now) }
  }

  private func restart(at time: Duration, now: Instant) {
    session.allow(pictures: queue.count)
    queue.removeAll()
    ends = nil
    needsPicture = true
    waits.end(at: now)
    session.seek(to: loop.seek(to: time))
    if !isGoing { clock.set(to: time, at: now) }
  }

  /// The player itself stood still for a while.
  func forgive() { session.forgive() }

  /// Nothing more of it is told: its bytes are not wanted any longer. `close` comes after it.
  func leave() {
    session.giveUpBytes()
    reportProgress = nil
  }

  func close() { session.close() }
}
