import DecoderLink
import Support
import System
import Testing

@testable import Decoding

/// Pictures that FFmpeg alone does not show well: rotated, truncated, without a signature, large, much
/// reduced.
@Suite struct UnusualPictureTests {
  private let directory: TemporaryDirectory
  init() throws { directory = try TemporaryDirectory() }

  private static let red = 0xFF0000
  private static let lime = 0x00FF00
  private static let blue = 0x0000FF
  private static let white = 0xFFFFFF

  /// A file that FFmpeg makes of its generators.
  private func made(_ name: String, _ arguments: [String]) throws -> [UInt8] {
    let path = directory.path(name)
    let result = try run(
      Programs.installed("ffmpeg") ?? "ffmpeg",
      ["-v", "error", "-nostdin", "-y"] + arguments + [path], within: .seconds(120))
    try #require(result.status == 0, "\(result.errorText)")
    return try contents(path)
  }

  private func plain(_ name: String, _ color: String, _ size: String, _ more: [String] = []) throws
    -> [UInt8]
  {
    let generator = "color=\(color):size=\(size),format=rgb24"
    return try made(name, ["-f", "lavfi", "-i", generator, "-frames:v", "1"] + more)
  }

  private func decode(
    _ bytes: [UInt8], _ width: UInt32 = 24, _ height: UInt32 = 24, ending: String = ""
  ) throws -> DecoderConversation {
    let conversation = try DecoderConversation(bytes, width: width, height: height, ending: ending)
    try conversation.allow(1_000)
    #expect(try conversation.listen(within: .seconds(60)))
    return conversation
  }

  private func colours(_ conversation: DecoderConversation) throws -> [Int] {
    let picture = try #require(conversation.pictures.first, "\(conversation.failure ?? "nothing")")
    return quarters(picture).map { $0[0] << 16 | $0[1] << 8 | $0[2] }
  }

  // MARK: - Reduction

  private static let kinds = [
    ("png", "rgb24"), ("png", "rgba"), ("png", "rgb48be"), ("bmp", "bgr24"), ("tiff", "rgb24"),
    ("webp", "bgra"),
  ]

  /// From 3,001 and 6,401 pixels to a few: every pixel keeps its colour, also the last of an odd row.
  @Test(arguments: kinds) func picture_muchReduced_keepsItsColour(ending: String, pixels: String)
    throws
  {
    let bytes = try plain(
      "large.\(ending)", "0xFF0000", "6401x3001",
      ["-pix_fmt", pixels] + (ending == "webp" ? ["-lossless", "1"] : []))
    for (width, height) in [(4, 4), (20, 11), (43, 1), (250, 117)] as [(UInt32, UInt32)] {
      let conversation = try decode(bytes, width, height)
      let picture = try #require(
        conversation.pictures.first, "\(conversation.failure ?? "nothing")")
      #expect(Set(picture.bitmap.pixels) == [0xFF0000], "\(width)x\(height)")
    }
  }

  @Test func picture_oneRowHigh_keepsItsColour() throws {
    let bytes = makePNG(width: 6_001, height: 1) { x, _ in x < 3_000 ? 0xFF0000 : 0xFFFFFF }
    let picture = try #require(try decode(bytes, 20, 4).pictures.first)
    #expect(picture.bitmap.pixels.prefix(9).allSatisfy { $0 == 0xFF0000 })
    #expect(picture.bitmap.pixels.suffix(9).allSatisfy { $0 == 0xFFFFFF })
  }

  // MARK: - TIFF

  /// Red, lime, blue and white quarters as they are stored, with an orientation.
  private func tiff(orientation: UInt16, isBig: Bool) -> [UInt8] {
    func two(_ number: Int) -> [UInt8] {
      let bytes = [UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF)]
      return isBig ? bytes : bytes.reversed()
    }
    func four(_ number: Int) -> [UInt8] {
      isBig ? two(number >> 16) + two(number) : two(number) + two(number >> 16)
    }
    let side = 16
    var pixels: [UInt8] = []
    for y in 0..<side {
      for x in 0..<side {
        let colour = [[Self.red, Self.lime], [Self.blue, Self.white]][y * 2 / side][x * 2 / side]
        pixels += [UInt8(colour >> 16), UInt8(colour >> 8 & 0xFF), UInt8(colour & 0xFF)]
      }
    }
    let short = 3
    let long = 4
    let bits = 8 + pixels.count
    let entries: [(tag: Int, type: Int, count: Int, value: Int)] = [
      (256, short, 1, side), (257, short, 1, side), (258, short, 3, bits), (259, short, 1, 1),
      (262, short, 1, 2), (273, long, 1, 8), (274, short, 1, Int(orientation)), (277, short, 1, 3),
      (278, short, 1, side), (279, long, 1, pixels.count),
    ]
    var file: [UInt8] = isBig ? [0x4D, 0x4D, 0, 42] : [0x49, 0x49, 42, 0]
    file += four(bits + 6) + pixels + two(8) + two(8) + two(8) + two(entries.count)
    for entry in entries {
      file += two(entry.tag) + two(entry.type) + four(entry.count)
      file +=
        entry.type == short && entry.count == 1 ? two(entry.value) + two(0) : four(entry.value)
    }
    return file + four(0)
  }

  private static let turned: [(UInt16, [Int])] = [
    (1, [red, lime, blue, white]), (2, [lime, red, white, blue]), (3, [white, blue, lime, red]),
    (4, [blue, white, red, lime]), (5, [red, blue, lime, white]), (6, [blue, red, white, lime]),
    (7, [white, lime, blue, red]), (8, [lime, white, red, blue]), (9, [red, lime, blue, white]),
  ]

  @Test(arguments: turned, [false, true])
  func tiff_ofEachOrientation_isUpright(_ turned: (UInt16, [Int]), isBig: Bool) throws {
    let conversation = try decode(tiff(orientation: turned.0, isBig: isBig), 16, 16)
    #expect(try colours(conversation) == turned.1)
  }

  // MARK: - Without a mark

  @Test(arguments: [["-rle", "0"], ["-rle", "1"]]) func targa_isDecodedByItsName(_ more: [String])
    throws
  {
    let bytes = try plain("a.tga", "0x00FF00", "40x30", more)
    let conversation = try decode(bytes, ending: "tga")
    #expect(conversation.info?.pictureCodec == "targa")
    #expect(conversation.info?.isStill == true)
    #expect(try colours(conversation) == [Self.lime, Self.lime, Self.lime, Self.lime])
    #expect(try decode(bytes).failure == "not a media file")
    #expect(
      try decode([UInt8](repeating: 7, count: 5_000), ending: "tga").failure == "not a media file")
    // The signature of a file decides.
    let png = makePNG(width: 4, height: 4) { _, _ in 0xFFFFFF }
    #expect(try decode(png, ending: "tga").info?.pictureCodec == "png")
  }

  private static func targa(
    map: UInt8 = 0, kind: UInt8 = 2, mapDepth: UInt8 = 0, width: UInt8 = 1, height: UInt8 = 1,
    depth: UInt8 = 24, flags: UInt8 = 0
  ) -> [UInt8] {
    [0, map, kind, 0, 0, 0, 0, mapDepth, 0, 0, 0, 0, width, 0, height, 0, depth, flags]
  }

  private static let headers: [([UInt8], Bool)] = [
    (targa(), true), (targa(kind: 10, depth: 32, flags: 0x28), true),
    (targa(kind: 3, depth: 8), true), (targa(map: 1, kind: 1, mapDepth: 24, depth: 8), true),
    (targa(kind: 0), false), (targa(kind: 4), false), (targa(width: 0), false),
    (targa(height: 0), false), (targa(depth: 7), false), (targa(map: 2), false),
    (targa(kind: 1, depth: 8), false), (targa(flags: 0x40), false),
    (Array(targa().dropLast()), false), ([], false),
  ]

  @Test(arguments: headers) func targaHeader_isJudged(header: [UInt8], expected: Bool) {
    #expect(TargaHeader.fits(header) == expected)
  }

  // MARK: - Cut off

  private static let noise = "nullsrc=size=96x96,geq=random(1)*255:128:128,format=rgb24"

  /// A file that was cut at `share` of its length shows what is there, with a note; the complete one
  /// has no note.
  @Test(arguments: [
    ("a.png", [], 0.6), ("a.jpg", [], 0.6), ("a.gif", [], 0.6), ("a.webp", [], 0.6),
    ("b.webp", ["-lossless", "1"], 0.6),
    ("c.webp", ["-c:v", "libwebp_anim", "-frames:v", "4"], 0.6),
    ("b.gif", ["-frames:v", "4"], 0.7), ("a.png", [], 0.97), ("a.gif", [], 0.999),
    ("a.mp4", ["-frames:v", "20", "-movflags", "faststart"], 0.7),
  ]) func file_cutOff_showsWhatIsThere(name: String, more: [String], share: Double) throws {
    let frames = more.contains("-frames:v") ? [] : ["-frames:v", "1"]
    let whole = try made(name, ["-f", "lavfi", "-i", Self.noise] + frames + more)
    let complete = try decode(whole)
    #expect(complete.failure == nil && complete.notes == [])
    let cut = try decode(Array(whole.prefix(Int(Double(whole.count) * share))))
    #expect(cut.failure == nil)
    #expect(cut.notes == ["it is cut off"])
    let before = try #require(complete.pictures.first)
    let after = try #require(cut.pictures.first)
    #expect(
      before.bitmap.width == after.bitmap.width && before.bitmap.height == after.bitmap.height)
    // The first rows are there.
    let rows = before.bitmap.width * 4
    let unlike = zip(before.bitmap.pixels.prefix(rows), after.bitmap.pixels.prefix(rows)).count {
      abs(Int($0 & 0xFF) - Int($1 & 0xFF)) > 8
    }
    #expect(unlike <= rows / 10)
  }

  /// Bytes after the end of a picture do not count as a cut.
  @Test func file_withMoreBehindItsEnd_isNotCut() throws {
    let film = try made("f.mp4", ["-f", "lavfi", "-i", Self.noise, "-frames:v", "3"])
    for name in ["a.png", "a.jpg"] {
      let picture = try made(name, ["-f", "lavfi", "-i", Self.noise, "-frames:v", "1"])
      #expect(try decode(picture + film).notes == [])
      let zeros = [UInt8](repeating: 0, count: 1_000)
      // Zeros are no chunks of a PNG.
      if name == "a.jpg" {
        #expect(try decode(picture.dropLast(20) + zeros).notes == ["it is cut off"])
      }
    }
    let gif = try made("a.gif", ["-f", "lavfi", "-i", Self.noise, "-frames:v", "1"])
    #expect(try decode(gif + [0, 0, 0]).notes == [])
  }

  /// Cuts anywhere never trap, and a repaired file is not repaired again.
  @Test func mending_ofAnyCut_doesNotTrap() throws {
    for name in ["a.png", "a.gif", "b.gif", "c.webp", "a.jpg", "a.mp4"] {
      let more = ["b.gif", "c.webp", "a.mp4"].contains(name) ? "3" : "1"
      let whole = try made(
        name,
        ["-f", "lavfi", "-i", "testsrc=size=20x20", "-frames:v", more]
          + (name == "c.webp" ? ["-c:v", "libwebp_anim"] : []))
      #expect(CutOff.mended(whole) == nil)
      for count in 0..<whole.count {
        let part = Array(whole.prefix(count))
        let head = Array(part.prefix(HeadOfFile.length))
        _ = CutOff.isCut(head, length: Int64(count)) { offset, length in
          let start = Int(clamping: max(0, min(offset, Int64(count))))
          return Array(part[start..<min(count, start + length)])
        }
        if let mended = CutOff.mended(part) {
          #expect(CutOff.mended(mended) == nil, "\(name) \(count)")
        }
      }
    }
  }

  // MARK: - JPEG

  /// The quarters of 24x24 pixels with all parts sampled 1x3 (cjpeg -sample 1x3), which FFmpeg refuses.
  private static let oddSampling = """
    /9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAMCAgMCAgMDAwMEAwMEBQgFBQQEBQoHBwYIDAoMDAsKCwsNDhIQDQ4RDgsL
    EBYQERMUFRUVDA8XGBYUGBIUFRT/2wBDAQMEBAUEBQkFBQkUDQsNFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQU
    FBQUFBQUFBQUFBQUFBQUFBQUFBT/wAARCAAYABgDARMAAhEBAxEB/8QAFgABAQEAAAAAAAAAAAAAAAAABggF/8QALxAA
    AQAFBREAAAAAAAAAAAAAAAkRExUXAgYIFGESGCRBQ0VHZWaEhaSlw8Ti4//EABUBAQEAAAAAAAAAAAAAAAAAAAcI/8QA
    KxEAAAMDCQkAAAAAAAAAAAAAERITABSjAQcXGEFhZGXjAwUWISIlQ2Pi/9oADAMBAAIRAxEAPwCdADFXVfMeoAHCrLnE
    DWajaw2VRtJrgo85/wB37gnR3zKj7EDDHE6Xfkqw1a1m2RcqZWrXiUJkMumDg/nAfOZMZw459yUUU8RQKT2yiItOM8O8
    6aXDodHRW1U6qd2zKVO8RsDnrFGXoO1vTfqUYB9GeMh/bTjQ9j4Wo3//2Q==
    """

  private func bytes(base64 text: String) -> [UInt8] {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    let values = text.utf8.compactMap { digit in digits.firstIndex(of: digit) }
    return stride(from: 0, to: values.count - 1, by: 4).flatMap { start in
      let four = values[start..<min(values.count, start + 4)]
      let number = four.reduce(0) { $0 << 6 | $1 } << (6 * (4 - four.count))
      return [16, 8, 0].map { UInt8(number >> $0 & 0xFF) }.prefix(four.count - 1)
    }
  }

  private func isNear(_ colours: [Int], _ expected: [Int], by most: Int = 12) -> Bool {
    colours.count == expected.count
      && zip(colours, expected).allSatisfy { colour, wanted in
        [16, 8, 0].allSatisfy { abs((colour >> $0 & 0xFF) - (wanted >> $0 & 0xFF)) <= most }
      }
  }

  @Test func jpeg_ofOddSampling_isShown() throws {
    let whole = bytes(base64: Self.oddSampling)
    let conversation = try decode(whole)
    #expect(isNear(try colours(conversation), [Self.red, Self.lime, Self.blue, Self.white]))
    #expect(conversation.notes == [])
    #expect(conversation.info?.displayWidth == 24 && conversation.info?.displayHeight == 24)
    let cut = try decode(whole.dropLast(4))
    #expect(cut.notes == ["it is cut off"])
    // Blocks are as high as the picture: the last of them is missing, at the right.
    let left = try colours(cut)
    #expect(isNear([left[0], left[2]], [Self.red, Self.blue]))
  }

  @Test func jpeg_ofOddSampling_isTurnedAsItSays() throws {
    let whole = bytes(base64: Self.oddSampling)
    let exif: [UInt8] =
      Array("Exif\0\0".utf8) + [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1]
      + [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0]
    let turned =
      whole.prefix(2) + [0xFF, 0xE1, 0, UInt8(exif.count + 2)] + exif + whole.dropFirst(2)
    #expect(
      isNear(try colours(decode(Array(turned))), [Self.blue, Self.red, Self.white, Self.lime]))
  }

  /// Damaged anywhere it ends, with a picture or without.
  @Test func jpeg_ofOddSampling_damaged_ends() throws {
    let whole = bytes(base64: Self.oddSampling)
    var random = SeededRandom(seed: 7)
    for _ in 0..<40 {
      var bytes = whole
      for _ in 0..<3 { bytes[Int.random(in: 2..<bytes.count, using: &random)] ^= 0x55 }
      let conversation = try decode(bytes)
      #expect(
        !conversation.isDead && (conversation.failure != nil) == conversation.pictures.isEmpty)
    }
  }

  // MARK: - Large

  /// A kind of file with the most memory that its decoder may need, in MiB.
  private static let large: [(name: String, pixels: String, size: String, memory: Int)] = [
    ("a.jpg", "yuvj420p", "12000x9000", 900), ("a.png", "rgb24", "12000x9000", 330),
    ("a.png", "rgba", "15800x15800", 330), ("a.png", "rgb48be", "15800x10600", 330),
    ("a.bmp", "bgr24", "12000x9000", 900), ("a.ppm", "rgb24", "12000x9000", 900),
    ("a.webp", "yuv420p", "12000x9000", 330),
  ]

  @Test(arguments: large)
  func picture_ofManyMegapixels_isShown(name: String, pixels: String, size: String, memory: Int)
    throws
  {
    let bytes = try made(
      name,
      ["-f", "lavfi", "-i", "color=white:size=\(size)", "-pix_fmt", pixels]
        + ["-frames:v", "1"] + (name == "a.png" ? ["-compression_level", "1"] : []))
    let conversation = try decode(bytes)
    #expect(
      isNear(try colours(conversation), [Self.white, Self.white, Self.white, Self.white], by: 2))
    let info = try #require(conversation.info)
    #expect("\(info.displayWidth)x\(info.displayHeight)" == size)
    #expect(conversation.peakKibibytes < memory << 10, "\(conversation.peakKibibytes >> 10) MiB")
  }

  /// Quarters of four colours and 67 million pixels, in passes, with an orientation behind them; whole,
  /// and with half of its last pass, which is half of its bytes.
  @Test func interlacedPNG_ofManyMegapixels_isShown() throws {
    let side = 8_201
    let exif = Array(tiff(orientation: 6, isBig: true))
    let whole = makeInterlacedPNG(
      width: side, height: side, colours: [0xFF0000, 0x00FF00, 0x0000FF, 0xFFFFFF], exif: exif
    ) { x, y in (x > side / 2 ? 1 : 0) + (y > side / 2 ? 2 : 0) }
    let conversation = try decode(whole)
    #expect(
      isNear(try colours(conversation), [Self.blue, Self.red, Self.white, Self.lime], by: 12))
    #expect(conversation.notes == [] && conversation.peakKibibytes < 330 << 10)
    let cut = try decode(Array(whole.prefix(whole.count * 3 / 4)))
    #expect(isNear(try colours(cut), [Self.red, Self.lime, Self.blue, Self.white], by: 12))
    #expect(cut.notes == ["it is cut off"])
  }

  /// Transparent pixels are blended with black.
  @Test func largePNG_isTheMeanOfItsPixels() throws {
    let bytes = try made(
      "half.png",
      [
        "-f", "lavfi", "-i",
        "color=white:size=2x2,format=rgba,geq=r=200*X:g=100*Y:b=0:a=255-128*X*Y,"
          + "scale=9004x9004:flags=neighbor",
        "-frames:v", "1", "-compression_level", "1",
      ])
    let picture = try #require(try decode(bytes, 20, 20).pictures.first)
    let corners = [0, 19, 380, 399].map { picture.bitmap.pixels[$0] }
    #expect(corners == [0x000000, 0xC80000, 0x006400, 0x643200])
  }

  @Test func largePNG_thatIsCutOff_showsWhatIsThere() throws {
    let bytes = makeInterlacedPNG(
      width: 8_200, height: 8_200, colours: [0xFF0000, 0, 0, 0]
    ) { _, _ in 0 }
    // Its first pass alone.
    let conversation = try decode(Array(bytes.prefix(bytes.count / 60)))
    #expect(try colours(conversation) == [Self.red, Self.red, Self.red, Self.red])
    let none = try decode(Array(bytes.prefix(80)))
    #expect(none.failure == "damaged: no picture can be decoded (png)")
  }

  /// The header alone decides on what is larger than anything that is shown.
  @Test func picture_ofMoreThan250Megapixels_isRefused() throws {
    let png = makePNG(width: 4, height: 4) { _, _ in 0 }
    let large = png.prefix(16) + [0, 0, 0x3E, 0x80, 0, 0, 0x3E, 0x80] + png.dropFirst(24)
    #expect(try decode(Array(large)).failure == "the picture is too large: 16000x16000")
    let largest = png.prefix(16) + [UInt8](repeating: 0xFF, count: 8) + png.dropFirst(24)
    #expect(try decode(Array(largest)).failure == "the picture is too large: 4294967295x4294967295")
    var jpeg = bytes(base64: Self.oddSampling)
    let frame = try #require(jpeg.firstRange(of: [0xFF, 0xC0])).lowerBound
    jpeg.replaceSubrange(frame + 5..<frame + 9, with: [0x3E, 0x80, 0x3E, 0x80])
    #expect(try decode(jpeg).failure == "the picture is too large: 16000x16000")
  }

  /// Bytes after a picture are not searched for its end.
  @Test func cutOff_ofMuchBehindAPicture_asksLittle() {
    let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    var asked = 0
    func isCut(_ bytes: [UInt8]) -> Bool {
      asked = 0
      return CutOff.isCut(Array(bytes.prefix(64)), length: Int64(bytes.count)) { offset, count in
        asked += 1
        let start = min(bytes.count, max(0, Int(offset)))
        return Array(bytes[start..<min(bytes.count, start + count)])
      }
    }
    func chunk(_ type: String) -> [UInt8] { [0, 0, 0, 0] + Array(type.utf8) + [0, 0, 0, 0] }
    let whole = png + chunk("IDAT") + chunk("IEND")
    #expect(!isCut(whole + [UInt8](repeating: 0, count: 10 << 20)))
    #expect(asked < 10)
    #expect(!isCut(png + (0..<100_000).flatMap { _ in chunk("tEXt") }))
    #expect(asked < 5_000)
    #expect(isCut(png + chunk("IDAT")))
  }

  /// A JPEG of several MiB with other bytes behind it is whole, however much the player gives at once.
  @Test func jpegWithBytesBehindIt_isWhole() throws {
    let picture = try plain("behind.jpg", "red", "64x64")
    let conversation = try decode(picture + [UInt8](repeating: 7, count: 6 << 20))
    #expect(conversation.pictures.count == 1)
    #expect(conversation.notes == [])
  }
}
