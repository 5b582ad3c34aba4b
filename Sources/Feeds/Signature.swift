import Stories

/// The marks by which containers and pictures are known, from their specifications.
enum Signature {
  /// The kind of medium that starts with these bytes, nil where nothing is known. A container that
  /// may hold either counts as video: whether there are pictures only its decoder can tell.
  static func kind(of head: [UInt8]) -> Story.Kind? {
    for mark in marks where matches(head, mark) { return mark.kind }
    return dotLottie(head) ?? isoMedia(head) ?? riff(head) ?? ogg(head) ?? transportStream(head)
      ?? audioFrame(head)
  }

  private struct Mark {
    let offset: Int
    let bytes: [UInt8]
    let kind: Story.Kind

    init(_ text: String, at offset: Int = 0, _ kind: Story.Kind) {
      self.init(Array(text.utf8), at: offset, kind)
    }

    init(_ bytes: [UInt8], at offset: Int = 0, _ kind: Story.Kind) {
      self.offset = offset
      self.bytes = bytes
      self.kind = kind
    }
  }

  private static let marks: [Mark] = [
    Mark([0xFF, 0xD8, 0xFF], .picture),  // JPEG
    Mark([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A], .picture),  // PNG
    Mark("GIF8", .picture),
    Mark([0xFF, 0x0A], .picture),  // JPEG XL codestream
    Mark([0, 0, 0, 0x0C] + Array("JXL ".utf8), .picture),
    Mark([0, 0, 0, 0x0C] + Array("jP  ".utf8), .picture),  // JPEG 2000
    Mark([0x49, 0x49, 0x2A, 0x00], .picture),  // TIFF, either byte order
    Mark([0x4D, 0x4D, 0x00, 0x2A], .picture),
    Mark("qoif", .picture),
    Mark([0x1A, 0x45, 0xDF, 0xA3], .video),  // Matroska and WebM
    Mark([0x46, 0x4C, 0x56, 0x01], .video),  // FLV
    Mark([0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11], .video),  // ASF
    Mark([0x00, 0x00, 0x01, 0xBA], .video),  // MPEG program stream
    Mark([0x00, 0x00, 0x01, 0xB3], .video),  // MPEG-1/2 video
    Mark([0x00, 0x00, 0x00, 0x01, 0x67], .video),  // H.264, sequence parameters first
    Mark([0x06, 0x0E, 0x2B, 0x34], .video),  // MXF
    Mark("YUV4MPEG2 ", .video),
    Mark("DKIF", .video),  // IVF
    Mark(".RMF", .video),  // RealMedia
    Mark("ID3", .sound),
    Mark("fLaC", .sound),
    Mark("RF64", .sound),
    Mark("riff", .sound),  // Wave64
    Mark("#!AMR", .sound),
    Mark("AIFF", at: 8, .sound),
    Mark("AIFC", at: 8, .sound),
    Mark("caff", .sound),
    Mark(".snd", .sound),
    Mark("wvpk", .sound),
    Mark("MAC ", .sound),
    Mark([0x0B, 0x77], .sound),  // AC-3
  ]

  private static func matches(_ head: [UInt8], _ mark: Mark) -> Bool {
    head.count >= mark.offset + mark.bytes.count
      && head[mark.offset..<mark.offset + mark.bytes.count].elementsEqual(mark.bytes)
  }

  /// A zip that begins with the manifest or an animation of a dotLottie.
  private static func dotLottie(_ head: [UInt8]) -> Story.Kind? {
    guard head.starts(with: [0x50, 0x4B, 0x03, 0x04]), head.count > 30 else { return nil }
    let name = head.dropFirst(30)
    return ["manifest.json", "animations/"].contains { name.starts(with: $0.utf8) }
      ? .animation : nil
  }

  /// Boxes of ISO 14496-12: the brand tells pictures and sounds from videos.
  private static func isoMedia(_ head: [UInt8]) -> Story.Kind? {
    guard head.count >= 8 else { return nil }
    switch String(decoding: head[4..<8], as: UTF8.self) {
    case "ftyp" where head.count >= 12:
      let brands = stride(from: 8, to: min(head.count - 3, 40), by: 4).map {
        String(decoding: head[$0..<$0 + 4], as: UTF8.self)
      }
      let brand = brands.first ?? ""
      if ["avif", "avis", "heic", "heix", "hevc", "hevx", "heim", "heis"].contains(brand) {
        return .picture
      }
      if ["mif1", "mif2", "mif3", "msf1", "miaf", "MiHE"].contains(brand) { return .picture }
      return ["M4A ", "M4B ", "M4P "].contains(brand) ? .sound : .video
    case "moov", "mdat", "moof", "styp", "wide", "pnot", "skip", "free", "sidx": return .video
    default: return nil
    }
  }

  private static func riff(_ head: [UInt8]) -> Story.Kind? {
    if head.starts(with: "BM".utf8), head.count >= 18 {
      // BMP: reserved bytes are zero and the size of its second header is one of a few.
      return head[6..<10].allSatisfy { $0 == 0 } && head[15] == 0 ? .picture : nil
    }
    guard head.starts(with: "RIFF".utf8), head.count >= 12 else { return nil }
    switch String(decoding: head[8..<12], as: UTF8.self) {
    case "AVI ", "AMV ": return .video
    case "WAVE": return .sound
    case "WEBP": return .picture
    default: return nil
    }
  }

  /// The first packet of an Ogg page tells the codec.
  private static func ogg(_ head: [UInt8]) -> Story.Kind? {
    guard head.starts(with: "OggS".utf8), head.count > 27 else { return nil }
    let packet = head.dropFirst(27 + Int(head[26]))
    let sounds = ["\u{1}vorbis", "OpusHead", "\u{7F}FLAC", "Speex", "PCM"]
    return sounds.contains { packet.starts(with: $0.utf8) } ? .sound : .video
  }

  /// 188-byte packets, or 192 with a time stamp before each (M2TS): three sync bytes in a row.
  private static func transportStream(_ head: [UInt8]) -> Story.Kind? {
    for (start, stride) in [(0, 188), (4, 192)] {
      let places = [start, start + stride, start + 2 * stride]
      if head.count > places[2], places.allSatisfy({ head[$0] == 0x47 }) { return .video }
    }
    return nil
  }

  /// ADTS and MPEG audio headers: twelve sync bits, then fields of which some values are invalid.
  private static func audioFrame(_ head: [UInt8]) -> Story.Kind? {
    guard head.count >= 4, head[0] == 0xFF, head[1] & 0xE0 == 0xE0 else { return nil }
    let isAdts = head[1] & 0xF6 == 0xF0
    let layer = head[1] >> 1 & 3
    let version = head[1] >> 3 & 3
    let isMpeg =
      (layer == 1 || layer == 2) && version != 1 && head[2] >> 4 != 15
      && head[2] >> 2 & 3 != 3
    return isAdts || isMpeg ? .sound : nil
  }
}
