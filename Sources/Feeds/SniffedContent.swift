import Stories

/// What a file is, detected from its first bytes. `WebPage` in Resources has a rule of its own for
/// web pages: it judges answers that should be media, before anything reads them.
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
  /// Packed with gzip: a feed, an animation or something else.
  case gzip
  case empty
  case unknown

  /// - Parameter head: at least the first `MediaSignature.headBytes` bytes, fewer only where the
  ///   file is shorter.
  package init(head: [UInt8]) {
    if head.isEmpty {
      self = .empty
    } else if let signature = MediaSignature(head: head) {
      self = .media(signature.kind)
    } else if head.starts(with: [0x1F, 0x8B]) {
      self = .gzip
    } else if let (encoding, markBytes) = TextEncoding.marked(by: head), encoding.isWide {
      var decoder = TextDecoder(encoding)
      self = SniffedContent(text: decoder.decode(Array(head.dropFirst(markBytes)), isLast: false))
    } else {
      self = SniffedContent(text: head)
    }
  }

  /// Whether it is a source itself, rather than a list of names.
  package var isSource: Bool {
    switch self {
    case .media, .json, .xml, .gzip: true
    case .list, .webPage, .pls, .empty, .unknown: false
    }
  }

  /// The kind of a story with this content and name, once it is known that it is no list and no
  /// feed; nil where neither says it. For a container that may hold pictures or only sound, the
  /// name decides.
  func storyKind(hintedAt hint: ExtensionHint?) -> Story.Kind? {
    switch (self, hint) {
    case (.media(.video), .media(.sound)): .sound
    case (.media(let kind), _), (_, .media(let kind)): kind
    case (.list, _): .video
    case (.json, _): .animation
    default: nil
    }
  }

  /// A text in UTF-8, or one that is ASCII at its start; a byte order mark is skipped.
  private init(text head: [UInt8]) {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let body = head.dropFirst(head.starts(with: mark) ? 3 : 0)
    let start = body.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
    switch start.first {
    case UInt8(ascii: "{"): self = .json
    case UInt8(ascii: "<"): self = SniffedContent(markup: start)
    case UInt8(ascii: "["):
      let isKnown = ["[playlist]", "[internetshortcut]"].contains {
        SniffedContent.beginsIgnoringCase(start, with: $0)
      }
      self = isKnown ? .pls : .unknown
    case UInt8(ascii: "#"):
      // A comment may stand before the header.
      let isList = start.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }).contains {
        line in
        ["#extm3u", "#ext-x-", "#extinf:"].contains {
          SniffedContent.beginsIgnoringCase(line, with: $0)
        }
      }
      self = isList ? .list : .unknown
    default: self = SniffedContent.hasFeedBehindJunk(body) ? .xml : .unknown
    }
  }

  /// Whether a feed begins after leading bytes that should not be there.
  private static func hasFeedBehindJunk(_ text: ArraySlice<UInt8>) -> Bool {
    text.indices.contains { place in
      text[place] == UInt8(ascii: "<")
        && XMLProlog.isStart(
          String(decoding: text[place...].prefix(32), as: UTF8.self).lowercased())
    } && !text.contains(0)
  }

  /// A text that starts with `<`. Which XML is read, and which is refused, `SourceOpener.xml`
  /// decides.
  private init(markup text: ArraySlice<UInt8>) {
    let lowered = String(decoding: text.prefix(256), as: UTF8.self).lowercased()
    if lowered.hasPrefix("<!doctype html") || lowered.hasPrefix("<html") {
      self = .webPage
    } else if lowered.hasPrefix("<?xml") || lowered.hasPrefix("<!doctype")
      || ["<rss", "<feed", "<rdf", "<playlist", "<asx", "<svg", "<smil", "<?wpl", "<!--"].contains(
        where: lowered.hasPrefix)
    {
      self = .xml
    } else {
      self = SniffedContent.hasFeedBehindJunk(text) ? .xml : .unknown
    }
  }

  /// Whether the bytes start with an ASCII text in any case.
  ///
  /// - Parameter text: in lower case.
  private static func beginsIgnoringCase(_ bytes: ArraySlice<UInt8>, with text: String) -> Bool {
    bytes.count >= text.utf8.count
      && zip(bytes, text.utf8).allSatisfy {
        ($0 >= UInt8(ascii: "A") && $0 <= UInt8(ascii: "Z") ? $0 | 0x20 : $0) == $1
      }
  }
}
