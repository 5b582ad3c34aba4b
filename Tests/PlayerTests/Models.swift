import DecoderLink
import Playback
import System
import Terminal

@testable import Player
@testable import Resources

extension MediaInfo {
  static let video = MediaInfo(
    kind: .video, isStill: false, container: "mov", pictureCodec: "h264", soundCodec: "aac",
    displayWidth: 1_920, displayHeight: 1_080, frameRate: 25, duration: .seconds(10))
  static let still = MediaInfo(
    kind: .picture, isStill: true, container: "jpeg", pictureCodec: "mjpeg", displayWidth: 640,
    displayHeight: 480)
  /// What does not say how long it is.
  static let endless = MediaInfo(
    kind: .video, isStill: false, container: "mpegts", displayWidth: 640, displayHeight: 480)
}

extension DecodedPicture {
  /// A picture of 40 ms in one colour.
  static func at(
    _ milliseconds: Int, width: Int = 2, height: Int = 2, colour: UInt32 = 0
  ) -> DecodedPicture {
    DecodedPicture(
      serial: 0, time: .milliseconds(milliseconds), duration: .milliseconds(40),
      bitmap: Bitmap(
        width: width, height: height, pixels: [UInt32](repeating: colour, count: width * height)))
  }
}

extension Playback {
  /// A story that was opened at a moment, and shows its first picture since then if `isShown`.
  static func opened(_ info: MediaInfo, at now: Instant, isShown: Bool = true) -> Playback {
    var playback = Playback(
      Options(durations: DisplayDurations(own: nil, imageTime: .seconds(5))))
    for input in [.open, .begin(at: .zero), .decoder(.opened(info))] as [Input] {
      _ = playback.handle(input, at: now)
    }
    guard isShown else { return playback }
    _ = playback.handle(.decoder(.picture(.at(0))), at: now)
    _ = playback.handle(.tick(lead: .zero), at: now)
    return playback
  }

  /// The same, after so much time in which each picture of 40 ms was there and was shown.
  func played(for milliseconds: Int, from now: Instant) -> Playback {
    var playback = self
    for time in stride(from: 40, through: milliseconds, by: 40) {
      let moment = now + .milliseconds(time)
      _ = playback.handle(.decoder(.picture(.at(time))), at: moment)
      _ = playback.handle(.tick(lead: .zero), at: moment)
    }
    return playback
  }
}

extension ResourceProgress {
  /// So many bytes from the beginning on have come.
  static func of(_ held: UInt64, _ length: UInt64?) -> ResourceProgress {
    ResourceProgress(
      host: "example.org", heldBytes: held, length: length,
      held: length.map { held > 0 ? [0...Double(held) / Double($0)] : [] } ?? [],
      isWaiting: false)
  }
}
