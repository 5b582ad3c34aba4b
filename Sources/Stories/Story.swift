/// One segment of a reel: what to play, and what its feed says about it.
///
/// All texts come from a stranger and stay as they were; whoever shows them makes them harmless.
/// Feeds may hold 100,000 stories, so a story is small: its texts share one allocation and are cut
/// out when asked for, and what the stories of one author have in common is stored once.
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

  /// What the stories of one author in one feed share.
  public final class Origin: Equatable, Sendable {
    /// The identity of the feed; counts only for stories with an item id.
    public let feed: String
    /// Empty where none is named.
    public let author: String

    public init(feed: String, author: String = "") {
      self.feed = feed
      self.author = author
    }

    public static func == (left: Origin, right: Origin) -> Bool {
      left === right || (left.feed == right.feed && left.author == right.author)
    }
  }

  /// Which of the stored numbers are known.
  private struct Known: OptionSet {
    let rawValue: UInt8
    static let published = Known(rawValue: 1)
    static let expires = Known(rawValue: 2)
    static let duration = Known(rawValue: 4)
    static let imageTime = Known(rawValue: 8)
    static let maxViews = Known(rawValue: 16)
    static let file = Known(rawValue: 32)
  }

  private let texts: String
  /// Where source, item id and caption end in `texts`, in UTF-8 bytes; the rest is the link.
  private let sourceEnd: UInt32
  private let itemEnd: UInt32
  private let captionEnd: UInt32
  private let views: Int32
  private let origin: Origin?
  private let publishedSeconds: Int64
  private let expiresSeconds: Int64
  private let claimedSeconds: Double
  private let imageSeconds: Float
  private let known: Known
  /// What the feed claims or the first bytes say; nil until known.
  public var kind: Kind?

  /// A story by itself. An empty text counts as none.
  ///
  /// - Parameters:
  ///   - feed: the identity of the feed; counts only together with `item`.
  ///   - item: the feed's own id of this story.
  public init(
    source: Source, feed: String = "", item: String = "", kind: Kind? = nil,
    caption: String = "", author: String = "", published: Int64? = nil, durationS: Double? = nil,
    link: String = "", maxViews: Int32? = nil, expires: Int64? = nil, imageTime: Double? = nil
  ) {
    let isAlone = author.isEmpty && (feed.isEmpty || item.isEmpty)
    self.init(
      source: source, origin: isAlone ? nil : Origin(feed: feed, author: author), item: item,
      kind: kind, caption: caption, published: published, durationS: durationS, link: link,
      maxViews: maxViews, expires: expires, imageTime: imageTime)
  }

  /// One of many stories of one origin.
  public init(
    source: Source, origin: Origin?, item: String = "", kind: Kind? = nil,
    caption: String = "", published: Int64? = nil, durationS: Double? = nil, link: String = "",
    maxViews: Int32? = nil, expires: Int64? = nil, imageTime: Double? = nil
  ) {
    var texts = source.text
    sourceEnd = UInt32(texts.utf8.count)
    itemEnd = sourceEnd + UInt32(item.utf8.count)
    captionEnd = itemEnd + UInt32(caption.utf8.count)
    texts.reserveCapacity(Int(captionEnd) + link.utf8.count)
    texts += item
    texts += caption
    texts += link
    self.texts = texts
    self.origin = origin
    self.kind = kind
    var known: Known = []
    if case .file = source { known.insert(.file) }
    if published != nil { known.insert(.published) }
    if expires != nil { known.insert(.expires) }
    let length = Self.sane(durationS)
    let stay = Self.sane(imageTime)
    if length != nil { known.insert(.duration) }
    if stay != nil { known.insert(.imageTime) }
    if maxViews != nil { known.insert(.maxViews) }
    self.known = known
    publishedSeconds = published ?? 0
    expiresSeconds = expires ?? 0
    claimedSeconds = length ?? 0
    imageSeconds = Float(stay ?? 0)
    views = maxViews ?? 0
  }

  /// The path or URL to play.
  public var source: Source {
    let text = text(from: 0, to: sourceEnd)
    return known.contains(.file) ? .file(text) : .url(text)
  }

  /// Who this story is for views and resuming: feed and item id, else the path, or the URL without
  /// userinfo, query and fragment.
  public var id: String {
    guard itemEnd > sourceEnd else { return visibleSource }
    let feed = origin?.feed ?? ""
    let visible = feed.hasPrefix("/") ? feed : Source.url(feed).visible
    return visible + "#" + text(from: sourceEnd, to: itemEnd)
  }

  /// The feed's own id of this story, else the same as `id`: what lists show.
  public var listedID: String {
    itemEnd > sourceEnd ? text(from: sourceEnd, to: itemEnd) : id
  }

  /// The title or text that belongs to the story.
  public var caption: String? { optional(text(from: itemEnd, to: captionEnd)) }

  /// The identity of the feed or list that names it: a path or URL; nil for one by itself.
  public var feed: String? { origin.flatMap { optional($0.feed) } }

  public var author: String? { origin.flatMap { optional($0.author) } }

  /// The page about the story.
  public var link: String? { optional(text(from: captionEnd, to: UInt32(texts.utf8.count))) }

  /// The time it was published, in seconds since 1970.
  public var published: Int64? { known.contains(.published) ? publishedSeconds : nil }

  /// The time after which it is not played any more, in seconds since 1970.
  public var expires: Int64? { known.contains(.expires) ? expiresSeconds : nil }

  /// The length that the feed claims.
  public var durationS: Double? { known.contains(.duration) ? claimedSeconds : nil }

  /// How long a picture of this story stays, in seconds; nil for the default.
  public var imageTime: Double? { known.contains(.imageTime) ? Double(imageSeconds) : nil }

  /// After so many plays to the end the story is not played any more; nil without a limit.
  public var maxViews: Int32? { known.contains(.maxViews) ? views : nil }

  /// Seconds as a feed claims them: nothing but 0 to 100 days is believed.
  private static func sane(_ seconds: Double?) -> Double? {
    seconds.flatMap { (0...8_640_000).contains($0) ? $0 : nil }
  }

  private func text(from start: UInt32, to end: UInt32) -> String {
    let bytes = texts.utf8
    let first = bytes.index(bytes.startIndex, offsetBy: Int(start))
    let last = bytes.index(first, offsetBy: Int(end - start))
    return String(texts[first..<last])
  }

  private func optional(_ text: String) -> String? { text.isEmpty ? nil : text }
}
