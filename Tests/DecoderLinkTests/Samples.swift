import DecoderLink

/// Messages with every kind of field at its usual values and at its ends.
enum Samples {
  static let player: [PlayerMessage] = [
    .open(
      OpenRequest(
        length: 1_234_567, shape: PictureRequest(width: 120, height: 80), soundRate: 48_000,
        mostBitsPerSecond: 2_500_000, ending: "tga", mayNeedHeif: true)),
    .open(
      OpenRequest(
        length: nil, shape: PictureRequest(width: 120, height: 80), ending: "m3u8",
        listsParts: true)),
    .open(
      OpenRequest(
        length: nil,
        shape: PictureRequest(width: .max, height: 1, pixelAspect: 0.5, fit: .cover))),
    .open(OpenRequest(length: .max, shape: PictureRequest(width: 1, height: .max), soundRate: 0)),
    .bytes(request: 7, Array(0...255)),
    .bytes(request: .max, []),
    .refused(request: 1, reason: "no such file"),
    .refused(request: 0, reason: ""),
    .resource(request: 3, id: 9, length: 12),
    .resource(request: 3, id: .max, length: nil),
    .availableUntil(request: 4, end: 65_536),
    .availableUntil(request: .max, end: .max),
    .shape(PictureRequest(width: 300, height: 180, pixelAspect: 1.125, fit: .cover)),
    .shape(PictureRequest(width: 3, height: 2, keepsAlpha: true)),
    .credit(pictures: 3),
    .credit(pictures: .max),
    .soundCredit(frames: 48_000),
    .soundCredit(frames: .max),
    .seek(serial: 5, to: .seconds(3600)),
    .seek(serial: 6, to: .nanoseconds(Int64.max)),
    .seek(serial: 6, to: .nanoseconds(Int64.min)),
    .effort(.full), .effort(.parallel), .effort(.hurried),
    .playlist(list: 1, Array("#EXTM3U\n".utf8)),
    .playlist(list: .max, []),
    .playlistLost(list: 0, reason: "nothing new has come"),
  ]

  static let decoder: [DecoderMessage] = [
    .read(request: 1, resource: 0, offset: 0, length: 65_536),
    .read(request: .max, resource: .max, offset: .max, length: .max),
    .queryAvailable(request: 3, resource: 0, offset: 65_536),
    .queryAvailable(request: .max, resource: .max, offset: .max),
    .openResource(request: 2, url: "https://example.org/segment ü 日本 🎬.ts"),
    .openResource(request: 2, url: ""),
    .closeResource(4),
    .needs([], reachesEnd: true),
    .needs(
      [
        NeededPart(url: "key", start: .zero, end: nil),
        NeededPart(
          url: "a/1.ts?sig=1", offset: .max, length: .max, rendition: .max, start: .seconds(6),
          end: .seconds(12)),
      ], reachesEnd: false),
    .parts([], isLast: true),
    .parts([NeededPart(url: "0.ts", start: .zero, end: .seconds(2))], isLast: false),
    .follow(list: 0, url: nil, every: .seconds(6)),
    .follow(list: .max, url: "a/v.m3u8", every: .nanoseconds(Int64.max)),
    .awaitPlaylist(list: 1, changes: .max), .unfollow(list: 1),
    .opened(
      MediaInfo(
        kind: .video, isStill: false, container: "mov", pictureCodec: "h264", soundCodec: "aac",
        displayWidth: 1080, displayHeight: 1920, frameRate: 29.97, duration: .milliseconds(7500))),
    .opened(
      MediaInfo(
        kind: .sound, isStill: true, container: "", displayWidth: 0, displayHeight: .max,
        isLive: true)),
    .picture(
      DecodedPicture(
        serial: 1, time: .milliseconds(40), duration: .milliseconds(40),
        bitmap: Bitmap(
          width: 3, height: 2, pixels: [0xFF0000, 0x00FF00, 0x0000FF, 0, 0xFFFFFF, 0x123456]))),
    .picture(
      DecodedPicture(
        serial: 0, time: .milliseconds(-40), duration: nil, skipped: .max,
        bitmap: Bitmap(width: 1, height: 1, pixels: [.max]))),
    .sound(DecodedSound(serial: 2, time: .zero, samples: [.min, .max, -1, 1])),
    .sound(DecodedSound(serial: 2, time: .zero, samples: [])),
    .ended(serial: 3, picturesEnd: .seconds(10), soundEnd: .milliseconds(10_200)),
    .ended(serial: 3, picturesEnd: nil, soundEnd: nil),
    .soundEnded(serial: 3, at: .milliseconds(10_200)),
    .soundEnded(serial: .max, at: .zero),
    .note("its sound cannot be played: no decoder for codec 'xyz'"), .note(""),
    .failed(reason: "the file is cut off after 1.2 s"),
  ]
}
