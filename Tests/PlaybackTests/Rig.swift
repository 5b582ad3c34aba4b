import DecoderLink
import Playback
import System

/// A story that a test plays by hand, with a clock of its own.
struct Rig {
  var playback: Playback
  var now: Instant
  var deadline: Instant?
  private let start: Instant

  /// A story of some kind that is open and has begun, unless it is only kept ready.
  init(
    _ info: MediaInfo = .video, soundRate: Int? = nil, isUntimed: Bool = false,
    showsOnlyFirst: Bool = false, own: Duration? = nil, at position: Duration? = .zero
  ) {
    start = .now
    now = start
    playback = Playback(
      Playback.Options(
        durations: DisplayDurations(own: own, imageTime: .seconds(5)), soundRate: soundRate,
        isUntimed: isUntimed, showsOnlyFirst: showsOnlyFirst))
    send(.open)
    if let position { send(.begin(at: position)) }
    send(.decoder(.opened(info)))
  }

  /// Gives it an input; returns the effects but credit.
  @discardableResult
  mutating func send(_ input: Playback.Input) -> [Playback.Effect] {
    let output = playback.handle(input, at: now)
    deadline = output.deadline
    return output.effects.filter { effect in
      switch effect {
      case .allowPictures, .allowSound: false
      default: true
      }
    }
  }

  /// Lets time go by, then ticks.
  @discardableResult
  mutating func tick(after milliseconds: Int = 0, lead: Int = 0) -> [Playback.Effect] {
    now = now + .milliseconds(milliseconds)
    return send(.tick(lead: .milliseconds(lead)))
  }

  /// Pictures come from the decoder.
  mutating func picture(_ milliseconds: Int...) {
    for time in milliseconds { send(.decoder(.picture(.at(time)))) }
  }

  /// The decoder has sent all.
  mutating func ended(pictures: Int?, sound: Int? = nil) {
    send(
      .decoder(
        .ended(
          pictures: pictures.map { .milliseconds($0) }, sound: sound.map { .milliseconds($0) })))
  }

  /// The position in milliseconds.
  var position: Int { milliseconds(playback.position(at: now)) }

  /// In how many milliseconds it wants the next tick.
  var wait: Int? { deadline.map { milliseconds($0 - now) } }

  private func milliseconds(_ duration: Duration) -> Int {
    Int((duration / .milliseconds(1)).rounded())
  }
}

extension DecodedPicture {
  /// A picture of 40 ms.
  static func at(_ milliseconds: Int) -> DecodedPicture {
    DecodedPicture(
      serial: 0, time: .milliseconds(milliseconds), duration: .milliseconds(40),
      bitmap: Bitmap(width: 1, height: 1, pixels: [0]))
  }
}

extension Playback.Effect {
  static func shown(_ milliseconds: Int) -> Playback.Effect { .show(.at(milliseconds)) }
}

extension PictureRequest {
  static let other = PictureRequest(width: 8, height: 8)
}

extension MediaInfo {
  static let video = MediaInfo(
    kind: .video, isStill: false, container: "mov", displayWidth: 1, displayHeight: 1,
    duration: .seconds(10))
  static let soundedVideo = MediaInfo(
    kind: .video, isStill: false, container: "mov", soundCodec: "aac", displayWidth: 1,
    displayHeight: 1, duration: .seconds(10))
  static let still = MediaInfo(
    kind: .picture, isStill: true, container: "jpeg", displayWidth: 1, displayHeight: 1)
  static let animation = MediaInfo(
    kind: .animation, isStill: false, container: "lottie", displayWidth: 1, displayHeight: 1,
    duration: .seconds(2))
  /// A sound with its cover.
  static let song = MediaInfo(
    kind: .sound, isStill: true, container: "mp3", soundCodec: "mp3", displayWidth: 1,
    displayHeight: 1, duration: .seconds(10))
}

extension SoundReport {
  /// A device that plays what is there.
  static func heard(_ milliseconds: Int) -> SoundReport {
    .saying(.heard(.milliseconds(milliseconds)))
  }

  static func saying(
    _ moment: Moment, device: Device = .open, isStarved: Bool = false, isOver: Bool = false,
    isReady: Bool = true
  ) -> SoundReport {
    SoundReport(
      device: device, moment: moment, isStarved: isStarved, isOver: isOver, isReady: isReady,
      isReadyToJoin: isReady)
  }
}
