import Decoding
import DecoderLink
import Support
import System
import Testing

/// Animations through the decoder in its sandbox.
@Suite struct AnimationTests {
  private func pictures(
    _ file: [UInt8], _ shape: PictureRequest, count: UInt32 = 40_000
  ) throws -> [DecodedPicture] {
    let conversation = try DecoderConversation(file, shape: shape)
    try conversation.allow(count)
    #expect(try conversation.listen())
    #expect(conversation.failure == nil)
    return conversation.pictures
  }

  // MARK: What is drawn

  @Test func frames_withAlpha_areRlottiesOwn() throws {
    let text = Lottie.text()
    let pictures = try pictures(text, PictureRequest(width: 60, height: 40, keepsAlpha: true))
    let wanted = Lottie.render(text, key: "own", width: 40, height: 40, frames: 60)
    #expect(pictures.map(\.bitmap.pixels) == wanted)
    #expect(pictures.map(\.time) == (0..<60).map { .nanoseconds(($0 * 1_000_000_000 + 15) / 30) })
    // Parts of it are visible, and parts transparent.
    #expect(wanted[30].contains { $0 >> 24 == 153 } && wanted[30].contains(0))
  }

  /// What rlottie draws wrongly without the normaliser: a star's rotation, and a constant moment.
  private static let mended = ["rlottie__polystar_anim.json", "lottie-ios__timeremap.json"]

  @Test(.enabled(if: Media.isAvailable), arguments: Lottie.bareFiles)
  func corpus_withAlpha_isRlottiesOwn(_ entry: Media.Entry) throws {
    let isMended = Self.mended.contains { entry.name.hasSuffix($0) }
    let file = try contents(entry.path)
    let text = isMended ? try NormalisedLottie(file).text : file
    let pictures = try pictures(file, PictureRequest(width: 120, height: 80, keepsAlpha: true))
    let first = try #require(pictures.first)
    let wanted = Lottie.render(
      text, key: entry.name, width: first.bitmap.width, height: first.bitmap.height,
      frames: pictures.count)
    #expect(pictures.count == entry.frames ?? pictures.count)
    for (number, (picture, wanted)) in zip(pictures, wanted).enumerated() {
      #expect(picture.bitmap.pixels == wanted, "frame \(number)")
    }
  }

  @Test(.enabled(if: Media.isAvailable), arguments: ["clouds", "fireworks"])
  func namedAnimations_showTheirPictures(_ name: String) throws {
    let text = try contents(Media.path("lottie/spa__\(name).json"))
    let pictures = try pictures(text, PictureRequest(width: 80, height: 80, keepsAlpha: true))
    #expect(pictures.count == 60)
    // In the middle of both, several of the embedded pictures are visible.
    let seen = pictures.map { $0.bitmap.pixels.count { $0 >> 24 > 128 } }
    #expect((seen.max() ?? 0) > 200, "\(seen)")
    #expect(Set(pictures.map(\.bitmap.pixels)).count > 30)
  }

  @Test func frames_withoutAlpha_lieOverTheBackdrop() throws {
    let text = Lottie.text()
    let clear = try pictures(text, PictureRequest(width: 60, height: 40, keepsAlpha: true))
    let flat = try pictures(text, PictureRequest(width: 60, height: 40))
    #expect(flat.map(\.bitmap.pixels) == clear.map { $0.bitmap.pixels.map(Reference.overBackdrop) })
  }

  @Test func backdrop_ofEveryAlphaAndColour_isExactlyRounded() {
    for alpha in 0...255 as ClosedRange<UInt32> {
      let pixels = (0...alpha).map { alpha << 24 | $0 << 16 | (alpha - $0) << 8 | $0 / 2 }
      #expect(Backdrop.put(under: pixels) == pixels.map(Reference.overBackdrop))
    }
    // More colour than there is alpha, as only a damaged picture has, is the brightest.
    #expect(Backdrop.put(under: [0x10FF_FFFF]) == [0xFF_FFFF])
  }

  @Test(arguments: [0.5, 0.6, 1.125, 2])
  func oblongPixels_areMeansOfSquareOnes(_ aspect: Double) throws {
    let text = Lottie.text(size: #""w":100,"h":50"#)
    let shape = PictureRequest(width: 60, height: 40, pixelAspect: aspect, keepsAlpha: true)
    let picture = try #require(try pictures(text, shape, count: 60).last)
    let plan = RenderPlan(shape, displayWidth: 100, displayHeight: 50)
    let wanted = shape.fitted(displayWidth: 100, displayHeight: 50)
    #expect(
      [picture.bitmap.width, picture.bitmap.height] == [Int(wanted.width), Int(wanted.height)])
    #expect(plan.renderWidth >= plan.width && plan.renderHeight >= plan.height)
    let drawn = Lottie.render(
      text, key: "oblong\(aspect)", width: plan.renderWidth, height: plan.renderHeight, frames: 60)
    let reference = Reference.reduced(
      drawn[59], width: plan.renderWidth, height: plan.renderHeight, toWidth: plan.width,
      height: plan.height)
    for (pixel, exact) in zip(picture.bitmap.pixels, reference) {
      for (channel, value) in exact.enumerated() {
        let shown = Double(pixel >> UInt32(24 - 8 * channel) & 0xFF)
        #expect(abs(shown - value) <= 1.5, "\(shown) is not \(value)")
      }
    }
  }

  @Test func cover_showsTheMiddleOfALargerDrawing() throws {
    let text = Lottie.text(size: #""w":200,"h":100"#)
    let shape = PictureRequest(width: 40, height: 40, fit: .cover, keepsAlpha: true)
    let picture = try #require(try pictures(text, shape, count: 60).first)
    let drawn = Lottie.render(text, key: "cover", width: 80, height: 40, frames: 1)[0]
    let middle = (0..<40).flatMap { row in drawn[(row * 80 + 20)..<(row * 80 + 60)] }
    #expect(picture.bitmap.pixels == middle)
  }

  @Test func narrowAnimation_covering_isNotDrawnWithoutBound() throws {
    let text = Lottie.text(size: #""w":65536,"h":1"#)
    let plan = RenderPlan(
      PictureRequest(width: 120, height: 80, fit: .cover), displayWidth: 65_536, displayHeight: 1)
    #expect(plan.renderWidth * plan.renderHeight < 5_000_000)
    #expect(plan.renderWidth < 32_768)
    let shape = PictureRequest(width: 120, height: 80, fit: .cover)
    #expect(try pictures(text, shape, count: 1_000).count == 60)
  }

  // MARK: Going to and fro

  @Test func seek_goesToTheFrameOfThatTime() throws {
    let conversation = try DecoderConversation(
      Lottie.text(), shape: PictureRequest(width: 40, height: 40, keepsAlpha: true))
    try conversation.allow(100)
    #expect(try conversation.listen())
    let round = conversation.pictures
    try conversation.seek(1, to: .milliseconds(1_500))
    try conversation.allow(100)
    #expect(try conversation.listen())
    #expect(conversation.pictures[60].time == .milliseconds(1_500))
    // The frames of a later round equal those of the first.
    try conversation.seek(2, to: .zero)
    try conversation.allow(100)
    #expect(try conversation.listen())
    #expect(conversation.pictures.suffix(60).map(\.bitmap.pixels) == round.map(\.bitmap.pixels))
    try conversation.seek(3, to: .seconds(100))
    try conversation.allow(1)
    #expect(try conversation.listen { $0.pictures.last?.serial == 3 })
    #expect(conversation.pictures.last?.bitmap.pixels == round.last?.bitmap.pixels)
  }

  @Test func shape_changed_drawsAnew() throws {
    let conversation = try DecoderConversation(
      Lottie.text(), shape: PictureRequest(width: 40, height: 40, keepsAlpha: true))
    try conversation.allow(100)
    #expect(try conversation.listen())
    try conversation.send(.shape(PictureRequest(width: 20, height: 20, keepsAlpha: true)))
    try conversation.seek(1, to: .zero)
    try conversation.allow(100)
    #expect(try conversation.listen())
    #expect(
      conversation.pictures.suffix(60).map(\.bitmap.pixels)
        == Lottie.render(Lottie.text(), key: "anew", width: 20, height: 20, frames: 60))
  }

  // MARK: Packings

  @Test func packings_areAllTheSameAnimation() throws {
    let text = Lottie.text()
    let shape = PictureRequest(width: 20, height: 20)
    let plain = try pictures(text, shape).map(\.bitmap.pixels)
    let one = Array(#"{"version":"1.0","animations":[{"id":"b"},{"id":"a"}]}"#.utf8)
    let two = Array(
      #"{"version":"2","animations":[{"id":"x"},{"id":"käse 1"}],"initial":{"animation":"käse 1"}}"#
        .utf8)
    let files: [(String, [UInt8], String)] = [
      ("mark", [0xEF, 0xBB, 0xBF] + text, "lottie"),
      ("gzip", try gzip(text), "tgs"),
      (
        "version 1",
        zip([
          ("animations/a.json", []), ("manifest.json", one), ("animations/b.json", text),
        ]), "dotlottie"
      ),
      ("version 2", zip([("manifest.json", two), ("a/käse 1.json", text)]), "dotlottie"),
    ]
    for (name, file, container) in files {
      let conversation = try DecoderConversation(file, shape: shape)
      try conversation.allow(100)
      #expect(try conversation.listen())
      #expect(conversation.info?.container == container, "\(name)")
      #expect(conversation.pictures.map(\.bitmap.pixels) == plain, "\(name)")
    }
  }

  private static let unpackable: [(String, [UInt8], String)] = [
    ("cut gzip", [0x1F, 0x8B, 8, 0, 0], "damaged or cut off: it cannot be unpacked"),
    ("cut zip", [0x50, 0x4B, 3, 4, 20, 0], "damaged or cut off: it cannot be unpacked"),
    ("other zip", zip([("readme", [65])]), "an archive, not a media file"),
    (
      "unnamed", zip([("manifest.json", Array("{}".utf8))]),
      "damaged: its manifest names no animation"
    ),
    (
      "outside", zip([("manifest.json", Array(#"{"animations":[{"id":"../x"}]}"#.utf8))]),
      "damaged: its manifest names an animation outside of it"
    ),
    (
      "missing", zip([("manifest.json", Array(#"{"animations":[{"id":"x"}]}"#.utf8))]),
      "damaged: the animation that its manifest names is not in it"
    ),
    (
      "no animation",
      zip([
        ("manifest.json", Array(#"{"animations":[{"id":"x"}]}"#.utf8)),
        ("a/x.json", Array("{}".utf8)),
      ]), "JSON, but not an animation"
    ),
  ]

  @Test(arguments: unpackable)
  func packing_thatHoldsNoAnimation_saysWhy(_ name: String, _ file: [UInt8], _ words: String) throws
  {
    let conversation = try DecoderConversation(file)
    #expect(try conversation.listen())
    #expect(conversation.failure == words, "\(name)")
  }

  @Test func bombs_endAtTheLimit() throws {
    let space = [UInt8](repeating: 0x20, count: 64 << 20)
    let large = [UInt8(ascii: "{")] + space + Lottie.text().dropFirst()
    let manifest = Array(#"{"animations":[{"id":"x"}]}"#.utf8)
    let inner = zip([("manifest.json", manifest), ("a/x.json", large)])
    for file in [try gzip(large), large, inner] {
      let conversation = try DecoderConversation(file)
      #expect(try conversation.listen(within: .seconds(5)))
      #expect(conversation.failure == "the animation is too large: more than 8 MiB")
      #expect(conversation.peakKibibytes < 150 << 10)
    }
  }

  /// There is one thread for each processor of the machine, and machines have many.
  @Test func threads_takeLittleOfTheAddressSpace() throws {
    let conversation = try DecoderConversation(Lottie.text())
    #expect(try conversation.listen { $0.info != nil })
    let size = try #require(conversation.status("VmSize"))
    let threads = try #require(conversation.status("Threads"))
    try conversation.allow(60)
    #expect(try conversation.listen())
    let more = try #require(conversation.status("Threads")) - threads
    #expect(more > 0)
    let growth = try #require(conversation.status("VmSize")) - size
    #expect(growth < 16 << 10 + more << 10, "\(growth) KiB for \(more) threads")
  }

  // MARK: Strangers

  @Test func picturesOutside_areNeverAskedFor() throws {
    for path in [
      "/etc/passwd", "../../etc/passwd", "http://127.0.0.1:9/x.png", "file:///etc/passwd",
    ] {
      for embedded in [0, 1] {
        let asset = #"{"id":"i","w":9,"h":9,"u":"","p":"\#(path)","e":\#(embedded)}"#
        let conversation = try DecoderConversation(Lottie.text(assets: asset))
        try conversation.allow(100)
        #expect(try conversation.listen())
        #expect(conversation.urls == [] && conversation.pictures.count == 60)
      }
    }
  }

  @Test func drawing_thatTakesTooLong_isEnded() throws {
    let conversation = try DecoderConversation(Lottie.endless())
    try conversation.allow(1)
    #expect(try conversation.listen(within: .seconds(10)))
    #expect(conversation.ending() == .killed(signal: 27))
    #expect(conversation.peakKibibytes < 500 << 10)
  }
}

/// A slow and obvious implementation.
private enum Reference {
  static func overBackdrop(_ pixel: UInt32) -> UInt32 {
    let alpha = Double(pixel >> 24) / 255
    var result: UInt32 = 0
    for shift in [16, 8, 0] as [UInt32] {
      let ground = Double(Backdrop.colour >> shift & 0xFF) * (1 - alpha)
      let value = Double(pixel >> shift & 0xFF) + ground.rounded()
      result |= UInt32(min(255, value)) << shift
    }
    return result
  }

  /// The four channels of each pixel, as the exact mean of the area that it covers.
  static func reduced(
    _ pixels: [UInt32], width: Int, height: Int, toWidth: Int, height toHeight: Int
  ) -> [[Double]] {
    func overlap(_ index: Int, _ cell: Int, _ step: Double) -> Double {
      max(
        0,
        min(Double(index + 1), Double(cell + 1) * step) - max(Double(index), Double(cell) * step))
    }
    let across = Double(width) / Double(toWidth)
    let down = Double(height) / Double(toHeight)
    return (0..<toWidth * toHeight).map { place in
      let (row, column) = (place / toWidth, place % toWidth)
      var sums = [0.0, 0, 0, 0]
      for y in 0..<height {
        for x in 0..<width {
          let weight = overlap(y, row, down) * overlap(x, column, across)
          guard weight > 0 else { continue }
          let pixel = pixels[y * width + x]
          for channel in 0..<4 {
            sums[channel] += weight * Double(pixel >> UInt32(24 - 8 * channel) & 0xFF)
          }
        }
      }
      return sums.map { $0 / (across * down) }
    }
  }
}
