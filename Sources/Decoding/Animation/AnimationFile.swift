import JSONText

/// An animation file: bare Lottie text, or packed in one of two ways.
package struct AnimationFile {
  package enum Packing: String {
    case bare = "lottie"
    /// gzip: Telegram's stickers.
    case gzip = "tgs"
    /// A zip with a manifest.
    case dotLottie = "dotlottie"
  }

  package let packing: Packing
  /// The Lottie text without a byte order mark, of at most `LottieOutline.Limit.bytes`.
  package let text: [UInt8]
  /// The zip archive that contained it.
  let archive: ZipArchive?

  /// Unpacks it; throws if the text is longer than the limit.
  package init(_ bytes: [UInt8]) throws(DecodingError) {
    let limit = LottieOutline.Limit.bytes
    var text = bytes
    var archive: ZipArchive?
    if bytes.starts(with: [0x1F, 0x8B]) {
      packing = .gzip
      text = try Gunzip.unpack(bytes, limit: limit)
    } else if bytes.starts(with: [0x50, 0x4B]) {
      packing = .dotLottie
      let zip = ZipArchive(bytes)
      archive = zip
      text = try DotLottie.animation(in: zip, limit: limit)
    } else {
      packing = .bare
    }
    guard text.count <= limit else { throw .tooLongAnimation }
    if text.starts(with: [0xEF, 0xBB, 0xBF]) { text.removeFirst(3) }
    guard text.first(where: { !Self.isSpace($0) }) == UInt8(ascii: "{") else { throw .noAnimation }
    self.text = text
    self.archive = archive
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte)
  }
}

/// Reads the manifest of a dotLottie (dotlottie.io, versions 1 and 2).
package enum DotLottie {
  /// The text of the animation to play: the one that the manifest chooses, else the first one in it.
  static func animation(in archive: ZipArchive, limit: Int) throws(DecodingError) -> [UInt8] {
    guard let manifest = try archive.member("manifest.json", limit: limit) else {
      throw DecodingError("an archive, not a media file")
    }
    guard let name = animationName(manifest: manifest) else {
      throw .damaged("its manifest names no animation")
    }
    guard isPlain(name) else {
      throw .damaged("its manifest names an animation outside of it")
    }
    for folder in ["a", "animations"] {
      if let text = try archive.member("\(folder)/\(name).json", limit: limit) { return text }
    }
    throw .damaged("the animation that its manifest names is not in it")
  }

  /// Whether the name cannot lead out of its folder.
  private static func isPlain(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= 1024 && name != ".." && name != "."
      && !name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") || $0 < 0x20 }
  }

  /// The name of the animation to play; nil if there is none.
  package static func animationName(manifest: [UInt8]) -> String? {
    var reader = JSONReader(manifest)
    var first: String?
    var chosen: String?
    do throws(JSONReader.Failure) {
      guard try reader.peek() == .object else { return nil }
      try reader.enter()
      while let key = try reader.nextKey() {
        switch (key, try reader.peek()) {
        case ("animations", .array):
          try reader.enter()
          while try reader.nextElement() {
            let id = try reader.text(of: "id")
            first = first ?? id
          }
        case ("activeAnimationId", .string): chosen = try reader.string()
        case ("initial", .object): chosen = try reader.text(of: "animation") ?? chosen
        default: try reader.skip()
        }
      }
    } catch {
      return nil
    }
    return chosen ?? first
  }
}

extension JSONReader {
  /// A text member of the next object; nil if it is missing or the next value is not an object.
  fileprivate mutating func text(of name: String) throws(Failure) -> String? {
    guard try peek() == .object else {
      try skip()
      return nil
    }
    var text: String?
    try enter()
    while let key = try nextKey() {
      if key == name, try peek() == .string { text = try string() } else { try skip() }
    }
    return text
  }
}
