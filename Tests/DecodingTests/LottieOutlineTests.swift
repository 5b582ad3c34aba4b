import Decoding
import Support
import Testing

/// What is checked of an animation before it is drawn.
@Suite struct LottieOutlineTests {
  private static func use(_ count: Int, of name: String) -> String {
    Array(repeating: Lottie.use(name), count: count).joined(separator: ",")
  }

  private static func composition(_ name: String, _ layers: String) -> String {
    #"{"id":"\#(name)","layers":[\#(layers)]}"#
  }

  /// A PNG's first bytes, with a size.
  private static func picture(width: UInt32, height: UInt32) -> String {
    func big(_ value: UInt32) -> [UInt8] {
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
    let head =
      [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
      + big(width) + big(height) + [8, 6, 0, 0, 0]
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    var text = ""
    for start in stride(from: 0, to: head.count / 3 * 3, by: 3) {
      let bits = head[start..<start + 3].reduce(0) { $0 << 8 | Int($1) }
      text += String([18, 12, 6, 0].map { digits[bits >> $0 & 63] })
    }
    return #"{"id":"i","w":1,"h":1,"e":1,"u":"","p":"data:image/png;base64,\#(text)"}"#
  }

  private static let endless = (0..<28).map { level in
    composition("c\(level)", level < 27 ? use(2, of: "c\(level + 1)") : Lottie.use("none"))
  }.joined(separator: ",")

  private static let refused: [(String, [UInt8], String)] = [
    ("empty", Array("{}".utf8), "JSON, but not an animation"),
    ("array", Array("[]".utf8), "JSON, but not an animation"),
    ("cut off", Lottie.text().dropLast(), "damaged or cut off: not valid JSON"),
    ("not a number", Lottie.text(size: #""w":NaN,"h":1"#), "damaged or cut off: not valid JSON"),
    ("no size", Lottie.text(size: #""w":"1","h":1"#), "JSON, but not an animation"),
    ("no width", Lottie.text(size: #""w":0,"h":0"#), "damaged: its size is 0x0"),
    ("negative", Lottie.text(size: #""w":100,"h":-5"#), "damaged: its size is 100x-5"),
    ("wide", Lottie.text(size: #""w":65537,"h":1"#), "the animation is too large: 65537x1"),
    ("twice", Lottie.text(size: #""w":9,"h":9,"w":1e6"#), "the animation is too large: 1000000x9"),
    ("endless", Lottie.text(size: #""w":1e999,"h":9"#), "the animation is too large: ?x9"),
    ("no rate", Lottie.text(time: #""ip":0,"op":9"#), "damaged: the animation has no frame rate"),
    (
      "rate 0", Lottie.text(time: #""fr":0,"ip":0,"op":9"#),
      "damaged: the animation has no frame rate"
    ),
    (
      "backwards", Lottie.text(time: #""fr":30,"ip":9,"op":0"#),
      "damaged: the animation has no frames"
    ),
    ("no end", Lottie.text(time: #""fr":30,"ip":0"#), "damaged: the animation has no frames"),
    (
      "many frames", Lottie.text(time: #""fr":30,"ip":0,"op":36001"#),
      "the animation has too many frames"
    ),
    (
      "far frames", Lottie.text(time: #""fr":30,"ip":1e12,"op":1000000000009"#),
      "damaged: the animation has no frames"
    ),
    (
      "itself", Lottie.text(assets: composition("a", use(1, of: "a")), layers: use(1, of: "a")),
      "damaged: a part of the animation contains itself"
    ),
    (
      "each other",
      Lottie.text(
        assets: composition("a", use(1, of: "b")) + "," + composition("b", use(1, of: "a")),
        layers: use(1, of: "a")),
      "damaged: a part of the animation contains itself"
    ),
    (
      "2 to the 28th", Lottie.text(assets: endless, layers: use(2, of: "c0")),
      "the animation is too complex to be drawn"
    ),
    (
      "many copies",
      Lottie.text(
        layers: Lottie.layer(
          shapes: Lottie.group(Lottie.square, Lottie.fill) + #",{"ty":"rp","c":{"a":0,"k":1e6}}"#)),
      "the animation is too complex to be drawn"
    ),
    (
      "copies of copies",
      Lottie.text(
        layers: Lottie.layer(
          shapes: Lottie.group(
            Lottie.group(Lottie.square, #"{"c":{"k":[{"t":0,"s":[999]}]},"ty":"rp"}"#),
            #"{"ty":"rp","c":{"k":999}}"#))),
      "the animation is too complex to be drawn"
    ),
    (
      "large picture", Lottie.text(assets: picture(width: 4097, height: 4096)),
      "the pictures in the animation are too large"
    ),
    (
      "larger picture", Lottie.text(assets: picture(width: .max, height: .max)),
      "the pictures in the animation are too large"
    ),
    (
      "deep",
      Lottie.text(
        layers: String(repeating: "[", count: 65) + String(repeating: "]", count: 65)),
      "the animation cannot be drawn: it is nested deeper than 64 levels"
    ),
  ]

  @Test(arguments: refused)
  func text_outsideTheLimits_isRefused(_ name: String, _ text: [UInt8], _ words: String) {
    let error = #expect(throws: DecodingError.self, "\(name)") { try LottieOutline(text) }
    #expect(error?.reason == words, "\(name)")
  }

  private static let accepted: [(String, [UInt8], Int, Double, Int)] = [
    ("usual", Lottie.text(), 60, 30, 2_000),
    ("largest", Lottie.text(size: #""w":65536,"h":65536"#), 60, 30, 2_000),
    ("longest", Lottie.text(time: #""fr":120,"ip":0,"op":36000"#), 36_000, 120, 300_000),
    ("slow", Lottie.text(time: #""fr":0.5,"ip":0,"op":3"#), 3, 30, 100),
    ("quick", Lottie.text(time: #""fr":121,"ip":0,"op":3"#), 3, 30, 100),
    ("later", Lottie.text(time: #""fr":30,"ip":30,"op":90"#), 60, 30, 2_000),
    ("earlier", Lottie.text(time: #""fr":10,"ip":-5,"op":5"#), 10, 10, 1_000),
    ("a part", Lottie.text(time: #""fr":29.97,"ip":0,"op":59.94"#), 60, 29.97, 2_000),
    ("a hair", Lottie.text(time: #""fr":30,"ip":0,"op":60.00001"#), 60, 30, 2_000),
    ("one", Lottie.text(time: #""fr":30,"ip":0,"op":1"#), 1, 30, 33),
    ("less", Lottie.text(time: #""fr":30,"ip":0,"op":0.001"#), 1, 30, 0),
    (
      "picture", Lottie.text(assets: picture(width: 4096, height: 4096)), 60, 30, 2_000
    ),
    ("no such part", Lottie.text(layers: use(9, of: "none")), 60, 30, 2_000),
  ]

  @Test(arguments: accepted)
  func text_withinTheLimits_isTakenAsItIs(
    _ name: String, _ text: [UInt8], _ frames: Int, _ rate: Double, _ milliseconds: Int
  ) throws {
    let outline = try LottieOutline(text)
    #expect(outline.frameCount == frames, "\(name)")
    #expect(outline.rate == rate, "\(name)")
    #expect(Int((outline.duration / .milliseconds(1)).rounded()) == milliseconds, "\(name)")
  }

  @Test(arguments: [1, 23.976, 24, 29.97, 30, 59.94, 60, 119.88, 120])
  func frames_followEachOther_andAreFoundByTheirTimes(_ rate: Double) throws {
    let outline = try LottieOutline(Lottie.text(time: #""fr":\#(rate),"ip":0,"op":1000.5"#))
    #expect(outline.frameCount == 1001)
    var end = Duration.zero
    for frame in 0..<outline.frameCount {
      let timing = outline.timing(of: frame)
      #expect(timing.time == end)
      end = timing.time + (timing.duration ?? .zero)
      #expect(outline.frame(at: timing.time) == frame)
      #expect(outline.frame(at: end - .microseconds(1)) == frame)
    }
    #expect(end == outline.duration)
    #expect(outline.frame(at: .seconds(1_000_000)) == 1000)
    #expect(outline.frame(at: .seconds(-1)) == 0)
  }

  private static let manifests: [(String, String?)] = [
    (#"{"animations":[{"id":"a"},{"id":"b"}]}"#, "a"),
    (#"{"animations":[{"id":"a"},{"id":"b"}],"activeAnimationId":"b"}"#, "b"),
    (#"{"initial":{"animation":"b","background":1},"animations":[{"id":"a"},{"id":"b"}]}"#, "b"),
    (#"{"animations":[{"speed":1},{"id":7},{"id":"c"},9]}"#, "c"),
    (#"{"animations":{"id":"a"}}"#, nil), (#"{"animations":[{"id":"a"}"#, nil), ("[]", nil),
    ("", nil),
  ]

  @Test(arguments: manifests)
  func manifest_namesTheAnimation(_ text: String, _ name: String?) {
    #expect(DotLottie.animationName(manifest: Array(text.utf8)) == name)
  }
}
