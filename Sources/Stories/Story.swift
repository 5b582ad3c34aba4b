/// One segment of a reel: what to play, and what its feed says about it.
///
/// All texts come from a stranger and stay as they were; whoever shows them makes them harmless.
/// Feeds may hold 100,000 stories, so the texts share one allocation and are cut out when asked
/// for: each costs one small allocation to read.
public struct Story: Equatable, Sendable {
  /// Where the bytes are.
  public enum Source: Hashable, Sendable {
    /// An absolute path of this machine.
    case file(String)
    /// An absolute URL.
    case url(String)

    /// The path or URL.
    public var text: String {
      switch self {
      case .file(let path): path
      case .url(let url): url
      }
    }
  }

  /// What kind of medium a story is.
  public enum Kind: String, Sendable {
    case video, picture, sound, animation
  }

  /// What the feed claims or the first bytes say; nil until known.
  public var kind: Kind?
  /// After so many tellings to the end the story is told no more; nil without a limit.
  public let maxViews: Int32?
  private let sourceIsFile: Bool
  /// Where source, item id, caption and link end in `texts`, in UTF-8 bytes.
  private let ends: (source: UInt32, item: UInt32, caption: UInt32, link: UInt32)
  private let texts: String
  private let feed: String
  private let authorName: String
  /// The time it was published, in seconds since 1970.
  public let published: Int64?
  /// The time after which it is not told any more, in seconds since 1970.
  public let expires: Int64?
  /// The length that the feed claims.
  public var durationS: Double?
  /// How long a picture of this story stays, in seconds; nil for the default.
  public let imageTime: Double?

  /// An empty text counts as none.
  ///
  /// - Parameters:
  ///   - feed: the identity of the feed; counts only together with `item`.
  ///   - item: the feed's own id of this story.
  public init(
    source: Source, feed: String = "", item: String = "", kind: Kind? = nil, caption: String = "",
    author: String = "", published: Int64? = nil, durationS: Double? = nil, link: String = "",
    maxViews: Int32? = nil, expires: Int64? = nil, imageTime: Double? = nil
  ) {
    if case .file = source { sourceIsFile = true } else { sourceIsFile = false }
    var texts = source.text
    texts.reserveCapacity(
      texts.utf8.count + item.utf8.count + caption.utf8.count + link.utf8.count)
    let sourceEnd = UInt32(texts.utf8.count)
    texts += item
    let itemEnd = UInt32(texts.utf8.count)
    texts += caption
    let captionEnd = UInt32(texts.utf8.count)
    texts += link
    ends = (sourceEnd, itemEnd, captionEnd, UInt32(texts.utf8.count))
    self.texts = texts
    self.feed = item.isEmpty ? "" : feed
    self.authorName = author
    self.kind = kind
    self.published = published
    self.durationS = durationS
    self.maxViews = maxViews
    self.expires = expires
    self.imageTime = imageTime
  }

  /// The path or URL to play.
  public var source: Source {
    let text = text(from: 0, to: ends.source)
    return sourceIsFile ? .file(text) : .url(text)
  }

  /// Who this story is for views and resuming: feed and item id, else the path, or the URL without
  /// query and fragment.
  public var id: String {
    if ends.item > ends.source {
      return feed + "#" + text(from: ends.source, to: ends.item)
    }
    switch source {
    case .file(let path): return path
    case .url(let url): return String(url.unicodeScalars.prefix { $0 != "?" && $0 != "#" })
    }
  }

  /// The feed's own id of this story, else the same as `id`: what lists show.
  public var listedID: String {
    ends.item > ends.source ? text(from: ends.source, to: ends.item) : id
  }

  /// The title or text that belongs to the story.
  public var caption: String? { optional(text(from: ends.item, to: ends.caption)) }

  public var author: String? { optional(authorName) }

  /// The page about the story.
  public var link: String? { optional(text(from: ends.caption, to: ends.link)) }

  public static func == (left: Story, right: Story) -> Bool {
    left.texts == right.texts && left.ends == right.ends && left.feed == right.feed
      && left.sourceIsFile == right.sourceIsFile && left.authorName == right.authorName
      && left.kind == right.kind && left.published == right.published
      && left.expires == right.expires && left.durationS == right.durationS
      && left.maxViews == right.maxViews && left.imageTime == right.imageTime
  }

  private func text(from start: UInt32, to end: UInt32) -> String {
    let bytes = texts.utf8
    let first = bytes.index(bytes.startIndex, offsetBy: Int(start))
    let last = bytes.index(first, offsetBy: Int(end - start))
    return String(texts[first..<last])
  }

  private func optional(_ text: String) -> String? { text.isEmpty ? nil : text }
}
