import DecoderLink
import Decoders
import Playback
import Resources
import Sound
import System

/// One story that is kept ready or plays: owns its decoder, its sound and its bytes, and executes what
/// its `Playback` decides. It draws nothing.
final class StorySlot: LoopSource {
  /// What a tick means for the screen.
  enum Step {
    case nothing
    case show(DecodedPicture)
    case finished
    case failed(String)
  }

  let story: Int
  /// The generation of this play; nil while the story is only kept ready.
  private(set) var generation: Int?
  private(set) var playback: Playback
  /// When the next tick must come at the latest.
  private(set) var nextMoment: Instant?
  var notes = StoryNotes()
  private let session: DecoderSession
  /// nil once it is left, and for bytes that need no network.
  private var reportProgress: (() -> ResourceProgress)?
  /// Where sound is heard; nil where none is wanted.
  private let speaker: Speaker?
  /// Once it is known that the story has any.
  private var voice: Voice?

  init(
    story: Int, session: DecoderSession, progress: (() -> ResourceProgress)?, speaker: Speaker?,
    options: Playback.Options, now: Instant
  ) {
    self.story = story
    self.session = session
    reportProgress = progress
    self.speaker = speaker
    playback = Playback(options)
    handle(.open, at: now)
  }

  /// Whether its decoder has ended by a fault of its own.
  var hasCrashed: Bool { session.hasCrashed }

  /// nil once nothing can come: the socket of a decoder that has ended is always ready.
  var interest: Interest? {
    guard !playback.isLost else { return nil }
    return Interest(
      session.descriptor, reading: !playback.letsDecoderWait(at: .now),
      writing: session.wantsToWrite)
  }
  /// When the decoder counts as hanging.
  var deadline: Instant? { session.deadline }

  /// Whether anything of it was shown.
  var hasPicture: Bool { playback.shown != nil }

  /// How far its bytes have come from the network; nil where they are here. Of a playlist only its
  /// server is known.
  var progress: ResourceProgress? {
    session.isPlaylist ? reportProgress?().ofPlaylist() : reportProgress?()
  }

  /// How urgent its bytes are compared with those of others.
  func setUrgency(_ urgency: ResourceUrgency) { session.setUrgency(urgency) }

  // MARK: - Commands

  /// Its turn comes in a moment.
  func prepare(at now: Instant) { handle(.prepare, at: now) }

  /// From ready to playing, from a position on.
  func begin(generation: Int, at position: Duration, now: Instant) {
    self.generation = generation
    handle(.begin(at: position), at: now)
    reportBuffer(at: now)
  }

  func setPaused(_ paused: Bool, at now: Instant) {
    session.setPaused(paused)
    handle(paused ? .pause : .play, at: now)
  }

  /// Goes to a position within the story, where it can.
  func seek(to time: Duration, at now: Instant) { handle(.seek(to: time), at: now) }

  /// The grid has changed: the present picture is wanted again in the new size.
  func reshape(_ shape: PictureRequest, at now: Instant) {
    handle(.reshape(shape), at: now)
  }

  /// Lets the sound of the next story begin where this one's ends, once that is known, and where it
  /// is sure that it plays.
  func arrange(_ next: StorySlot, where isSure: () -> Bool) {
    guard playback.isComplete, playback.isSoundHeard, let speaker, let voice = next.voice,
      isSure(), !voice.isInLine
    else { return }
    // Where it cannot be arranged yet, the next turn tries again.
    _ = speaker.follow(with: voice)
  }

  /// Restarts the time that the decoder has: the player itself was stopped meanwhile.
  func forgive() { session.forgive() }

  /// It does not play any more, and its bytes are not needed. `close` follows.
  func leave() {
    session.giveUpBytes()
    reportProgress = nil
  }

  func close() { session.close() }

  // MARK: - What comes

  /// Takes in what the decoder says, and serves it.
  func service(_ readiness: Readiness, now: Instant) {
    // It may have had to wait for this turn.
    var readiness = readiness
    readiness.readable = readiness.readable || playback.hasEnoughPictures
    for event in session.service(readiness, now: now) { take(event, now: now) }
    reportBuffer(at: now)
    if let voice {
      let frames = voice.waiting(from: playback.clockTime(at: now))
      handle(.soundStored(frames: frames), at: now)
    }
  }

  private func take(_ event: DecoderSession.Event, now: Instant) {
    switch event {
    case .opened(let info):
      if info.soundCodec != nil { voice = speaker?.makeVoice() }
      handle(.decoder(.opened(info)), at: now)
    case .picture(let picture): handle(.decoder(.picture(picture)), at: now)
    case .sound(let samples):
      voice?.add(samples.samples, at: samples.time)
      handle(.decoder(.sound(frames: samples.frames)), at: now)
    case .soundEnded(let end): handle(.decoder(.soundEnded(at: end)), at: now)
    case .ended(_, let pictures, let sound):
      handle(.decoder(.ended(pictures: pictures, sound: sound)), at: now)
    case .note(let words): notes.add(words)
    case .parts: break
    case .failed(let reason): handle(.decoder(.failed(reason: reason)), at: now)
    }
  }

  /// Bytes have come, perhaps of this story.
  func noteBytes(at now: Instant) { reportBuffer(at: now) }

  private func reportBuffer(at now: Instant) {
    var report = BufferReport(
      isPlaylist: session.isPlaylist, isWaiting: session.isWaitingForBytes,
      isFetching: session.isFetching)
    // A story that waits for its turn does not use this.
    if generation != nil, let progress {
      report.fetched = .init(isWhole: progress.isWhole, availableUntil: nil)
      if session.isPlaylist {
        let ahead = session.partsAhead
        report.fetched = .init(
          isWhole: ahead?.isWhole ?? false, availableUntil: ahead?.availableUntil)
      } else if let length = playback.length, length > .zero {
        let share = playback.position(at: now) / length
        report.fetched?.availableUntil = length * progress.reach(from: share)
      }
    }
    handle(.buffer(report), at: now)
  }

  /// What is to be shown now. A picture that is returned counts as shown.
  ///
  /// - Parameter lead: how much earlier it ends than its medium.
  func step(at now: Instant, lead: Duration) -> Step {
    if let report = soundReport(at: now) { handle(.sound(report), at: now) }
    return handle(.tick(lead: lead), at: now)
  }

  private func soundReport(at now: Instant) -> SoundReport? {
    guard let speaker, let voice else { return nil }
    let time = playback.clockTime(at: now)
    let moment: SoundReport.Moment =
      switch voice.moment(at: now) {
      case .heard(let time): .heard(time)
      case .over: .over
      case .unknown: .unknown
      }
    return SoundReport(
      device: speaker.isOpen ? .open : speaker.isAbsent ? .absent : .unopened, moment: moment,
      isStarved: voice.isStarved, isOver: voice.isOver(at: time), isReady: voice.isReady(at: time),
      isReadyToJoin: voice.isReady(at: time + SoundReport.joinMargin))
  }

  /// How far the sound is ahead of the picture that was shown when its time had come; nil where none
  /// is heard, and for a picture that was waited for.
  func soundLead(at now: Instant) -> Duration? {
    guard let shown = playback.shown, playback.isShownOnTime, playback.isSoundHeard,
      let time = voice?.time(at: now)
    else { return nil }
    return time - shown.time
  }

  // MARK: - Effects

  /// Gives the playback an input, and does what it wants, and what it wants for the answers.
  ///
  /// - Returns: what is for the screen: only a tick has anything.
  @discardableResult
  private func handle(_ input: Playback.Input, at now: Instant) -> Step {
    var step = Step.nothing
    var next: Playback.Input? = input
    var answers: [Playback.Input] = []
    while let input = next {
      let output = playback.handle(input, at: now)
      nextMoment = output.deadline
      for effect in output.effects {
        switch effect {
        case .show(let picture): step = .show(picture)
        case .finished: step = .finished
        case .failed(let reason): step = .failed(reason)
        case .sound(let effect):
          if let answer = execute(effect, at: now) { answers.append(answer) }
        case .reshapeDecoder(let shape): session.reshape(shape)
        case .allowPictures(let count): session.allow(pictures: count)
        case .allowSound(let frames): session.allow(soundFrames: frames)
        case .seekDecoder(let time): session.seek(to: time)
        case .setEffort(let effort): session.setEffort(effort)
        }
      }
      next = answers.isEmpty ? nil : answers.removeFirst()
    }
    return step
  }

  /// Does what the sound is to do; returns what that came to, where it is waited for.
  private func execute(_ effect: SoundEffect, at now: Instant) -> Playback.Input? {
    guard let speaker, let voice else { return nil }
    switch effect {
    case .resume:
      speaker.setPaused(false)
      return soundReport(at: now).map { .sound($0) }
    case .pause: speaker.setPaused(true)
    case .queue(let time):
      let isQueued = speaker.queue(voice, from: time)
      return soundReport(at: now).map { .soundQueued(isQueued, $0) }
    case .play(let time): speaker.play(voice, from: time)
    case .silence:
      speaker.cut()
      speaker.want()
    case .restart(let time):
      speaker.cut()
      voice.begin(at: time)
    case .finish(let time): voice.finish(at: time)
    case .forget(let time): voice.forget(before: time)
    }
    return nil
  }
}
