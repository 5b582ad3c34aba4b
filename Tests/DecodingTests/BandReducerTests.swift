import CFFmpeg
import DecoderLink
import Support
import Testing

@testable import Decoding

/// Frames that are reduced while they are decoded become the same pictures as others.
@Suite struct BandReducerTests {
  private let directory: TemporaryDirectory
  init() throws { directory = try TemporaryDirectory() }

  // MARK: Rows of a frame

  private static let colours = ColourKind(AVFrame())

  private func frame(
    _ width: Int = 128, _ height: Int = 96, format: AVPixelFormat = AV_PIX_FMT_YUV420P, seed: UInt64
  ) throws -> FFmpegFrame {
    let frame = try FFmpegFrame(width: width, height: height, format: format)
    var random = SeededRandom(seed: seed)
    for plane in 0..<Int32(3) {
      let buffer = try #require(av_frame_get_plane_buffer(frame.raw, plane)).pointee
      for index in 0..<Int(buffer.size) {
        buffer.data[index] = UInt8.random(in: 0...3, using: &random)
      }
    }
    return frame
  }

  private func whole(_ frame: FFmpegFrame, _ width: Int = 16, _ height: Int = 9) -> Bitmap? {
    PlanarReducer().reduce(
      frame, width: width, height: height, share: (1, 0.9), Self.colours)
  }

  /// A frame whose rows are given to a reducer while it is decoded, and which is then changed: the
  /// picture tells which of both was reduced.
  private func isReducedFromRows(
    _ rows: [(y: Int, height: Int)], of frame: FFmpegFrame, structure: Int = 3,
    after former: FFmpegFrame? = nil, shape: (Int, Int) = (16, 9),
    _ mend: (FFmpegFrame) -> Void = { _ in }
  ) throws -> Bool {
    let reducer = PlanarReducer()
    let share = (width: 1.0, height: 0.9)
    _ = reducer.reduce(
      try former ?? self.frame(seed: 1), width: 16, height: 9, share: share, Self.colours)
    frame.raw.pointee.opaque = UnsafeMutableRawPointer(bitPattern: reducer.bands.nextSerial())
    for (y, height) in rows {
      reducer.bands.add(frame.raw, y: y, height: height, isWholeFrame: structure == 3)
    }
    let before = whole(frame, shape.0, shape.1)
    mend(frame)
    for plane in 0..<Int32(3) {
      let buffer = try #require(av_frame_get_plane_buffer(frame.raw, plane)).pointee
      for index in 0..<Int(buffer.size) { buffer.data[index] = 200 }
    }
    let picture = reducer.reduce(
      frame, width: shape.0, height: shape.1, share: share, Self.colours)
    #expect(before != whole(frame, shape.0, shape.1))
    if picture == before { return true }
    #expect(picture == whole(frame, shape.0, shape.1))
    return false
  }

  private static func bands(_ heights: Int...) -> [(y: Int, height: Int)] {
    var y = 0
    return heights.map { height in
      defer { y += height }
      return (y, height)
    }
  }

  @Test func rows_inOrder_becomeThePicture() throws {
    let inBands = (0..<6).map { (y: $0 * 16, height: 16) }
    #expect(try isReducedFromRows(inBands, of: frame(seed: 2)))
    #expect(try isReducedFromRows((0..<96).map { ($0, 1) }, of: frame(seed: 3)))
    #expect(try isReducedFromRows([(0, 96)], of: frame(seed: 4)))
    #expect(try isReducedFromRows(Self.bands(12, 16, 16, 32, 20), of: frame(seed: 5)))
    // Rows that are cut off at the bottom do not matter.
    #expect(try isReducedFromRows(inBands + [(96, 0), (112, -16)], of: frame(seed: 6)))
    #expect(try isReducedFromRows(inBands, of: frame(144, 96, seed: 7)) == false)
  }

  @Test(arguments: [
    [], [(0, 80)], [(16, 80)], [(0, 32), (48, 48)], [(0, 48), (32, 64)], [(0, 97)],
    [(0, 48), (48, 49)],
    [(0, 96), (32, 16)], [(48, 48), (0, 48)], [(-16, 112)], [(-96, 96), (0, 96)], [(0, .max)],
    [(.max, 1)], [(.min, 16)], [(0, 16), (16, .max)],
  ])
  func rows_missingTwiceOrNotOfTheFrame_doNotMatter(_ rows: [(y: Int, height: Int)]) throws {
    #expect(try !isReducedFromRows(rows, of: frame(seed: 2)))
  }

  @Test func rows_ofAnotherFrameOrShape_doNotMatter() throws {
    let all = [(y: 0, height: 96)]
    #expect(try !isReducedFromRows(all, of: frame(seed: 2), structure: 1))
    #expect(try !isReducedFromRows(all, of: frame(seed: 2), structure: 2))
    #expect(try !isReducedFromRows(all, of: frame(seed: 2), shape: (15, 9)))
    #expect(try !isReducedFromRows(all, of: frame(format: AV_PIX_FMT_YUV422P, seed: 2)))
    #expect(try !isReducedFromRows(all, of: frame(format: AV_PIX_FMT_YUV420P10LE, seed: 2)))
    #expect(try !isReducedFromRows([(0, 80)], of: frame(128, 80, seed: 2)))
    #expect(try !isReducedFromRows(all, of: frame(64, 96, seed: 2)))
    // Mended after its rows came, in another frame's memory, or cropped at its top.
    #expect(
      try !isReducedFromRows(all, of: frame(seed: 2)) {
        $0.raw.pointee.decode_error_flags = FF_DECODE_ERROR_CONCEALMENT_ACTIVE
      })
    #expect(
      try !isReducedFromRows(all, of: frame(seed: 2)) {
        $0.raw.pointee.flags |= AV_FRAME_FLAG_CORRUPT
      })
    #expect(
      try !isReducedFromRows(all, of: frame(seed: 2)) {
        $0.raw.pointee.opaque = UnsafeMutableRawPointer(bitPattern: 77)
      })
    #expect(try !isReducedFromRows(all, of: frame(seed: 2)) { $0.raw.pointee.opaque = nil })
  }

  @Test func rows_ofTallerFrame_countFromItsTop() throws {
    // As with 1088 coded rows of which 1080 are shown.
    let reducer = PlanarReducer()
    let share = (width: 1.0, height: 0.9)
    _ = reducer.reduce(try frame(seed: 1), width: 16, height: 9, share: share, Self.colours)
    let coded = try frame(128, 112, seed: 2)
    coded.raw.pointee.opaque = UnsafeMutableRawPointer(bitPattern: reducer.bands.nextSerial())
    for y in 0..<6 { reducer.bands.add(coded.raw, y: y * 16, height: 16, isWholeFrame: true) }
    coded.raw.pointee.height = 96
    let wanted = whole(coded)
    let planes = try #require(FramePlanes(coded.raw.pointee))
    for row in 0..<96 { planes.luma[row * planes.lumaStride] = 250 }
    let picture = reducer.reduce(coded, width: 16, height: 9, share: share, Self.colours)
    #expect(wanted != nil && picture == wanted)
  }

  @Test func manyFrames_thatAreNeverShown_doNotAddUp() throws {
    let bands = BandReducer()
    let frame = try frame(seed: 2)
    let planes = try #require(FramePlanes(frame.raw.pointee))
    let layout = try #require(PlanarLayout(frame.raw.pointee))
    bands.plan = ReductionPlan(
      .init(
        layout: layout, width: 128, height: 96, pixelsAcross: 16, pixelsDown: 9, shareAcross: 1,
        shareDown: 1))
    var kept = 0
    for _ in 0..<100 {
      frame.raw.pointee.opaque = UnsafeMutableRawPointer(bitPattern: bands.nextSerial())
      bands.add(frame.raw, y: 0, height: 96, isWholeFrame: true)
    }
    for serial in 1...100 {
      frame.raw.pointee.opaque = UnsafeMutableRawPointer(bitPattern: serial)
      if bands.take(frame, planes) != nil { kept += 1 }
    }
    #expect(kept == 20)
    bands.add(frame.raw, y: 0, height: 96, isWholeFrame: true)
    bands.isWanted = false
    frame.raw.pointee.opaque = UnsafeMutableRawPointer(bitPattern: bands.nextSerial())
    bands.add(frame.raw, y: 0, height: 96, isWholeFrame: true)
    #expect(bands.take(frame, planes) == nil)
  }

  // MARK: Whole files

  /// So many pictures of a file: decoders that are built for debugging are slow.
  private static let most: UInt32 = 32

  /// The pictures of a file. A picture that is asked for in another shape than the one before is always
  /// reduced as a whole: if the shape changes with each, in two runs, all are.
  private func pictures(_ bytes: [UInt8], asWhole: Bool) throws -> [Bitmap] {
    let (wanted, other) = (
      PictureRequest(width: 30, height: 20), PictureRequest(width: 24, height: 16)
    )
    guard asWhole else {
      let conversation = try DecoderConversation(bytes, shape: wanted)
      try conversation.allow(Self.most)
      #expect(try conversation.listen(within: .seconds(60)) { $0.pictures.count == Self.most })
      return conversation.pictures.map(\.bitmap)
    }
    var phases: [[Bitmap]] = []
    for phase in 0...1 {
      let conversation = try DecoderConversation(bytes, shape: wanted)
      while !conversation.isOver, conversation.pictures.count < Self.most {
        let count = conversation.pictures.count
        try conversation.send(.shape(count % 2 == phase ? wanted : other))
        try conversation.allow(1)
        #expect(try conversation.listen(within: .seconds(60)) { $0.pictures.count > count })
      }
      phases.append(conversation.pictures.map(\.bitmap))
    }
    #expect(phases[0].count == phases[1].count)
    return zip(phases[0], phases[1]).enumerated().map { $0 % 2 == 0 ? $1.0 : $1.1 }
  }

  private func check(_ bytes: [UInt8], _ words: String) throws -> Int {
    let together = try pictures(bytes, asWhole: false)
    let apart = try pictures(bytes, asWhole: true)
    #expect(together.count == apart.count, "\(words)")
    for (index, pair) in zip(together, apart).enumerated() where pair.0 != pair.1 {
      Issue.record("\(words): picture \(index) differs")
    }
    return together.count
  }

  private static let ways: [(name: String, options: [String])] = [
    ("B frames", ["-x264-params", "bframes=3:b-pyramid=normal:ref=4"]),
    ("no reordering", ["-tune", "zerolatency"]),
    ("slices", ["-x264-params", "slices=5:keyint=12"]),
    ("slices within rows", ["-x264-params", "slice-max-mbs=17:bframes=2"]),
    ("fields in frames", ["-flags", "+ilme+ildct", "-x264-params", "tff=1:keyint=15"]),
    ("baseline", ["-profile:v", "baseline"]),
    ("CAVLC", ["-x264-params", "cabac=0:slices=3"]),
    ("10 bits", ["-pix_fmt", "yuv420p10le"]),
    ("4:4:4", ["-pix_fmt", "yuv444p"]),
    ("4:2:2", ["-pix_fmt", "yuv422p"]),
    ("gray", ["-pix_fmt", "gray"]),
    ("lossless", ["-qp", "0"]),
    ("cropped", ["-bsf:v", "h264_metadata=crop_left=8:crop_top=24:crop_right=6:crop_bottom=40"]),
    ("intra refresh", ["-x264-params", "intra-refresh=1:bframes=0"]),
  ]

  private func clip(_ options: [String], _ container: String) throws -> [UInt8] {
    let path = directory.path("a.\(container)")
    let made = try run(
      Programs.installed("ffmpeg") ?? "ffmpeg",
      [
        "-v", "error", "-nostdin", "-y", "-f", "lavfi", "-i", "testsrc2=s=322x244:r=25:d=1.2",
        "-vf",
        "noise=alls=12:allf=t", "-pix_fmt", "yuv420p", "-c:v", "libx264", "-preset", "fast",
      ] + options + [path], within: .seconds(60))
    #expect(made.status == 0, "\(made.errorText)")
    return try contents(path)
  }

  @Test(arguments: ways)
  func clip_ofAnyKind_looksTheSame(_ way: (name: String, options: [String])) throws {
    #expect(try check(clip(way.options, "mp4"), way.name) == 30)
  }

  @Test(arguments: ways)
  func clip_thatIsDamaged_looksTheSame(_ way: (name: String, options: [String])) throws {
    let whole = try clip(way.options, "ts")
    var random = SeededRandom(seed: UInt64(way.name.utf8.count))
    for round in 0..<4 {
      var bytes = whole
      for _ in 0..<(1 << round) {
        let place = Int.random(in: 1_000..<bytes.count - 188, using: &random)
        if Bool.random(using: &random) {
          bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
        } else {
          bytes.removeSubrange(place - place % 188..<place - place % 188 + 188)
        }
      }
      _ = try check(bytes, "\(way.name), round \(round)")
    }
  }

  private static var footage: [Media.Entry] {
    ((try? Media.entries()) ?? []).filter {
      $0.kind == "video" && $0.measured.contains("h264") && $0.displayWidth ?? 0 >= 120
        && $0.displayHeight ?? 0 >= 80 && $0.frames ?? .max < 400
    }
  }

  @Test(.enabled(if: Media.isAvailable), arguments: footage)
  func file_ofTheCorpus_looksTheSame(_ entry: Media.Entry) throws {
    _ = try check(contents(entry.path), entry.name)
  }

  @Test(.enabled(if: Media.isAvailable)) func corpus_hasFootage() {
    #expect(Self.footage.count > 30)
  }
}
