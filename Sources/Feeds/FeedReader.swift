import Stories
import System

/// Reads what a user names as sources: files, folders, lists and feeds.
///
/// Only folders, lists, feeds and the first bytes of files are read; the media themselves are left
/// to the decoder, which alone can find out whether they play.
public struct FeedReader {
  private let files: any FileAccess
  private let web: (any WebAccess)?

  /// - Parameter web: without it nothing is fetched, and every web address is a story.
  public init(files: any FileAccess = LocalFiles(), web: (any WebAccess)? = nil) {
    self.files = files
    self.web = web
  }

  /// The feed of all sources together.
  ///
  /// A single source that cannot be read throws. One of several is skipped and its reason noted;
  /// the feed may then be without stories.
  ///
  /// - Parameters:
  ///   - sources: at least one.
  ///   - standardInput: gives what `-` stands for: more sources, one a line. Called when `-` is met
  ///     among the sources.
  public func read(
    _ sources: [String], standardInput: () -> [UInt8] = { [] }
  ) throws(FeedError) -> Feed {
    var named: [String] = []
    for source in sources {
      if source == "-" { named += lines(of: standardInput()) } else { named.append(source) }
    }
    guard let first = named.first else {
      throw .cannotPlay(source: "-", reason: "the list on standard input is empty")
    }
    var opener = SourceOpener(files: files, web: web)
    if named.count == 1 { return try opener.open(first).feed }
    return combined(named, &opener)
  }

  /// The reels of one folder to be served, none where it holds no media yet. Files whose names are
  /// not UTF-8 are in `skipped`.
  public func folder(_ path: String) throws(FeedError) -> Feed {
    var sniffer = FileSniffer(files: files)
    return try FolderReader.read(
      path, source: path, files: files, sniffer: &sniffer, isServed: true)
  }

  private func combined(_ sources: [String], _ opener: inout SourceOpener) -> Feed {
    var whole = Feed(title: "")
    var titles: [String] = []
    var run: LooseRun?
    for source in sources {
      do {
        let found = try opener.open(source)
        titles.append(found.feed.title)
        whole.skipped += found.feed.skipped
        addReactions(of: found.feed, to: &whole)
        if let group = found.groupedUnder, run != nil {
          run?.append(found.feed, of: group, to: &whole.reels)
        } else {
          whole.reels += found.feed.reels
          run = found.groupedUnder.map { LooseRun(first: found.feed.title, group: $0) }
        }
      } catch {
        whole.skipped.append(Skipped(source: error.source, reason: error.reason))
      }
    }
    if let first = titles.first {
      whole.title = titles.count == 1 ? first : "\(first) and \(titles.count - 1) more"
    }
    return whole
  }

  /// Files or addresses that were named one after another: the last reel. It has the name of their
  /// folder or host if they are all in one, else that of the first.
  private struct LooseRun {
    let first: String
    let group: String
    var isOfOneGroup = true

    mutating func append(_ feed: Feed, of group: String, to reels: inout [Reel]) {
      let last = reels.count - 1
      reels[last].stories += feed.reels.flatMap(\.stories)
      isOfOneGroup = isOfOneGroup && group == self.group
      if !isOfOneGroup {
        reels[last].name = "\(first) and \(reels[last].stories.count - 1) more"
      }
    }
  }

  /// Reactions come from one place, the first that a source names (`Feed.animations`). What the
  /// stories have received (`Feed.reactions`) is left out for sources that name another place.
  private func addReactions(of feed: Feed, to whole: inout Feed) {
    whole.reactionSource = whole.reactionSource ?? feed.reactionSource
    guard feed.reactionSource == nil || feed.reactionSource?.place == whole.reactionSource?.place
    else { return }
    whole.receivedReactions.merge(feed.receivedReactions) { first, _ in first }
  }

  /// Names are separated by line ends, or by NULs if there are any (`find -print0`).
  private func lines(of text: [UInt8]) -> [String] {
    let separators: [UInt8] = text.contains(0) ? [0] : [0x0A, 0x0D]
    let lines = text.split { separators.contains($0) }.map { FileName.text($0) }
    // Lines with `#` are comments only in an M3U list, which its first line shows.
    let isList = lines.first?.lowercased().hasPrefix("#extm3u") ?? false
    return isList ? lines.filter { !$0.hasPrefix("#") } : lines
  }
}
