/// MIME types of files, told by their first bytes, and by their names only where those tell nothing.
enum MediaType {
  /// So many first bytes are enough.
  static let headBytes = 1024
  static let animation = "video/lottie+json"
  static let unknown = "application/octet-stream"

  static func of(head: [UInt8], name: String) -> String {
    let claimed = endings[ending(of: name)]
    guard let found = byContent(head, claimed: claimed) else { return claimed ?? unknown }
    // A container that may hold pictures or only sound is believed by its name.
    if let claimed, claimed.hasPrefix("audio/"), let sound = sounds[found] { return sound }
    return found
  }

  private static func byContent(_ head: [UInt8], claimed: String?) -> String? {
    if let mark = marks.first(where: { $0.matches(head) }) { return mark.type }
    if let type = isoMedia(head) ?? riff(head) ?? ogg(head) { return type }
    if head.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) {
      return contains("webm", head.prefix(80)) ? "video/webm" : "video/x-matroska"
    }
    if isTransportStream(head) { return "video/mp2t" }
    if head.count > 1, head[0] == 0xFF, head[1] & 0xE0 == 0xE0 {
      return head[1] & 0xF6 == 0xF0 ? "audio/aac" : "audio/mpeg"
    }
    return nil
  }

  private struct Mark {
    let offset: Int
    let bytes: [UInt8]
    let type: String

    init(_ text: String, at offset: Int = 0, _ type: String) {
      self.init(Array(text.utf8), at: offset, type)
    }

    init(_ bytes: [UInt8], at offset: Int = 0, _ type: String) {
      self.offset = offset
      self.bytes = bytes
      self.type = type
    }

    func matches(_ head: [UInt8]) -> Bool {
      head.count >= offset + bytes.count
        && head[offset..<offset + bytes.count].elementsEqual(bytes)
    }
  }

  private static let marks = [
    Mark([0xFF, 0xD8, 0xFF], "image/jpeg"),
    Mark([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A], "image/png"), Mark("GIF8", "image/gif"),
    Mark([0xFF, 0x0A], "image/jxl"), Mark([0, 0, 0, 0x0C] + Array("JXL ".utf8), "image/jxl"),
    Mark([0, 0, 0, 0x0C] + Array("jP  ".utf8), "image/jp2"),
    Mark([0x49, 0x49, 0x2A, 0], "image/tiff"), Mark([0x4D, 0x4D, 0, 0x2A], "image/tiff"),
    Mark("FLV\u{1}", "video/x-flv"),
    Mark([0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11], "video/x-ms-asf"),
    Mark([0, 0, 1, 0xBA], "video/mpeg"), Mark([0, 0, 1, 0xB3], "video/mpeg"),
    Mark("ID3", "audio/mpeg"), Mark("fLaC", "audio/flac"), Mark("#!AMR", "audio/amr"),
    Mark("AIFF", at: 8, "audio/aiff"), Mark("AIFC", at: 8, "audio/aiff"),
    Mark("caff", "audio/x-caf"), Mark(".snd", "audio/basic"), Mark([0x0B, 0x77], "audio/ac3"),
    Mark("#EXTM3U", "application/vnd.apple.mpegurl"),
  ]

  /// Brands of ISO 14496-12 files, the first being what it is, the others what it also can be.
  private static func isoMedia(_ head: [UInt8]) -> String? {
    guard head.count >= 12 else { return nil }
    switch String(decoding: head[4..<8], as: UTF8.self) {
    case "ftyp": break
    case "moov", "mdat", "wide", "pnot": return "video/quicktime"
    case "moof", "styp", "sidx": return "video/mp4"
    default: return nil
    }
    let brand = String(decoding: head[8..<12], as: UTF8.self)
    switch brand {
    case "qt  ": return "video/quicktime"
    case "M4A ", "M4B ", "M4P ": return "audio/mp4"
    case "avif", "avis": return "image/avif"
    case "heic", "heix", "hevc", "hevx", "heim", "heis": return "image/heic"
    case "mif1", "mif2", "mif3", "msf1", "miaf", "MiHE":
      return contains("avif", head.prefix(64)) ? "image/avif" : "image/heif"
    default: return brand.hasPrefix("3g") ? "video/3gpp" : "video/mp4"
    }
  }

  private static func riff(_ head: [UInt8]) -> String? {
    guard head.starts(with: "RIFF".utf8), head.count >= 12 else { return nil }
    switch String(decoding: head[8..<12], as: UTF8.self) {
    case "AVI ": return "video/x-msvideo"
    case "WAVE": return "audio/wav"
    case "WEBP": return "image/webp"
    default: return nil
    }
  }

  /// The first packet of the first page names the codec.
  private static func ogg(_ head: [UInt8]) -> String? {
    guard head.starts(with: "OggS".utf8), head.count > 27 else { return nil }
    let packet = head.dropFirst(27 + Int(head[26]))
    let sounds = ["\u{1}vorbis", "OpusHead", "\u{7F}FLAC", "Speex", "PCM"]
    return sounds.contains { packet.starts(with: $0.utf8) } ? "audio/ogg" : "video/ogg"
  }

  private static func isTransportStream(_ head: [UInt8]) -> Bool {
    [(0, 188), (4, 192)].contains { start, stride in
      head.count > start + 2 * stride
        && (0..<3).allSatisfy { head[start + $0 * stride] == 0x47 }
    }
  }

  private static func contains(_ word: String, _ bytes: ArraySlice<UInt8>) -> Bool {
    let word = Array(word.utf8)
    return bytes.indices.contains { bytes[$0...].starts(with: word) }
  }

  private static func ending(of name: String) -> String {
    guard let dot = name.lastIndex(of: ".") else { return "" }
    return name[name.index(after: dot)...].lowercased()
  }

  /// What a container is called when only sound is in it.
  private static let sounds = [
    "video/mp4": "audio/mp4", "video/quicktime": "audio/mp4", "video/webm": "audio/webm",
    "video/x-matroska": "audio/x-matroska", "video/ogg": "audio/ogg", "video/3gpp": "audio/3gpp",
    "video/x-ms-asf": "audio/x-ms-wma",
  ]

  private static let endings: [String: String] = {
    let lines = """
      video/mp4 mp4 m4v m4s|video/quicktime mov qt|video/webm webm|video/x-matroska mkv
      video/x-msvideo avi|video/x-flv flv f4v|video/ogg ogv ogm|video/mp2t m2ts mts
      video/mpeg mpg mpeg m2v vob|video/x-ms-asf wmv asf|video/3gpp 3gp 3g2|application/mxf mxf
      image/jpeg jpg jpeg jpe jfif|image/png png apng|image/gif gif|image/webp webp|image/avif avif
      image/heic heic|image/heif heif|image/bmp bmp|image/jxl jxl|image/tiff tif tiff|image/jp2 jp2
      image/x-portable-pixmap ppm|image/x-portable-graymap pgm|image/x-portable-bitmap pbm
      image/vnd.microsoft.icon ico|image/x-tga tga|image/qoi qoi
      audio/mpeg mp3 mp2 mpga|audio/mp4 m4a m4b|audio/aac aac|audio/ogg ogg oga opus spx
      audio/flac flac|audio/wav wav wave w64|audio/aiff aif aiff aiff|audio/amr amr
      audio/x-ms-wma wma|audio/x-matroska mka|audio/ac3 ac3|audio/eac3 eac3|audio/x-caf caf
      audio/basic au|audio/x-ape ape|audio/x-wavpack wv|audio/webm weba
      application/x-tgsticker tgs|application/zip+dotlottie lottie|application/json json
      application/vnd.apple.mpegurl m3u8 m3u|text/vtt vtt|text/plain;charset=utf-8 txt srt
      """
    var table: [String: String] = [:]
    for row in lines.split(whereSeparator: { $0 == "\n" || $0 == "|" }) {
      let words = row.split(separator: " ").map(String.init)
      for ending in words.dropFirst() { table[ending] = words[0] }
    }
    return table
  }()
}
