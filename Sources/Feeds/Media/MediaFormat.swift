import Stories
import System

/// The formats of files that feeds and folders hold: the extensions of their names, their MIME
/// types, and the kind of story that each is. Only names are considered here; `MediaSignature`
/// looks at the bytes.
package enum MediaFormat {
  /// What a name hints at; nil for unknown extensions and for those of text formats.
  fileprivate static func hint(path: String) -> ExtensionHint? {
    packedExtension(ofPath: path).flatMap { hints[$0] }
  }

  /// The MIME type of a file by its name; nil where it has no known extension, or that of a format
  /// without a MIME type.
  package static func type(path: String) -> String? {
    packedExtension(ofPath: path).flatMap { types[$0] }
  }

  /// The MIME type of a container that holds only sound, as audio/mp4 for video/mp4; nil where
  /// there is none of its own.
  package static func audioOnlyType(forContainer type: String) -> String? { audioOnlyTypes[type] }

  /// The extensions of files that may be animations, in the order in which they are looked for.
  /// JSON may be something else: only the content decides.
  static let animationExtensions = ["json", "tgs", "lottie"]

  /// The name of a file that may be an animation, without its extension; nil for any other file.
  package static func animationStem(of name: String) -> String? {
    let stem = URLText.stem(of: name)
    guard stem.utf8.count < name.utf8.count,
      animationExtensions.contains(FileName.fileExtension(of: name))
    else { return nil }
    return stem
  }

  /// In each row: what the extensions hint at, their MIME type, the one for sound alone, and the
  /// extensions; `-` stands for none. `m4s` hints at nothing: it is a segment, and no story.
  /// `SourceOpener` recognises other lists than M3U, by their content or name.
  private static let table = """
    video video/mp4 audio/mp4 mp4 m4v
    - video/mp4 audio/mp4 m4s
    video video/quicktime audio/mp4 mov qt
    video video/webm audio/webm webm
    video video/x-matroska audio/x-matroska mkv
    video video/ogg audio/ogg ogv ogm
    video video/3gpp audio/3gpp 3gp 3g2
    video video/x-ms-asf audio/x-ms-wma wmv asf
    video video/x-msvideo - avi
    video video/x-flv - flv f4v
    video video/mp2t - m2ts mts
    video video/mpeg - mpg mpeg m2v vob
    video application/mxf - mxf
    video - - ts mjpeg mjpg y4m ivf h264 264 hevc 265 dv rm rmvb nut
    picture image/jpeg - jpg jpeg jpe jfif
    picture image/png - png apng
    picture image/gif - gif
    picture image/webp - webp
    picture image/avif - avif
    picture image/heic - heic
    picture image/heif - heif
    picture image/bmp - bmp
    picture image/jxl - jxl
    picture image/tiff - tif tiff
    picture image/jp2 - jp2
    picture image/x-portable-pixmap - ppm
    picture image/x-portable-graymap - pgm
    picture image/x-portable-bitmap - pbm
    picture image/vnd.microsoft.icon - ico
    picture image/x-tga - tga
    picture image/qoi - qoi
    picture - - pnm
    sound audio/mpeg - mp3 mp2 mpga
    sound audio/mp4 - m4a m4b
    sound audio/aac - aac
    sound audio/ogg - ogg oga opus spx
    sound audio/flac - flac
    sound audio/wav - wav wave w64
    sound audio/aiff - aif aiff aifc
    sound audio/amr - amr
    sound audio/x-ms-wma - wma
    sound audio/x-matroska - mka
    sound audio/webm - weba
    sound audio/ac3 - ac3
    sound audio/eac3 - eac3
    sound audio/x-caf - caf
    sound audio/basic - au
    sound audio/x-ape - ape
    sound audio/x-wavpack - wv
    animation application/x-tgsticker - tgs
    animation application/zip+dotlottie - lottie
    json application/json - json
    list application/vnd.apple.mpegurl - m3u8 m3u
    - text/vtt - vtt
    - text/plain;charset=utf-8 - txt srt
    """

  private struct Row {
    let hint: ExtensionHint?
    let type: String?
    let audioOnlyType: String?
    let extensions: [UInt64]

    init(_ line: Substring) {
      let columns = line.split(separator: " ")
      hint = ExtensionHint(named: columns[0])
      type = columns[1] == "-" ? nil : String(columns[1])
      audioOnlyType = columns[2] == "-" ? nil : String(columns[2])
      extensions = columns.dropFirst(3).compactMap { packed($0.utf8) }
    }
  }

  private static let rows = table.split(separator: "\n").map(Row.init)

  private static let hints = byExtension(\.hint)
  private static let types = byExtension(\.type)

  private static func byExtension<Value>(_ value: (Row) -> Value?) -> [UInt64: Value] {
    rows.reduce(into: [:]) { values, row in
      for name in row.extensions { values[name] = value(row) }
    }
  }

  private static let audioOnlyTypes: [String: String] = rows.reduce(into: [:]) { result, row in
    if let type = row.type, let audioOnly = row.audioOnlyType { result[type] = audioOnly }
  }

  /// The extension of a path as `packed` gives it; nil where there is none or a long one. Read from
  /// the end: paths may be long.
  private static func packedExtension(ofPath path: String) -> UInt64? {
    let name = path.utf8.suffix(longestExtension + 1)
    guard let dot = name.lastIndex(of: UInt8(ascii: ".")) else { return nil }
    return packed(name[name.index(after: dot)...])
  }

  private static let longestExtension = MemoryLayout<UInt64>.size

  /// An extension in lower case as one number, which is quicker to look up than a string; nil where
  /// it is too long or the part of a path.
  private static func packed(_ name: Substring.UTF8View) -> UInt64? {
    guard name.count <= longestExtension else { return nil }
    var packed: UInt64 = 0
    for byte in name {
      guard byte != UInt8(ascii: "/") else { return nil }
      let isCapital = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
      packed = packed << 8 | UInt64(isCapital ? byte | 0x20 : byte)
    }
    return packed
  }
}

/// What the extension of a file's name hints at.
enum ExtensionHint: Equatable, Sendable {
  case media(Story.Kind)
  /// A list, or an HLS playlist.
  case list
  /// JSON: an animation or a feed; only the content decides.
  case json

  /// Nil for names without the extension of a medium, a list or JSON.
  init?(path: String) {
    guard let hint = MediaFormat.hint(path: path) else { return nil }
    self = hint
  }

  /// What the path in a URL hints at.
  init?(address: String) { self.init(path: URLText.withoutQuery(address)) }

  fileprivate init?(named name: Substring) {
    switch name {
    case "video": self = .media(.video)
    case "picture": self = .media(.picture)
    case "sound": self = .media(.sound)
    case "animation": self = .media(.animation)
    case "list": self = .list
    case "json": self = .json
    default: return nil
    }
  }

  /// The kind of the story, if the file is one at all: of lists only an HLS playlist is, of JSON
  /// texts only an animation.
  var kind: Story.Kind {
    switch self {
    case .media(let kind): kind
    case .list: .video
    case .json: .animation
    }
  }

  var isMedium: Bool {
    if case .media = self { true } else { false }
  }
}
