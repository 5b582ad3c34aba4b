import Stories

/// What a MIME type says about a medium.
enum MIMEType {
  case medium(Story.Kind)
  /// A playlist of HLS or DASH.
  case stream
  /// Certainly no medium.
  case other
  case unknown

  init(_ text: String) {
    let type = text.utf8.allSatisfy(MIMEType.isPlain) ? text : MIMEType.plain(text)
    self = MIMEType.table.first { type.hasPrefix($0.0) }?.1 ?? .unknown
  }

  /// Prefixes of types; the first that fits counts.
  private static let table: [(String, MIMEType)] = [
    ("video/lottie", .medium(.animation)), ("video/", .medium(.video)),
    ("audio/mpegurl", .stream), ("audio/x-mpegurl", .stream), ("audio/", .medium(.sound)),
    ("image/svg", .other), ("image/", .medium(.picture)),
    ("application/vnd.apple.mpegurl", .stream), ("application/x-mpegurl", .stream),
    ("application/dash+xml", .stream), ("application/pdf", .other),
    ("application/x-shockwave-flash", .other), ("application/zip+dotlottie", .medium(.animation)),
    ("application/lottie", .medium(.animation)), ("text/", .other), ("font/", .other),
    ("model/", .other), ("message/", .other),
  ]

  private static func isPlain(_ byte: UInt8) -> Bool {
    byte < 0x80 && byte != 0x20 && !(UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
  }

  private static func plain(_ text: String) -> String {
    String(text.lowercased().drop { $0 == " " })
  }
}
