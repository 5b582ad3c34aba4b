import CRlottie
import Support

extension Lottie {
  /// rlottie's own rendering, without anything of ours: premultiplied 0xAARRGGBB.
  static func render(
    _ text: [UInt8], key: String, width: Int, height: Int, frames: Int
  ) -> [[UInt32]] {
    let words = text.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(text.dropFirst(3)) : text
    let characters = words.map { CChar(bitPattern: $0) } + [0]
    guard let animation = lottie_animation_from_data(characters, key, "/dev/null/") else {
      return []
    }
    defer { lottie_animation_destroy(animation) }
    return (0..<frames).map { frame in
      var pixels = [UInt32](repeating: 0, count: width * height)
      lottie_animation_render(animation, frame, &pixels, width, height, width * 4)
      return pixels
    }
  }

  /// Those of the corpus that are plain text.
  static let bareFiles = ((try? Media.entries()) ?? []).filter {
    $0.kind == "lottie" && $0.name.hasSuffix(".json")
  }

  /// The largest difference of any channel of two pictures.
  static func difference(_ one: [UInt32], _ other: [UInt32]) -> Int {
    guard one.count == other.count else { return 256 }
    return zip(one, other).flatMap { one, other in
      ([24, 16, 8, 0] as [UInt32]).map { abs(Int(one >> $0 & 0xFF) - Int(other >> $0 & 0xFF)) }
    }.max() ?? 0
  }
}
