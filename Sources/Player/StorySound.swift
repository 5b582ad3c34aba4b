import DecoderLink
import Decoders
import Playback
import Sound
import System

/// A story's sound beside its pictures: hands its samples on, and sets the clock by what is heard.
///
/// The sound leads: while it is heard the clock follows it. Where it cannot be heard, the clock runs
/// by itself, and the sound comes in again where the clock is.
struct StorySound {
  private enum State {
    /// Not to be heard: before its story is told, paused, or after a seek.
    case resting
    /// To be heard at any moment: the clock stands until then, or until this moment.
    case awaited(until: Instant)
    case heard
    /// All was heard: the clock runs on.
    case over
    /// Nothing can be heard: the clock runs by itself.
    case unheard
    /// The clock runs by itself, and the sound is about to come in.
    case joining(until: Instant)
  }

  private let speaker: Speaker
  private let voice: Voice
  private var state = State.resting
  /// Since when the device has lacked samples.
  private var starvedSince: Instant?

  /// The clock waits so long for the sound.
  private static let patience = Duration.milliseconds(250)
  /// So much is decoded ahead, in frames: of a story that is kept ready, and of one that is told.
  static let readyFrames = SoundFormat.rate / 2
  private static let toldFrames = SoundFormat.rate

  init(_ speaker: Speaker) {
    self.speaker = speaker
    voice = speaker.makeVoice()
  }

  func take(_ sound: DecodedSound) { voice.add(sound.samples, at: sound.time) }

  /// No samples follow: the sound, or the whole story, ends at a time.
  func finish(at end: Duration) { voice.finish(at: end) }

  /// Lets the decoder go on as far as there is room for samples.
  func allow(_ session: DecoderSession, isTold: Bool, time: Duration) {
    let room = isTold ? Self.toldFrames : Self.readyFrames
    let missing = room - session.soundFramesAllowed - voice.waiting(from: time)
    if missing >= room / 8 { session.allow(soundFrames: missing) }
  }

  /// The clock is to run.
  mutating func go(_ clock: inout MediaClock, at now: Instant) {
    speaker.setPaused(false)
    guard !speaker.isAbsent else { return stayUnheard(&clock, at: now) }
    state = .awaited(until: now + Self.patience)
    follow(&clock, at: now)
  }

  /// The clock is to stand.
  mutating func halt() {
    speaker.setPaused(true)
    state = .resting
  }

  /// Only the clock ends: what is left of the sound may still be heard.
  mutating func leave() { state = .resting }

  /// The story was moved: what was decoded is not heard.
  mutating func restart(at time: Duration) {
    speaker.cut()
    voice.begin(at: time)
    state = .resting
  }

  /// Lets another story's sound begin where this one ends, once that is known.
  func arrange(_ follower: StorySound) {
    if isHeard, !follower.voice.isInLine { _ = speaker.follow(with: follower.voice) }
  }

  /// Whether all that is heard at a time is there.
  func isReady(at time: Duration) -> Bool { voice.isReady(at: time) }

  var isHeard: Bool { if case .heard = state { true } else { false } }
  /// The clock is led, or about to be.
  var isLeading: Bool {
    switch state {
    case .heard, .awaited: true
    case .resting, .over, .unheard, .joining: false
    }
  }

  /// When `follow` has something to do at the latest.
  func nextMoment(now: Instant, isComplete: Bool) -> Instant? {
    switch state {
    case .resting, .over: nil
    case .awaited(let until), .joining(let until): until
    // The decoder must be told in time that it may go on.
    case .heard, .unheard: isComplete ? nil : now + .milliseconds(200)
    }
  }

  /// The media time that is heard; nil where none is.
  func time(at now: Instant) -> Duration? { isHeard ? voice.time(at: now) : nil }

  /// Sets the clock by what is heard.
  mutating func follow(_ clock: inout MediaClock, at now: Instant) {
    switch state {
    case .resting, .over: break
    case .awaited(let until): begin(before: until, &clock, at: now)
    case .heard: lead(&clock, at: now)
    case .unheard: comeIn(clock, at: now)
    case .joining(let until):
      if let time = voice.time(at: now) {
        state = .heard
        clock.follow(time, at: now)
      } else if speaker.isAbsent || now >= until {
        stayUnheard(&clock, at: now)
      }
    }
  }

  private mutating func begin(before until: Instant, _ clock: inout MediaClock, at now: Instant) {
    if voice.isOver(at: clock.time(at: now)) {
      state = .over
      return clock.run(at: now)
    }
    let isQueued = speaker.queue(voice, from: clock.time(at: now))
    if isQueued, let time = voice.time(at: now) {
      state = .heard
      starvedSince = nil
      clock.set(to: time, at: now)
      clock.run(at: now)
    } else if speaker.isAbsent || now >= until {
      stayUnheard(&clock, at: now)
    }
  }

  private mutating func lead(_ clock: inout MediaClock, at now: Instant) {
    switch voice.moment(at: now) {
    case .heard(let time): clock.follow(time, at: now)
    case _ where speaker.isAbsent: return stayUnheard(&clock, at: now)
    case .over:
      state = .over
      return
    case .unknown:
      // The device has stopped, as after a short pause, and begins again.
      clock.stop(at: now)
      state = .awaited(until: now + Self.patience)
      return
    }
    guard voice.isStarved else {
      starvedSince = nil
      return
    }
    let since = starvedSince ?? now
    starvedSince = since
    if now - since > Self.patience { stayUnheard(&clock, at: now) }
  }

  private mutating func stayUnheard(_ clock: inout MediaClock, at now: Instant) {
    speaker.cut()
    speaker.want()
    clock.run(at: now)
    starvedSince = nil
    state = .unheard
  }

  /// There is a device, and samples for the time that the clock shows.
  private mutating func comeIn(_ clock: MediaClock, at now: Instant) {
    let time = clock.time(at: now)
    voice.forget(before: time)
    guard speaker.isOpen, voice.isReady(at: time + .milliseconds(100)) else { return }
    speaker.play(voice, from: time)
    state = .joining(until: now + Self.patience)
  }
}
