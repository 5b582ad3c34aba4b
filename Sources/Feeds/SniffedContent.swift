import Stories

/// What a file is, detected from its first bytes.
package enum SniffedContent: Equatable {
  case media(Story.Kind)
  /// An extended M3U list, or an HLS playlist: which of the two depends on the whole text.
  case list
  /// JSON: a feed, an animation or something else.
  case json
  case xml
  case webPage
  /// A PLS list, or an Internet shortcut.
  case pls
  /// Something packed with gzip.
  case packed
  case empty
  case unknown

  /// - Parameter head: at least the first 1,024 bytes, fewer only where the file is shorter.
  package init(head: [UInt8]) {
    if head.isEmpty {
      self = .empty
    } else if let signature = MediaSignature(head: head) {
      self = .media(signature.kind)
    } else if head.starts(with: [0x1F, 0x8B]) {
      self = .packed
    } else if let (encoding, markBytes) = TextEncoding.marked(by: head), encoding.isWide {
      var decoder = TextDecoder(encoding)
      self = SniffedContent(text: decoder.decode(Array(head.dropFirst(markBytes)), isLast: false))
    } else {
      self = SniffedContent(text: head)
    }
  }

  /// The kind of story of a file with this content and name; nil where neither says it. For a
  /// container that may hold pictures or only sound, the name decides.
  func kind(hintedAt hint: ExtensionHint?) -> Story.Kind? {
    switch (self, hint) {
    case (.media(.video), .media(.sound)): .sound
    case (.media(let kind), _), (_, .media(let kind)): kind
    case (.list, _): .video
    case (.json, _): .animation
    default: nil
    }
  }

  /// Why a text is no feed that can be read; nil for everything else.
  var refusal: String? {
    switch self {
    case .webPage: "a web page, not media and not a feed"
    default: nil
    }
  }

  private init(text head: [UInt8]) {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let body = head.dropFirst(head.starts(with: mark) ? 3 : 0)
    let start = body.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
    switch start.first {
    case UInt8(ascii: "{"): self = .json
    case UInt8(ascii: "<"): self = SniffedContent(markup: start)
    case UInt8(ascii: "["):
      let isKnown = ["[playlist]", "[internetshortcut]"].contains {
        SniffedContent.hasPrefix(start, $0)
      }
      self = isKnown ? .pls : .unknown
    case UInt8(ascii: "#"):
      // A comment may stand before the header.
      let isList = start.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }).contains {
        SniffedContent.hasPrefix($0, "#extm3u") || SniffedContent.hasPrefix($0, "#ext-x-")
          || SniffedContent.hasPrefix($0, "#extinf:")
      }
      self = isList ? .list : .unknown
    default: self = SniffedContent.hasFeed(body) ? .xml : .unknown
    }
  }

  /// Whether a feed begins after leading bytes that should not be there.
  private static func hasFeed(_ text: ArraySlice<UInt8>) -> Bool {
    text.indices.contains { place in
      text[place] == UInt8(ascii: "<")
        && XMLProlog.isStart(
          String(decoding: text[place...].prefix(32), as: UTF8.self).lowercased())
    } && !text.contains(0)
  }

  private init(markup start: ArraySlice<UInt8>) {
    let lowered = String(decoding: start.prefix(256), as: UTF8.self).lowercased()
    if lowered.hasPrefix("<!doctype html") || lowered.hasPrefix("<html") {
      self = .webPage
    } else if lowered.hasPrefix("<?xml") || lowered.hasPrefix("<!doctype")
      || ["<rss", "<feed", "<rdf", "<playlist", "<asx", "<svg", "<smil", "<?wpl", "<!--"].contains(
        where: lowered.hasPrefix)
    {
      self = .xml
    } else {
      self = SniffedContent.hasFeed(start) ? .xml : .unknown
    }
  }

  /// Whether the bytes start with an ASCII text, given in lower case; case is ignored.
  private static func hasPrefix(_ bytes: ArraySlice<UInt8>, _ text: String) -> Bool {
    bytes.count >= text.utf8.count
      && zip(bytes, text.utf8).allSatisfy {
        ($0 >= UInt8(ascii: "A") && $0 <= UInt8(ascii: "Z") ? $0 | 0x20 : $0) == $1
      }
  }
}
