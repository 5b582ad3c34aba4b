import DecoderLink
import Support
import Testing

@testable import Decoding

/// Of several pictures in a sound file the cover is shown.
@Suite struct CoverTests {
  private let directory: TemporaryDirectory
  init() throws { directory = try TemporaryDirectory() }

  private static let colours: [String: [Int]] = [
    "red": [255, 0, 0], "lime": [0, 255, 0], "blue": [0, 0, 255], "white": [255, 255, 255],
  ]

  private func ffmpeg(_ arguments: [String], to name: String) throws -> String {
    let path = directory.path(name)
    let made = try run(
      Programs.installed("ffmpeg") ?? "ffmpeg",
      ["-v", "error", "-nostdin", "-y"] + arguments + [path], within: .seconds(60))
    #expect(made.status == 0, "\(made.errorText)")
    return path
  }

  private func picture(_ colour: String, _ name: String? = nil) throws -> String {
    try ffmpeg(
      ["-f", "lavfi", "-i", "color=c=\(colour):s=32x32:d=0.04:r=25", "-frames:v", "1"],
      to: name ?? "\(colour).png")
  }

  private static let sound = ["-f", "lavfi", "-i", "sine=440:d=1"]

  private func isShown(_ bytes: [UInt8], _ colour: String, notes: [String] = []) throws {
    let conversation = try DecoderConversation(bytes, soundRate: 48_000)
    try conversation.allow(1)
    #expect(try conversation.listen { !$0.pictures.isEmpty })
    #expect(conversation.info?.kind == .sound && conversation.info?.isStill == true)
    #expect(conversation.notes == notes)
    let shown = quarters(try #require(conversation.pictures.first))[0]
    let wanted = try #require(Self.colours[colour])
    #expect(zip(shown, wanted).allSatisfy { abs($0 - $1) <= 10 }, "\(shown)")
  }

  /// Pictures by their types in FFmpeg's words; the last is the one to be shown.
  @Test(
    arguments: [
      ["32x32 pixels 'file icon'", "Other", "Cover (front)"],
      ["Cover (back)", "Other file icon", "Other"],
      ["Cover (front)"],
      ["Other file icon", "Artist/performer"],
      ["Cover (back)", "Cover (front)"],
    ], ["a.mp3", "a.flac"])
  func cover_ofSeveralTypes_isTheBest(types: [String], name: String) throws {
    let colours = ["red", "lime", "blue"].suffix(types.count)
    var arguments = Self.sound
    for colour in colours { arguments += ["-i", try picture(colour)] }
    arguments += (0...types.count).flatMap { ["-map", "\($0)"] }
    arguments += ["-c:v", "copy", "-disposition:v", "attached_pic"]
    for (index, type) in types.enumerated() {
      arguments += ["-metadata:s:v:\(index)", "comment=\(type)"]
    }
    try isShown(contents(ffmpeg(arguments, to: name)), "blue")
  }

  /// METADATA_BLOCK_PICTURE in the comments of a stream is FLAC's block in base 64.
  @Test func cover_inOgg_isTheFront() throws {
    let whole = try contents(ffmpeg(Self.sound + ["-c:a", "libopus"], to: "a.opus"))
    let pictures = try [("red", 1), ("lime", 0), ("blue", 3)].map { colour, type in
      "METADATA_BLOCK_PICTURE="
        + Self.base64(Self.block(try contents(picture(colour)), type: type))
    }
    try isShown(Self.withComments(pictures, whole), "blue")
  }

  /// Matroska's attachments have names.
  @Test(arguments: [
    ["small_cover.png", "cover_land.png", "cover.png"], ["small_cover_land.png", "page.png"],
    ["page.png", "cover_land.png"],
  ])
  func cover_inMatroska_isTheOneOfThatName(names: [String]) throws {
    var arguments = Self.sound + ["-c:a", "libopus"]
    for (name, colour) in zip(names, ["red", "lime", "blue"].suffix(names.count)) {
      arguments += ["-attach", try picture(colour, name)]
    }
    for index in names.indices {
      arguments += ["-metadata:s:t:\(index)", "mimetype=image/png"]
    }
    try isShown(contents(ffmpeg(arguments, to: "a.mka")), "blue")
  }

  /// MP4 has no types: the first of several covers counts.
  @Test func cover_inMP4_isTheFirst() throws {
    var arguments = Self.sound
    for colour in ["blue", "red"] { arguments += ["-i", try picture(colour)] }
    arguments += ["-map", "0", "-map", "1", "-map", "2", "-c:v", "copy"]
    arguments += ["-disposition:v", "attached_pic", "-c:a", "aac"]
    try isShown(contents(ffmpeg(arguments, to: "a.m4a")), "blue")
  }

  /// The first picture of a file with a depth that no PNG has.
  private func withoutFirstPicture(_ bytes: [UInt8]) throws -> [UInt8] {
    var bytes = bytes
    let header = Array("IHDR".utf8)
    let place = try #require(
      bytes.indices.dropLast(20).first { bytes[$0..<$0 + 4].elementsEqual(header) })
    bytes[place + 12] = 77
    return bytes
  }

  @Test func cover_thatIsDamaged_givesWayToTheNext() throws {
    var arguments = Self.sound
    for colour in ["red", "blue"] { arguments += ["-i", try picture(colour)] }
    arguments += ["-map", "0", "-map", "1", "-map", "2", "-c:v", "copy"]
    arguments += ["-disposition:v", "attached_pic", "-metadata:s:v:0", "comment=Cover (front)"]
    try isShown(withoutFirstPicture(contents(ffmpeg(arguments, to: "a.mp3"))), "blue")
  }

  @Test func cover_thatIsDamaged_leavesTheWaveform() throws {
    let arguments = Self.sound + ["-i", try picture("red"), "-map", "0", "-map", "1"]
    let path = try ffmpeg(
      arguments + ["-c:v", "copy", "-disposition:v", "attached_pic"], to: "a.mp3")
    let conversation = try DecoderConversation(
      withoutFirstPicture(contents(path)), soundRate: 48_000)
    try conversation.allow(1)
    #expect(try conversation.listen { !$0.pictures.isEmpty })
    #expect(conversation.info?.kind == .sound && conversation.info?.isStill == false)
    #expect(
      conversation.notes == ["its cover cannot be shown: damaged: no picture can be decoded (png)"])
  }

  @Test(arguments: [
    (["cover (front)"], CoverRank.front), (["cover art (front)", "x.jpg"], .front),
    ([], .other), (["other"], .other), (["32x32 pixels 'file icon'"], .icon),
    (["other file icon"], .icon), (["a bright colored fish"], .rest), (["cover.jpg"], .front),
    (["cover_land.jpg"], .wideFront), (["small_cover.png"], .icon),
    (["small_cover_land.png"], .icon), (["back.jpg"], .other), (["cover"], .front),
  ])
  func rank_isOfTheFirstNameThatIsKnown(names: [String], rank: CoverRank) {
    #expect(CoverRank(names) == rank)
  }

  // MARK: Ogg

  /// An Opus file with other comments: its second page holds nothing else (RFC 7845, 5.2).
  private static func withComments(_ comments: [String], _ bytes: [UInt8]) throws -> [UInt8] {
    func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(value >> (8 * $0) & 0xFF) } }
    let marks = bytes.indices.dropLast(4).filter { bytes[$0..<$0 + 4].elementsEqual("OggS".utf8) }
    try #require(marks.count > 3)
    var packet = Array("OpusTags".utf8) + number(0) + number(comments.count)
    for comment in comments { packet += number(comment.utf8.count) + Array(comment.utf8) }
    let sizes = [UInt8](repeating: 255, count: packet.count / 255) + [UInt8(packet.count % 255)]
    // Everything up to the checksum is as it was (RFC 3533, 6).
    var page = Array(bytes[marks[1]..<marks[1] + 22]) + number(0) + [UInt8(sizes.count)]
    page += sizes + packet
    var sum: UInt32 = 0
    for byte in page {
      sum ^= UInt32(byte) << 24
      for _ in 0..<8 { sum = sum << 1 ^ (sum >> 31 == 1 ? 0x04C1_1DB7 : 0) }
    }
    page.replaceSubrange(22..<26, with: number(Int(sum)))
    return Array(bytes[..<marks[1]]) + page + Array(bytes[marks[2]...])
  }

  /// A picture block of FLAC (its format's description, METADATA_BLOCK_PICTURE).
  private static func block(_ png: [UInt8], type: Int) -> [UInt8] {
    func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(value >> (24 - 8 * $0) & 0xFF) } }
    let mime = Array("image/png".utf8)
    return number(type) + number(mime.count) + mime + number(0) + number(32) + number(32)
      + number(24) + number(0) + number(png.count) + png
  }

  private static func base64(_ bytes: [UInt8]) -> String {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    var text = ""
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let part = bytes[start..<min(start + 3, bytes.count)]
      let bits = part.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - part.count))
      for place in 0..<4 {
        text.append(place <= part.count ? letters[bits >> (18 - 6 * place) & 63] : "=")
      }
    }
    return text
  }
}
