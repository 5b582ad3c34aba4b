import Stories

/// The format of a file, detected from its first bytes by the signatures that the specifications of
/// containers and pictures define.
package struct MediaSignature: Sendable {
  /// A container that may hold pictures or only sound counts as video: only the decoder can find
  /// out.
  package let kind: Story.Kind
  /// Its MIME type; nil where the name says it better.
  package let type: String?

  /// So many first bytes are enough to detect every format.
  package static let headBytes = 1024

  /// Nil where the format is not recognised.
  ///
  /// - Parameter head: the first `headBytes` bytes; fewer only where the file is shorter.
  package init?(head: [UInt8]) {
    let found =
      MediaSignature.marks.first { $0.matches(head) }?.found ?? MediaSignature.matroska(head)
      ?? MediaSignature.dotLottie(head) ?? MediaSignature.isoMedia(head)
      ?? MediaSignature.riff(head) ?? MediaSignature.ogg(head)
      ?? MediaSignature.transportStream(head) ?? MediaSignature.audioFrame(head)
    guard let found else { return nil }
    self = found
  }

  private init(_ kind: Story.Kind, _ type: String?) {
    self.kind = kind
    self.type = type
  }

  private struct Mark {
    let offset: Int
    let bytes: [UInt8]
    let found: MediaSignature

    init(_ text: String, at offset: Int = 0, _ kind: Story.Kind, _ type: String? = nil) {
      self.init(Array(text.utf8), at: offset, kind, type)
    }

    init(_ bytes: [UInt8], at offset: Int = 0, _ kind: Story.Kind, _ type: String? = nil) {
      self.offset = offset
      self.bytes = bytes
      found = MediaSignature(kind, type)
    }

    func matches(_ head: [UInt8]) -> Bool {
      head.count >= offset + bytes.count
        && head[offset..<offset + bytes.count].elementsEqual(bytes)
    }
  }

  private static let marks: [Mark] = [
    Mark([0xFF, 0xD8, 0xFF], .picture, "image/jpeg"),
    Mark([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A], .picture, "image/png"),
    Mark("GIF8", .picture, "image/gif"),
    // JPEG XL: the codestream, or boxes around it.
    Mark([0xFF, 0x0A], .picture, "image/jxl"),
    Mark([0, 0, 0, 0x0C] + Array("JXL ".utf8), .picture, "image/jxl"),
    Mark([0, 0, 0, 0x0C] + Array("jP  ".utf8), .picture, "image/jp2"),
    // TIFF, in either byte order.
    Mark([0x49, 0x49, 0x2A, 0x00], .picture, "image/tiff"),
    Mark([0x4D, 0x4D, 0x00, 0x2A], .picture, "image/tiff"),
    Mark("qoif", .picture),
    Mark([0x46, 0x4C, 0x56, 0x01], .video, "video/x-flv"),
    Mark([0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11], .video, "video/x-ms-asf"),
    // An MPEG program stream, and MPEG-1 or MPEG-2 video.
    Mark([0x00, 0x00, 0x01, 0xBA], .video, "video/mpeg"),
    Mark([0x00, 0x00, 0x01, 0xB3], .video, "video/mpeg"),
    Mark([0x00, 0x00, 0x00, 0x01, 0x67], .video),  // H.264, sequence parameters first
    Mark([0x06, 0x0E, 0x2B, 0x34], .video),  // MXF
    Mark("YUV4MPEG2 ", .video),
    Mark("DKIF", .video),  // IVF
    Mark(".RMF", .video),  // RealMedia
    Mark("ID3", .sound, "audio/mpeg"),
    Mark("fLaC", .sound, "audio/flac"),
    Mark("RF64", .sound),
    Mark("riff", .sound),  // Wave64
    Mark("#!AMR", .sound, "audio/amr"),
    Mark("AIFF", at: 8, .sound, "audio/aiff"),
    Mark("AIFC", at: 8, .sound, "audio/aiff"),
    Mark("caff", .sound, "audio/x-caf"),
    Mark(".snd", .sound, "audio/basic"),
    Mark("wvpk", .sound),
    Mark("MAC ", .sound),
    Mark([0x0B, 0x77], .sound, "audio/ac3"),
  ]

  private static func matroska(_ head: [UInt8]) -> MediaSignature? {
    guard head.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) else { return nil }
    let isWebM = contains("webm", head.prefix(80))
    return MediaSignature(.video, isWebM ? "video/webm" : "video/x-matroska")
  }

  /// A zip that begins with the manifest or an animation of a dotLottie.
  private static func dotLottie(_ head: [UInt8]) -> MediaSignature? {
    guard head.starts(with: [0x50, 0x4B, 0x03, 0x04]), head.count > 30 else { return nil }
    let name = head.dropFirst(30)
    return ["manifest.json", "animations/"].contains { name.starts(with: $0.utf8) }
      ? MediaSignature(.animation, nil) : nil
  }

  /// A file of boxes (ISO 14496-12).
  private static func isoMedia(_ head: [UInt8]) -> MediaSignature? {
    guard head.count >= 8 else { return nil }
    switch String(decoding: head[4..<8], as: UTF8.self) {
    case "ftyp" where head.count >= 12: return brand(head)
    case "moov", "mdat", "wide", "pnot": return MediaSignature(.video, "video/quicktime")
    case "moof", "styp", "sidx": return MediaSignature(.video, "video/mp4")
    case "skip", "free": return MediaSignature(.video, nil)
    default: return nil
    }
  }

  /// The major brand decides; the others only say as what else the file can be read.
  private static func brand(_ head: [UInt8]) -> MediaSignature {
    let brand = String(decoding: head[8..<12], as: UTF8.self)
    switch brand {
    case "qt  ": return MediaSignature(.video, "video/quicktime")
    case "M4A ", "M4B ", "M4P ": return MediaSignature(.sound, "audio/mp4")
    case "avif", "avis": return MediaSignature(.picture, "image/avif")
    case "heic", "heix", "hevc", "hevx", "heim", "heis":
      return MediaSignature(.picture, "image/heic")
    case "mif1", "mif2", "mif3", "msf1", "miaf", "MiHE":
      let isAVIF = contains("avif", head.prefix(64))
      return MediaSignature(.picture, isAVIF ? "image/avif" : "image/heif")
    default: return MediaSignature(.video, brand.hasPrefix("3g") ? "video/3gpp" : "video/mp4")
    }
  }

  private static func riff(_ head: [UInt8]) -> MediaSignature? {
    if head.starts(with: "BM".utf8), head.count >= 18 {
      // BMP: reserved bytes are zero and the size of its second header is one of a few.
      let isBMP = head[6..<10].allSatisfy { $0 == 0 } && head[15] == 0
      return isBMP ? MediaSignature(.picture, nil) : nil
    }
    guard head.starts(with: "RIFF".utf8), head.count >= 12 else { return nil }
    switch String(decoding: head[8..<12], as: UTF8.self) {
    case "AVI ": return MediaSignature(.video, "video/x-msvideo")
    case "AMV ": return MediaSignature(.video, nil)
    case "WAVE": return MediaSignature(.sound, "audio/wav")
    case "WEBP": return MediaSignature(.picture, "image/webp")
    default: return nil
    }
  }

  /// Ogg: the first packet of the first page names the codec.
  private static func ogg(_ head: [UInt8]) -> MediaSignature? {
    guard head.starts(with: "OggS".utf8), head.count > 27 else { return nil }
    let packet = head.dropFirst(27 + Int(head[26]))
    let sounds = ["\u{1}vorbis", "OpusHead", "\u{7F}FLAC", "Speex", "PCM"]
    return sounds.contains { packet.starts(with: $0.utf8) }
      ? MediaSignature(.sound, "audio/ogg") : MediaSignature(.video, "video/ogg")
  }

  /// Packets of 188 bytes, or of 192 with a time stamp before each (M2TS): three sync bytes in a
  /// row.
  private static func transportStream(_ head: [UInt8]) -> MediaSignature? {
    for (start, stride) in [(0, 188), (4, 192)] {
      let places = [start, start + stride, start + 2 * stride]
      if head.count > places[2], places.allSatisfy({ head[$0] == 0x47 }) {
        return MediaSignature(.video, "video/mp2t")
      }
    }
    return nil
  }

  /// ADTS and MPEG audio headers: twelve sync bits, then fields of which some values are invalid.
  private static func audioFrame(_ head: [UInt8]) -> MediaSignature? {
    guard head.count >= 4, head[0] == 0xFF, head[1] & 0xE0 == 0xE0 else { return nil }
    if head[1] & 0xF6 == 0xF0 { return MediaSignature(.sound, "audio/aac") }
    let layer = head[1] >> 1 & 3
    let version = head[1] >> 3 & 3
    let isMPEG =
      (layer == 1 || layer == 2) && version != 1 && head[2] >> 4 != 15
      && head[2] >> 2 & 3 != 3
    return isMPEG ? MediaSignature(.sound, "audio/mpeg") : nil
  }

  private static func contains(_ word: String, _ bytes: ArraySlice<UInt8>) -> Bool {
    let word = Array(word.utf8)
    return bytes.indices.contains { bytes[$0...].starts(with: word) }
  }
}
