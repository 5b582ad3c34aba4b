import DecoderLink
import Playback
import Support
import System
import Testing

/// What holds for every story, whatever happens to it in whatever order: a million inputs where the
/// build is optimised, else fewer; the same ones in every run.
///
/// 1. A tick whose deadline has come does something: no deadline lies in the past after two ticks
///    that had no effect.
/// 2. The decoder never gets more credit than the story has room for, and it never lacks credit where
///    the story waits for its pictures.
/// 3. The position never runs back but by a seek, to what is heard, or, where the sound went on while
///    a picture was awaited in another size, to that picture.
/// 4. A story that has begun ends exactly once, and does end where all of it comes.
/// 5. Nothing is shown after the end but the last picture in another size, and nothing after a failure.
/// 6. The clock stands in all states but those that play.
@Suite struct PlaybackPropertyTests {
  private static let count = _isDebugAssertConfiguration() ? 100_000 : 1_000_000
  private static let inputsPerStory = 200

  @Test func anyInputs_keepAStoryConsistent() {
    var random = SeededRandom(seed: 11)
    for number in 0..<PlaybackPropertyTests.count / PlaybackPropertyTests.inputsPerStory {
      var story = WatchedStory(using: &random)
      for input in 0..<PlaybackPropertyTests.inputsPerStory {
        story.act(using: &random)
        if let breach = story.breach {
          Issue.record("story \(number), input \(input), \(story.playback.state): \(breach)")
          return
        }
      }
      story.playToTheEnd()
      if let breach = story.breach {
        Issue.record("story \(number), at its end, \(story.playback.state): \(breach)")
        return
      }
    }
  }
}

/// A story with a decoder and a sound device that obey, and all that its past says
/// about what it may do.
private struct WatchedStory {
  private(set) var playback: Playback
  private(set) var breach: String?
  private var now = Instant.now
  private let info: MediaInfo
  private let length: Duration
  private var decoder: FakeDecoder
  private var device = FakeDevice()
  private var deadline: Instant?
  private var idleTicks = 0
  private var reached = Duration.zero
  /// The earliest time that was heard since the last tick.
  private var heard: Duration?
  /// Where it ends, as was known last.
  private var end: Duration?
  private var endings = 0
  /// A picture is awaited in another size, if any.
  private var isReshaped = false

  init(using random: inout SeededRandom) {
    let kinds: [MediaInfo] = [
      .video, .video, .soundedVideo, .soundedVideo, .still, .animation, .song,
    ]
    var info = kinds[Int.random(in: 0..<kinds.count, using: &random)]
    length = .milliseconds(Int.random(in: 1...20, using: &random) * 200)
    info.duration = info.kind == .picture ? nil : length
    self.info = info
    let isUntimed = Int.random(in: 0..<8, using: &random) == 0
    let hears = !isUntimed && Bool.random(using: &random)
    playback = Playback(
      Playback.Options(
        durations: DisplayDurations(own: nil, imageTime: .seconds(1)),
        soundRate: hears ? FakeDecoder.rate : nil, isUntimed: isUntimed,
        showsOnlyFirst: Int.random(in: 0..<8, using: &random) == 0))
    decoder = FakeDecoder(
      length: length, isStill: info.isStill, isCover: info.kind == .sound,
      hasSound: hears && info.soundCodec != nil)
    give(.open)
  }

  // MARK: - What happens

  mutating func act(using random: inout SeededRandom) {
    switch Int.random(in: 0..<64, using: &random) {
    case 0...19: tick(after: Int.random(in: 0...60, using: &random))
    case 20: tick(after: Int.random(in: 0...3000, using: &random))
    case 21...24: tickAtTheDeadline()
    case 25...44: decode()
    case 45: begin(at: Bool.random(using: &random) ? .zero : time(using: &random))
    case 46: give(.prepare)
    case 47, 48: give(.pause)
    case 49...51: give(.play)
    case 52, 53: seek(to: time(using: &random))
    case 54, 55: reshape()
    case 56...59: report(isWaiting: Bool.random(using: &random), using: &random)
    case 60: device.isAbsent.toggle()
    case 61: device.setStarved(!device.isStarved, at: now)
    case 62:
      if Int.random(in: 0..<16, using: &random) == 0, !playback.isLost {
        decoder.isGone = true
        give(.decoder(.failed(reason: "r")))
      }
    default: reportStored()
    }
  }

  private func time(using random: inout SeededRandom) -> Duration {
    .milliseconds(Int.random(in: -500...6000, using: &random))
  }

  private mutating func begin(at position: Duration) {
    guard playback.state == .ready else { return }
    give(.begin(at: position))
  }

  private mutating func seek(to time: Duration) {
    give(.seek(to: time))
    if case .seeking = playback.state { reached = .zero }
  }

  private mutating func reshape() {
    isReshaped = true
    give(.reshape(.other))
  }

  private mutating func report(isWaiting: Bool, using random: inout SeededRandom) {
    let isLocal = Int.random(in: 0..<4, using: &random) == 0
    let until = time(using: &random)
    give(
      .buffer(
        BufferReport(
          isPlaylist: Int.random(in: 0..<4, using: &random) == 0, isWaiting: isWaiting,
          isFetching: Bool.random(using: &random),
          fetched: isLocal ? nil : .init(isWhole: until > length, availableUntil: until))))
  }

  private mutating func decode() {
    if let event = decoder.next(info) {
      if case .sound(let frames) = event { device.end += .milliseconds(frames) }
      give(.decoder(event))
    }
    reportStored()
  }

  private mutating func reportStored() {
    let stored = device.stored(from: playback.clockTime(at: now), at: now)
    give(.soundStored(frames: Int(stored / .milliseconds(1))))
  }

  private mutating func tickAtTheDeadline() {
    guard let deadline, deadline > now else { return tick(after: 0) }
    now = deadline
    tick(after: 0)
  }

  private mutating func tick(after milliseconds: Int) {
    now = now + .milliseconds(milliseconds)
    noteHeard()
    var hadEffect = false
    if decoder.hasSound, decoder.isOpen {
      let report = device.report(playback.clockTime(at: now), isDone: decoder.isDone, at: now)
      hadEffect = give(.sound(report))
    }
    hadEffect = give(.tick(lead: .zero)) || hadEffect
    let isPast = deadline.map { $0 <= now } ?? false
    idleTicks = isPast && !hadEffect ? idleTicks + 1 : 0
    if idleTicks > 1 { breach = "a deadline in the past, and nothing happens" }
    checkPosition()
    heard = nil
    checkCredit()
  }

  /// All of it comes, and nobody interferes.
  mutating func playToTheEnd() {
    begin(at: .zero)
    device.isAbsent = false
    device.setStarved(false, at: now)
    for _ in 0..<20_000 where breach == nil && playback.state.isBegun {
      give(.play)
      give(.buffer(BufferReport()))
      decode()
      tickAtTheDeadline()
      if deadline == nil { now = now + .milliseconds(10) }
    }
    if breach == nil, endings != 1 { breach = "it has ended \(endings) times" }
  }

  // MARK: - What must hold

  /// - Returns: whether that had an effect, or changed the state.
  @discardableResult
  private mutating func give(_ input: Playback.Input) -> Bool {
    var inputs = [input]
    let old = playback.state
    var hadEffect = false
    while !inputs.isEmpty, breach == nil {
      let before = playback.state
      let output = playback.handle(inputs.removeFirst(), at: now)
      deadline = output.deadline
      end = playback.end ?? end
      noteHeard()
      for effect in output.effects {
        hadEffect = true
        if let answer = perform(effect, before: before) { inputs.append(answer) }
      }
      if playback.isRunning {
        switch playback.state {
        case .playing, .reshaping: break
        default: breach = "the clock runs"
        }
      }
      if before != .ready, playback.state == .ready { breach = "it is ready again" }
      if playback.state.isBegun, endings > 0 { breach = "it goes on after its end" }
    }
    return hadEffect || playback.state != old
  }

  private mutating func noteHeard() {
    guard playback.isSoundHeard, let time = device.heard(at: now) else { return }
    heard = min(heard ?? time, time)
  }

  private mutating func perform(
    _ effect: Playback.Effect, before: PlaybackState
  ) -> Playback.Input? {
    switch effect {
    case .show:
      if before == .ready { breach = "shown before its turn" }
      if case .failed = before { breach = "shown after it failed" }
      if case .resting(let reshapedAt) = before {
        if reshapedAt == nil || !isReshaped { breach = "shown after its end" }
      }
      if isReshaped { reached = .zero }
      isReshaped = false
    case .finished, .failed: endings += 1
    case .allowPictures(let count):
      if count <= 0 { breach = "credit for \(count) pictures" }
      decoder.pictureCredit += count
    case .allowSound(let frames):
      if frames <= 0 { breach = "credit for \(frames) frames" }
      decoder.soundCredit += frames
    case .seekDecoder(let time): decoder.seek(to: time)
    case .reshapeDecoder, .setEffort: break
    case .sound(let effect): return perform(effect)
    }
    return nil
  }

  private mutating func perform(_ effect: SoundEffect) -> Playback.Input? {
    let isQueued = device.perform(effect, at: now)
    let report = device.report(playback.clockTime(at: now), isDone: decoder.isDone, at: now)
    switch effect {
    case .resume: return .sound(report)
    case .queue: return .soundQueued(isQueued, report)
    case .pause, .play, .silence, .restart, .finish, .forget: return nil
    }
  }

  private mutating func checkPosition() {
    let position = playback.position(at: now)
    if position < .zero { breach = "a position before the beginning" }
    // The clock may be beyond a picture that is due and not yet shown.
    if let deadline, deadline <= now { return }
    guard position < reached else {
      reached = position
      return
    }
    // Its end became known when it was beyond.
    let isEnd = end == position
    let isHeard = heard.map { position >= $0 } ?? false
    // Nobody watches an untimed one.
    if !isEnd, !isHeard, !playback.options.isUntimed {
      breach = "the position runs back from \(reached) to \(position)"
    }
    reached = position
  }

  private mutating func checkCredit() {
    if decoder.pictureCredit > 16 { breach = "credit for \(decoder.pictureCredit) pictures" }
    if decoder.soundCredit > FakeDecoder.rate { breach = "credit for too much sound" }
    let decodesOn = !playback.options.showsOnlyFirst || decoder.hasSound
    if playback.state.isBegun, !playback.isComplete, !playback.isLost, decoder.isOpen, decodesOn,
      !playback.hasWaitingPicture, decoder.pictureCredit == 0
    {
      breach = "no picture, and no credit for one"
    }
  }
}

/// Sends pictures of 40 ms and runs of sound as far as it has credit.
private struct FakeDecoder {
  static let rate = 1000
  private static let picture = Duration.milliseconds(40)

  let length: Duration
  let isStill: Bool
  let isCover: Bool
  let hasSound: Bool
  var pictureCredit = 0
  var soundCredit = 0
  var isGone = false
  private(set) var isOpen = false
  private(set) var isDone = false
  private var pictureTime: Duration? = .zero
  private var soundTime: Duration? = .zero

  init(length: Duration, isStill: Bool, isCover: Bool, hasSound: Bool) {
    self.length = length
    self.isStill = isStill
    self.isCover = isCover
    self.hasSound = hasSound
  }

  mutating func seek(to time: Duration) {
    isDone = false
    soundTime = time
    if isStill {
      // A cover comes wherever its sound goes on.
      pictureTime = isCover ? time : .zero
    } else {
      let number = Int(time / FakeDecoder.picture)
      let start = FakeDecoder.picture * number
      pictureTime = start < length ? start : nil
    }
  }

  mutating func next(_ info: MediaInfo) -> Playback.DecoderEvent? {
    guard !isGone, !isDone else { return nil }
    guard isOpen else {
      isOpen = true
      return .opened(info)
    }
    if hasSound, let time = soundTime, soundCredit > 0, time <= pictureTime ?? .seconds(1000) {
      guard time < length else {
        soundTime = nil
        return .soundEnded(at: length)
      }
      let frames = min(100, soundCredit)
      soundCredit -= frames
      soundTime = time + .milliseconds(frames)
      return .sound(frames: frames)
    }
    if let time = pictureTime {
      guard pictureCredit > 0 else { return nil }
      pictureCredit -= 1
      let next = time + FakeDecoder.picture
      pictureTime = isStill || next >= length ? nil : next
      return .picture(
        DecodedPicture(
          serial: 0, time: time, duration: isStill ? nil : FakeDecoder.picture,
          bitmap: Bitmap(width: 1, height: 1, pixels: [0])))
    }
    guard !hasSound || soundTime == nil else { return nil }
    isDone = true
    let isForShow = info.kind == .picture
    let end = isStill ? (isForShow ? .zero : length) : length
    return .ended(pictures: isStill && !isForShow ? .zero : end, sound: hasSound ? length : nil)
  }
}

/// A sound device that plays what it is given as time goes by.
private struct FakeDevice {
  var isAbsent = false
  private(set) var isStarved = false
  /// Up to here samples have come.
  var end = Duration.zero
  private var isPaused = false
  /// What is heard, and since when; nil where nothing is queued.
  private var line: (time: Duration, since: Instant)?

  /// The time of the story that is heard.
  func heard(at now: Instant) -> Duration? {
    guard let line else { return nil }
    if isPaused || isStarved { return line.time }
    return min(line.time + (now - line.since), max(line.time, end))
  }

  /// What is here behind what was heard, or else behind a time.
  func stored(from time: Duration, at now: Instant) -> Duration {
    max(.zero, end - (heard(at: now) ?? time))
  }

  func report(_ time: Duration, isDone: Bool, at now: Instant) -> SoundReport {
    let heard = heard(at: now)
    let isOver = isDone && end <= time
    let moment: SoundReport.Moment =
      if isPaused || isAbsent {
        .unknown
      } else if let heard, !isDone || heard < end {
        .heard(heard)
      } else {
        .over
      }
    return SoundReport(
      device: isAbsent ? .absent : .open, moment: moment,
      isStarved: isStarved || heard.map { $0 >= end } ?? false && !isDone, isOver: isOver,
      isReady: end >= time || isDone, isReadyToJoin: end >= time + SoundReport.joinMargin || isDone)
  }

  /// - Returns: whether what was queued will be heard.
  mutating func perform(_ effect: SoundEffect, at now: Instant) -> Bool {
    settle(at: now)
    switch effect {
    case .resume: isPaused = false
    case .pause: isPaused = true
    case .queue(let time): if line == nil { line = (time, now) }
    case .play(let time): line = (time, now)
    case .silence:
      line = nil
      isPaused = false
    case .restart(let time):
      line = nil
      isPaused = false
      end = time
    case .finish, .forget: break
    }
    return line != nil
  }

  mutating func setStarved(_ starved: Bool, at now: Instant) {
    settle(at: now)
    isStarved = starved
  }

  /// What is heard now is heard from here on.
  private mutating func settle(at now: Instant) {
    if let time = heard(at: now) { line = (time, now) }
  }
}
