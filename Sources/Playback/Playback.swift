import DecoderLink
import System

/// How one story plays, from its opening to its end: inputs in, effects out. It does no I/O and has
/// no clock; it decides what is shown and heard when, what the decoder may send, and when the story
/// stalls, goes on and ends.
///
/// Each input is answered by what is to be done and by when it must be asked again.
public struct Playback: Sendable {
  /// How far the decoder has come.
  enum Decoder: Equatable, Sendable {
    case working
    /// It has sent all.
    case done(Ends)
    /// It is gone; `after` it had sent all, or before.
    case lost(reason: String, after: Ends?)
  }

  /// When pictures and sound end, where there are any.
  struct Ends: Equatable, Sendable {
    var pictures: Duration?
    var sound: Duration?
  }

  /// The picture on the screen.
  struct Shown: Equatable, Sendable {
    var picture: DecodedPicture
    /// It was shown because its time had come.
    var isOnTime: Bool

    var end: Duration { picture.time + (picture.duration ?? .milliseconds(100)) }
  }

  /// How long before the end of a story the decoder of its successor goes on.
  static let notice = Duration.milliseconds(150)

  public let options: Options
  public private(set) var state = PlaybackState.ready
  /// Once it is open.
  public private(set) var info: MediaInfo?
  public private(set) var framesDecoded = 0
  /// Pictures that were too late to be shown, or that the decoder skipped because it was late.
  public private(set) var framesDropped = 0
  private(set) var shownPicture: Shown?
  private(set) var decoder = Decoder.working
  private(set) var queue = PictureQueue()
  private(set) var clock = MediaClock()
  /// Once it is known that the story has sound, and it is wanted.
  private(set) var sound: SoundSync?
  /// Whether the samples up to the story's time were here at the last report.
  private var hasSoundNow = false
  private(set) var loop = LoopTimeline()
  private(set) var buffer = BufferHistory()
  private(set) var stats = StallStats()
  private var credit = DecoderCredit()
  private var pace = DecodingPace()
  /// How much earlier the story ends than its medium.
  private var lead = Duration.zero

  public init(_ options: Options) { self.options = options }

  /// Takes one input and says what to do about it.
  public mutating func handle(_ input: Input, at now: Instant) -> Output {
    var effects: [Effect] = []
    switch input {
    case .open:
      buffer.note(BufferReport(), at: now)
      effects += credit.open(soundRate: options.soundRate)
    case .prepare: prepare(&effects)
    case .begin(let position): begin(at: position, &effects, now: now)
    case .pause: pause(&effects, now: now)
    case .play: play(&effects, now: now)
    case .seek(let time): seek(to: time, &effects, now: now)
    case .reshape(let shape): reshape(to: shape, &effects, now: now)
    case .decoder(let event): take(event, &effects, now: now)
    case .buffer(let report): buffer.note(report, at: now)
    case .soundStored(let frames): allowSound(stored: frames, &effects)
    case .sound(let report): follow(report, &effects, now: now)
    case .soundQueued(let isQueued, let report):
      guard state.isGoing else { break }
      let more = sound?.queued(isQueued, report, &clock, at: now) ?? []
      effects += more.map(Effect.sound)
    case .tick(let lead):
      self.lead = lead
      tick(&effects, now: now)
    }
    return Output(effects: effects, deadline: deadline(at: now))
  }

  /// Every change of the state goes through here, so that what it waited for is accounted for.
  private mutating func move(to next: PlaybackState, now: Instant) {
    if state.stalledSince != next.stalledSince {
      stats.end(at: now)
      if next.stalledSince != nil { stats.begin(at: now) }
    }
    if state.soughtAt != next.soughtAt {
      stats.endSeek(at: now)
      if next.soughtAt != nil { stats.beginSeek(at: now) }
    }
    state = next
  }

  // MARK: - Commands

  private mutating func prepare(_ effects: inout [Effect]) {
    if decodesOn { effects += credit.prepare() }
  }

  private mutating func begin(at position: Duration, _ effects: inout [Effect], now: Instant) {
    guard state == .ready else { return }
    prepare(&effects)
    let startsLater = position > .zero && !options.isUntimed && !options.showsOnlyFirst
    move(to: .opening(from: startsLater ? position : .zero, isPaused: false), now: now)
    guard startsLater else { return }
    restartSound(at: position, &effects)
    restart(at: position, &effects, now: now)
  }

  private mutating func pause(_ effects: inout [Effect], now: Instant) {
    switch state {
    case .ready, .paused, .resting, .failed: return
    case .opening(let from, _): move(to: .opening(from: from, isPaused: true), now: now)
    case .reshaping(let since), .seeking(let since, _):
      move(to: .seeking(since: since, isPaused: true), now: now)
    case .starting, .playing, .stalled: move(to: .paused, now: now)
    }
    halt(&effects, now: now)
  }

  private mutating func play(_ effects: inout [Effect], now: Instant) {
    switch state {
    case .opening(let from, true): move(to: .opening(from: from, isPaused: false), now: now)
    case .seeking(let since, true): move(to: .seeking(since: since, isPaused: false), now: now)
    case .paused: go(&effects, now: now)
    default: return
    }
  }

  private mutating func go(_ effects: inout [Effect], now: Instant) {
    move(to: .playing, now: now)
    if let effect = sound?.start(at: now) {
      effects.append(.sound(effect))
    } else {
      clock.run(at: now)
    }
  }

  private mutating func halt(_ effects: inout [Effect], now: Instant) {
    if let effect = sound?.pause() { effects.append(.sound(effect)) }
    clock.stop(at: now)
  }

  private mutating func seek(to time: Duration, _ effects: inout [Effect], now: Instant) {
    guard let info, !info.isLive, !options.showsOnlyFirst, shownPicture != nil, state.isBegun,
      !isLost, !info.isForShow || !info.isStill
    else { return }
    let target = max(.zero, length.map { min(time, $0) } ?? time)
    restartSound(at: target, &effects)
    clock.stop(at: now)
    move(to: .seeking(since: now, isPaused: state.isPaused), now: now)
    restart(at: target, &effects, now: now)
  }

  private mutating func reshape(
    to shape: PictureRequest, _ effects: inout [Effect], now: Instant
  ) {
    // A decoder that has ended gives no other picture.
    guard !isLost else { return }
    effects.append(.reshapeDecoder(shape))
    if !decodesOn, shownPicture != nil { effects.append(.allowPictures(1)) }
    // No picture of the old size can come before the story is open.
    guard info != nil else { return }
    let position = shownPicture == nil ? clock.time(at: now) : position(at: now)
    // The sound goes on: samples that come again are known already.
    let leads = sound?.isLeading == true
    if !leads { clock.stop(at: now) }
    switch state {
    case .ready, .opening, .failed: break
    case .playing, .reshaping:
      let since = state.soughtAt ?? now
      move(to: leads ? .reshaping(since: since) : .seeking(since: since, isPaused: false), now: now)
    case .starting, .stalled: move(to: .seeking(since: now, isPaused: false), now: now)
    case .paused: move(to: .seeking(since: now, isPaused: true), now: now)
    case .seeking: break
    case .resting(let reshapedAt): move(to: .resting(reshapedAt: reshapedAt ?? now), now: now)
    }
    restart(at: position, &effects, now: now)
  }

  /// Lets the decoder begin again at a time; pictures that it has sent are dropped.
  private mutating func restart(at time: Duration, _ effects: inout [Effect], now: Instant) {
    if !queue.isEmpty { effects.append(.allowPictures(queue.count)) }
    queue.removeAll()
    if !isLost { decoder = .working }
    effects.append(.seekDecoder(to: loop.seek(to: time)))
    if !state.isGoing { clock.set(to: time, at: now) }
  }

  private mutating func restartSound(at time: Duration, _ effects: inout [Effect]) {
    if let effect = sound?.restart(at: time) { effects.append(.sound(effect)) }
  }

  // MARK: - The decoder

  private mutating func take(_ event: DecoderEvent, _ effects: inout [Effect], now: Instant) {
    switch event {
    case .opened(let info): opened(info, &effects)
    case .picture(var picture):
      framesDecoded += 1
      framesDropped += Int(picture.skipped)
      picture.time += loop.start
      queue.append(picture)
    case .sound(let frames): credit.used(soundFrames: frames)
    case .soundEnded(let end):
      finishSound(at: end, &effects)
      if let length = info?.duration, length - end < .seconds(1) {
        effects += credit.soundEnded(isBegun: state != .ready)
      }
    case .ended(let pictures, let sound):
      ended(Ends(pictures: pictures, sound: sound), &effects, now: now)
    case .failed(let reason): decoder = .lost(reason: reason, after: ends)
    }
  }

  private mutating func opened(_ info: MediaInfo, _ effects: inout [Effect]) {
    self.info = info
    if info.kind == .animation, info.loops { loop.length = info.duration }
    if info.soundCodec != nil, options.soundRate != nil { sound = SoundSync() }
    if case .opening(let from, _) = state, from > .zero { restartSound(at: from, &effects) }
    // If only the first picture is shown, more is decoded only for the sound.
    if state != .ready { prepare(&effects) }
  }

  private mutating func ended(_ ends: Ends, _ effects: inout [Effect], now: Instant) {
    let isShorter = (ends.pictures ?? .zero) + .seconds(1) < clock.time(at: now)
    if case .opening(_, let isPaused) = state, isTooEarly(at: now), queue.isEmpty || isShorter {
      // The medium has become shorter than the position to begin at: it begins at the beginning.
      move(to: .opening(from: .zero, isPaused: isPaused), now: now)
      restartSound(at: .zero, &effects)
      return restart(at: .zero, &effects, now: now)
    }
    guard let info, info.loops, let pictures = ends.pictures, !options.isUntimed else {
      decoder = .done(ends)
      if let end { finishSound(at: end, &effects) }
      return
    }
    let total = displayDuration(of: info)
    if loop.beginNext(after: pictures, within: total) {
      effects.append(.seekDecoder(to: .zero))
    } else {
      decoder = .done(Ends(pictures: max(total, loop.length ?? pictures), sound: nil))
    }
  }

  private func finishSound(at end: Duration, _ effects: inout [Effect]) {
    if sound != nil { effects.append(.sound(.finish(at: end))) }
  }

  private mutating func allowSound(stored frames: Int, _ effects: inout [Effect]) {
    guard sound != nil, decoder == .working else { return }
    effects += credit.allowSound(
      stored: frames, isBegun: state != .ready, rate: options.soundRate ?? 0)
  }

  /// Whether a story that was to begin at a later position has given nothing but a picture long
  /// before that: its last one, where it has become shorter.
  func isTooEarly(at now: Instant) -> Bool {
    guard case .opening(let from, _) = state, from > .zero, queue.count <= 1 else { return false }
    return queue.nextDue.map { $0 + .seconds(1) < clock.time(at: now) } ?? true
  }

  // MARK: - Sound

  private mutating func follow(
    _ report: SoundReport, _ effects: inout [Effect], now: Instant
  ) {
    hasSoundNow = report.isReady
    guard state.isGoing else { return }
    let more = sound?.follow(report, &clock, at: now) ?? []
    effects += more.map(Effect.sound)
  }

  // MARK: - Ticks

  private mutating func tick(_ effects: inout [Effect], now: Instant) {
    switch state {
    case .ready, .failed: return
    case .resting(let reshapedAt):
      guard reshapedAt != nil else { return }
      if let picture = queue.takeFirst() {
        move(to: .resting(reshapedAt: nil), now: now)
        show(picture, isOnTime: false, &effects)
      } else if ends != nil {
        move(to: .resting(reshapedAt: nil), now: now)
      }
    case .opening, .seeking, .reshaping: awaitPicture(&effects, now: now)
    case .starting:
      go(&effects, now: now)
      advance(&effects, now: now)
    case .playing, .stalled, .paused: advance(&effects, now: now)
    }
  }

  /// The next picture is shown whatever its time is.
  private mutating func awaitPicture(_ effects: inout [Effect], now: Instant) {
    // Until another one or the end has come it is not known whether it is the right one.
    guard ends != nil || !isTooEarly(at: now), let picture = queue.takeFirst() else {
      if buffer.report.isWaiting { stats.noteMissing() }
      return lackPicture(&effects, now: now)
    }
    let isPaused = state.isPaused
    // After a seek the clock stands where it is to go on: within this picture's time.
    if case .opening(let from, _) = state, from == .zero {
      clock.set(to: min(picture.time, .zero), at: now)
    }
    if isPaused {
      move(to: .paused, now: now)
    } else if case .reshaping = state {
      move(to: .playing, now: now)
    } else if sound != nil {
      // The sound device is opened only when the picture is on the screen.
      move(to: .starting, now: now)
    } else {
      go(&effects, now: now)
    }
    show(picture, isOnTime: false, &effects)
  }

  /// None waits; the decoder may have no more.
  private mutating func lackPicture(_ effects: inout [Effect], now: Instant) {
    if ends != nil {
      if shownPicture == nil {
        fail("nothing in it can be shown", &effects, now: now)
      } else if state.isPaused {
        move(to: .paused, now: now)
      } else {
        finish(&effects, now: now)
      }
    } else if case .lost(let reason, _) = decoder {
      fail(reason, &effects, now: now)
    }
  }

  private mutating func advance(_ effects: inout [Effect], now: Instant) {
    if options.isUntimed { return advanceUntimed(&effects, now: now) }
    waitForBytes(&effects, now: now)
    let time = clock.time(at: now)
    if let (picture, late) = queue.takeDue(at: time) {
      guard !options.showsOnlyFirst else { return effects.append(.allowPictures(late + 1)) }
      framesDropped += late
      if late > 0 { effects.append(.allowPictures(late)) }
      keepUp(with: picture, time: time, &effects, now: now)
      return show(picture, isOnTime: true, &effects)
    }
    guard queue.isEmpty else { return }
    if ends == nil, case .lost(let reason, _) = decoder {
      return fail(reason, &effects, now: now)
    }
    // Who has paused at the end goes on from there at will.
    if state != .paused, let end, time >= end - lead { finish(&effects, now: now) }
  }

  private mutating func advanceUntimed(_ effects: inout [Effect], now: Instant) {
    if options.showsOnlyFirst { return finish(&effects, now: now) }
    if let picture = queue.takeFirst() { return show(picture, isOnTime: false, &effects) }
    if ends != nil || isStillForShow {
      finish(&effects, now: now)
    } else if case .lost(let reason, _) = decoder {
      fail(reason, &effects, now: now)
    }
  }

  private mutating func show(
    _ picture: DecodedPicture, isOnTime: Bool, _ effects: inout [Effect]
  ) {
    shownPicture = Shown(picture: picture, isOnTime: isOnTime)
    if decodesOn { effects.append(.allowPictures(1)) }
    effects.append(.show(picture))
  }

  /// What is left of its sound may still be heard.
  private mutating func finish(_ effects: inout [Effect], now: Instant) {
    sound?.leave()
    clock.stop(at: now)
    move(to: .resting(reshapedAt: nil), now: now)
    effects.append(.finished)
  }

  private mutating func fail(_ reason: String, _ effects: inout [Effect], now: Instant) {
    sound?.leave()
    clock.stop(at: now)
    clock.set(to: position(at: now), at: now)
    move(to: .failed(reason: reason), now: now)
    effects.append(.failed(reason: reason))
  }

  /// Whether the next picture, or the next sound of one that stays, waits for bytes.
  private var isStarved: Bool {
    // Where the end is known nothing more is needed, even if the decoder reads on behind a picture.
    guard queue.isEmpty, end == nil, buffer.report.isWaiting else { return false }
    return !hasStill || !hasSoundNow
  }

  /// While bytes are missing the clock stands at the end of what was shown.
  private mutating func waitForBytes(_ effects: inout [Effect], now: Instant) {
    switch state {
    case .playing:
      guard isStarved, let edge = shownPicture?.end, clock.time(at: now) > edge else { return }
      let isLed = sound?.isLeading ?? false
      halt(&effects, now: now)
      // A still does not show how far the sound was.
      if !isLed, !hasStill { clock.set(to: edge, at: now) }
      move(to: .stalled(since: now), now: now)
    case .stalled(let since):
      if !isStarved, hasEnoughToGoOn(since: since, now: now) { go(&effects, now: now) }
    default: return
    }
  }

  /// One longer stop is easier to watch than a stop at every picture.
  private func hasEnoughToGoOn(since stopped: Instant, now: Instant) -> Bool {
    // How far a playlist has come may not be known.
    let isCounted = !buffer.report.isPlaylist || buffer.report.fetched?.availableUntil != nil
    if ends != nil || !isCounted && !buffer.report.isWaiting { return true }
    if bufferStatus(at: now)?.lasts(stats.resumeThreshold) ?? true { return true }
    return now - stopped >= stats.resumeThreshold && (!queue.isEmpty || hasStill)
  }

  /// A decoder that falls behind may skip pictures; where that does not help, the clock waits.
  private mutating func keepUp(
    with picture: DecodedPicture, time: Duration, _ effects: inout [Effect], now: Instant
  ) {
    let lateness = time - picture.time
    if let effort = pace.effort(lateness: lateness, now: now) {
      effects.append(.setEffort(effort))
    }
    if lateness > .seconds(1), queue.isEmpty, sound?.isLeading != true {
      clock.set(to: picture.time, at: now)
    }
  }

  // MARK: - Time

  /// When the next tick has something to do without another input.
  private func deadline(at now: Instant) -> Instant? {
    switch state {
    case .ready, .failed: return nil
    case .resting(let reshapedAt):
      return reshapedAt != nil && (!queue.isEmpty || ends != nil) ? now : nil
    case .opening, .seeking, .reshaping:
      if decoder != .working { return now }
      return queue.isEmpty || isTooEarly(at: now) ? nil : now
    case .starting: return now
    case .playing, .stalled, .paused: break
    }
    if options.isUntimed {
      let isDue = !queue.isEmpty || decoder != .working || options.showsOnlyFirst || isStillForShow
      return isDue ? now : nil
    }
    if queue.isEmpty, ends == nil, decoder != .working { return now }
    if let next = queue.nextDue, next <= clock.time(at: now) { return now }
    switch state {
    case .stalled(let since):
      if isStarved { return nil }
      if hasEnoughToGoOn(since: since, now: now) { return now }
      return !queue.isEmpty || hasStill ? since + stats.resumeThreshold : nil
    case .paused: return nil
    default: return deadlineWhilePlaying(at: now)
    }
  }

  private func deadlineWhilePlaying(at now: Instant) -> Instant? {
    let forSound = sound?.deadline(at: now, isComplete: ends != nil)
    let forPicture = (queue.nextDue ?? end.map { $0 - lead }).flatMap(clock.moment(of:))
    let notice = end.flatMap { clock.moment(of: $0 - Playback.notice) }
    let forSuccessor = notice.flatMap { $0 > now ? $0 : nil }
    return [forSound, forPicture, forSuccessor].compactMap(\.self).min()
  }
}
