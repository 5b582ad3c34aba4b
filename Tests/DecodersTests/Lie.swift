import DecoderLink

/// Messages that only a hostile decoder sends to a player that requested pictures of 32x18 and no
/// sound.
struct Lie: CustomStringConvertible, Sendable {
  let description: String
  let messages: [DecoderMessage]
  /// How many of them the player accepts.
  let believed: Int

  private init(_ description: String, _ messages: DecoderMessage..., believed: Int = 1) {
    self.description = description
    self.messages = messages
    self.believed = believed
  }

  static let info = MediaInfo(
    kind: .video, isStill: false, container: "mov", displayWidth: 320, displayHeight: 180)

  static func picture(
    serial: UInt32 = 0, time: Duration = .zero, duration: Duration? = nil, width: Int = 4,
    height: Int = 4
  ) -> DecodedPicture {
    DecodedPicture(
      serial: serial, time: time, duration: duration,
      bitmap: Bitmap(
        width: width, height: height,
        pixels: [UInt32](repeating: 0x1080F0, count: width * height)))
  }

  static func part(_ offset: UInt64, _ length: UInt64?) -> NeededPart {
    NeededPart(url: "a", offset: offset, length: length, start: .zero, end: nil)
  }

  private static func info(_ change: (inout MediaInfo) -> Void) -> DecoderMessage {
    var changed = info
    change(&changed)
    return .opened(changed)
  }

  private static let opened = DecoderMessage.opened(info)
  private static let tooLate = Duration.seconds(1_000 * 86_400 + 1)

  static let all = [
    Lie(
      "sound that nobody asked for", opened,
      .sound(DecodedSound(serial: 0, time: .zero, samples: [0, 0]))),
    Lie("opened twice", opened, opened),
    // The story is no playlist.
    Lie("a part of no playlist", .needs([], reachesEnd: true), believed: 0),
    Lie("parts that nobody asked for", opened, .parts([], isLast: true)),
    Lie("a growing file", .follow(list: 0, url: nil, every: .seconds(1)), believed: 0),
    Lie("a change of no playlist", .awaitPlaylist(list: 0, changes: 0), believed: 0),
    Lie("the end of no playlist", .unfollow(list: 0), believed: 0),
    Lie(
      "a part that ends before it begins",
      .needs(
        [NeededPart(url: "a", start: .seconds(1), end: .zero)], reachesEnd: true), believed: 0),
    Lie("no parts, and more to come", .parts([], isLast: false), believed: 0),
    Lie("a part behind any end", .parts([part(.max, nil)], isLast: true), believed: 0),
    Lie("a part without end", .parts([part(1, .max)], isLast: true), believed: 0),
    Lie("a picture before opened", .picture(picture()), believed: 0),
    Lie("ended before opened", .ended(serial: 0, picturesEnd: .zero, soundEnd: nil), believed: 0),
    Lie(
      "ended twice", opened, .ended(serial: 0, picturesEnd: .zero, soundEnd: nil),
      .ended(serial: 0, picturesEnd: .zero, soundEnd: nil), believed: 2),
    Lie(
      "a picture after the end", opened, .ended(serial: 0, picturesEnd: .zero, soundEnd: nil),
      .picture(picture()), believed: 2),
    Lie("a serial of the future", opened, .picture(picture(serial: 1))),
    Lie("a picture long before the start", opened, .picture(picture(time: .seconds(-3_601)))),
    Lie("a picture in 1,000 days", opened, .picture(picture(time: tooLate))),
    Lie(
      "a picture for less than nothing", opened,
      .picture(picture(duration: .nanoseconds(-1)))),
    Lie("a picture for 1,000 days", opened, .picture(picture(duration: tooLate))),
    Lie(
      "pictures that end before the start", opened,
      .ended(serial: 0, picturesEnd: .nanoseconds(-1), soundEnd: nil)),
    Lie(
      "sound that ends in 1,000 days", opened,
      .ended(serial: 0, picturesEnd: .zero, soundEnd: tooLate)),
    Lie("a length below nothing", info { $0.duration = .seconds(-1) }, believed: 0),
    Lie("a length of 1,000 days", info { $0.duration = tooLate }, believed: 0),
    Lie("pictures without end", info { $0.frameRate = 1e300 }, believed: 0),
    Lie("the widest picture", info { $0.displayWidth = .max }, believed: 0),
    Lie("too wide a picture", opened, .picture(picture(width: 33))),
    Lie("too high a picture", opened, .picture(picture(height: 19))),
    Lie("the end of a resource that was not opened", opened, .closeResource(1)),
    Lie("the end of the story's own bytes", opened, .closeResource(0)),
    Lie(
      "more pictures than allowed", opened, .picture(picture()), .picture(picture()),
      .picture(picture()), .picture(picture()), believed: 4),
  ]
}
