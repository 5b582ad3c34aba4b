import DecoderLink
import Pictures
import Playback
import Resources
import Stories
import System
import Terminal

/// All that the words of a frame depend on.
struct ViewModel {
  /// The story that plays.
  struct Playing {
    var playback: Playback
    /// How far its bytes have come from the network; nil where they are here.
    var progress: ResourceProgress?
    /// What is not as it should be in it.
    var notes: [String] = []
  }

  let stage: Stage
  let stories: [Story]
  let reelNames: [String]
  /// nil while no story has a decoder.
  let playing: Playing?
  /// Whether all of the reel had been seen when the viewer came to it.
  let reelWasSeen: Bool
  let layout: ScreenLayout
  let unicode: Bool
  /// What a picture of the story has cost on the way to the terminal.
  let bytesPerPicture: Int
  /// Bytes a second that come from the network; nil while none do.
  let byteRate: UInt64?
  /// What the cache has spared in this run.
  let savedBytes: UInt64
  let now: Instant
  /// Seconds since 1970.
  let wallClock: Int64

  var story: Story? {
    stories.indices.contains(stage.current.story) ? stories[stage.current.story] : nil
  }

  var columns: Int { layout.columns }

  /// The stories of the current reel.
  var reel: Range<Int> {
    stage.reels.isEmpty ? 0..<0 : stage.reels[stage.reel(of: stage.current.story)]
  }

  /// Whether a picture of the story was shown.
  var hasPicture: Bool { playing?.playback.shown != nil }

  /// Since when it waits for the first picture, or for bytes to go on; nil while it does not.
  func waitingSince(_ storyBegan: Instant) -> Instant? {
    guard let playing else { return nil }
    return hasPicture ? playing.playback.standsSince : storyBegan
  }
}

// MARK: - The bar

extension ViewModel {
  /// The bar, with the current story's segment in whole steps: a finer one cannot be seen, but would
  /// have to be drawn.
  var segments: Segments {
    var segments = Segments(
      count: reel.count, current: stage.current.story - reel.lowerBound)
    if stage.isAtEndCard { segments.current = max(0, reel.count - 1) }
    let steps = segments.steps(columns: columns, drawsLines: unicode)
    func whole(_ share: Double) -> Double { steps > 0 ? share.steps(of: steps) / Double(steps) : 0 }
    // What is live is always at its end.
    let isLive = hasPicture && playing?.playback.info?.isLive == true
    if stage.isAtEndCard || stage.isWaiting || isLive {
      segments.fill = 1
    } else if hasPicture {
      segments.fill = share.map(whole)
    }
    if !stage.isAtEndCard {
      segments.cached = playing?.progress.map { whole($0.reach(from: segments.fill ?? 0)) }
    }
    return segments
  }

  /// How long it takes until the bar has moved on; nil while it does not move.
  var waitForBar: Duration? {
    guard let playback = playing?.playback, playback.isRunning, let length = playback.length,
      let share, share < 1
    else { return nil }
    let steps = segments.steps(columns: columns, drawsLines: unicode)
    guard steps > 0 else { return nil }
    return length * ((share.steps(of: steps) + 1) / Double(steps) - share)
  }

  /// How much of the story was shown, 0 to 1; nil where its length is not known.
  private var share: Double? {
    guard let playback = playing?.playback, let length = playback.length else { return nil }
    return min(1, playback.position(at: now).inSeconds / max(0.001, length.inSeconds))
  }
}

extension Double {
  /// How many of so many steps a share is. Its last digits are not to be trusted.
  fileprivate func steps(of total: Int) -> Double {
    (self * Double(total) + 1e-6).rounded(.down)
  }
}

/// What surrounds and covers the picture: decided from the model and the viewer's choices.
struct View {
  enum Caption { case short, long, off }

  private(set) var mode: PictureMode
  private(set) var fit: PlayOptions.Fit
  private(set) var caption = Caption.short
  private(set) var showsHelp = false
  /// How many rows of the help are scrolled away; more than there are for its end.
  private var skippedHelp = 0
  private(set) var showsInfo = false
  /// The error row's text.
  var error: String?
  /// The sound is off.
  var isMuted = false
  /// When the viewer last pressed a key.
  var lastKey: Instant
  private var notice: (text: String, until: Instant)?
  private var storyBegan: Instant
  private let options: PlayOptions

  /// A story that loads longer than this shows what it waits for.
  static let loadingPatience = Duration.milliseconds(250)
  private static let dimAfter = Duration.seconds(3)
  /// Where pictures come, the bar moves with them.
  private static let shortestBarStep = Duration.milliseconds(100)

  init(options: PlayOptions, now: Instant) {
    self.options = options
    mode = options.mode
    fit = options.fit
    lastKey = now
    storyBegan = now
  }

  mutating func storyBegan(at now: Instant) {
    storyBegan = now
    error = nil
  }

  /// A message to the viewer in the caption row, for 3 s.
  mutating func say(_ text: String, now: Instant) { notice = (text, now + .seconds(3)) }

  /// Takes a key's action; true where the layout must be made anew.
  mutating func take(_ action: Action) -> Bool {
    switch action {
    case .help:
      showsHelp.toggle()
      skippedHelp = 0
    case .info:
      // The help would hide it.
      showsInfo = showsHelp || !showsInfo
      showsHelp = false
    case .close:
      showsHelp = false
      showsInfo = false
      if caption == .long { caption = .short }
    case .caption:
      let next: [Caption: Caption] = [.short: .long, .long: .off, .off: .short]
      caption = next[caption] ?? .short
      return caption != .long
    case .mode:
      mode = mode.next
      return true
    case .fit:
      fit = fit == .contain ? .cover : .contain
      return true
    default: break
    }
    return false
  }

  /// Scrolls the help.
  ///
  /// - Parameter most: how many rows can be scrolled away.
  mutating func scrollHelp(by rows: Int, most: Int) {
    skippedHelp = min(max(0, min(skippedHelp, most) + rows), most)
  }

  /// Whether title and caption leave their rows to the picture now.
  func chromeIsHidden(at now: Instant) -> Bool {
    caption == .off && error == nil && notice(at: now) == nil
  }

  private func notice(at now: Instant) -> String? {
    notice.flatMap { now < $0.until ? $0.text : nil }
  }

  /// When the words change by themselves.
  func deadline(_ model: ViewModel) -> Instant? {
    var moments: [Instant] = []
    if let notice, model.now < notice.until { moments.append(notice.until) }
    if model.now - lastKey < View.dimAfter { moments.append(lastKey + View.dimAfter) }
    if let since = model.waitingSince(storyBegan) {
      let spins = model.now - since >= View.loadingPatience
      moments.append(spins ? model.now + .milliseconds(100) : since + View.loadingPatience)
    } else if let wait = model.waitForBar {
      moments.append(model.now + max(View.shortestBarStep, wait))
    }
    return moments.min()
  }

  // MARK: - The rows around the picture

  func chrome(_ model: ViewModel) -> Chrome {
    let segments = model.segments
    var chrome = Chrome(segments: segments)
    chrome.titleLeft = titleLeft(model)
    chrome.titleRight = titleRight(model, segments)
    chrome.caption = notice(at: model.now) ?? captionRow(model)
    chrome.captionRight = options.keys.name(of: .help).map { "\($0) help" } ?? ""
    chrome.error = error
    chrome.dimmed = model.now - lastKey >= View.dimAfter
    chrome.hidden = chromeIsHidden(at: model.now)
    return chrome
  }

  private func captionRow(_ model: ViewModel) -> String {
    guard !model.stage.isAtEndCard, let story = model.story else { return "" }
    // The long caption is drawn over the picture.
    if caption == .long, story.caption != nil { return "" }
    return story.caption ?? story.shortName
  }

  /// The segment under a column, and how far along it.
  func segment(at column: Int, _ model: ViewModel) -> (index: Int, fraction: Double)? {
    model.segments.segment(atColumn: column, columns: model.columns)
  }

  private func titleLeft(_ model: ViewModel) -> String {
    guard let story = model.story, !model.reelNames.isEmpty else { return "" }
    let reel = model.stage.reel(of: model.stage.current.story)
    let author = model.reelNames[reel].isEmpty ? story.author ?? "" : model.reelNames[reel]
    let mark = model.reelWasSeen ? (model.unicode ? " ✓" : " (seen)") : ""
    guard let published = story.published else { return author + mark }
    return "\(author)\(mark)  \(Format.age(of: published, now: model.wallClock))"
  }

  private func titleRight(_ model: ViewModel, _ segments: Segments) -> String {
    let isLive = model.playing?.playback.info?.isLive == true && !model.stage.isAtEndCard
    let status = [isMuted ? "muted" : nil, isLive ? "LIVE" : nil, number(model, segments)]
      .compactMap(\.self)
    if model.stage.isPaused {
      let mark = model.unicode ? "▮▮" : "paused"
      return status.isEmpty ? mark : mark + " " + status.joined(separator: "  ")
    }
    let wish = model.stage.isWaiting ? options.keys.name(of: .next).map { ["press \($0)"] } : nil
    return ((wish ?? []) + status).joined(separator: "  ")
  }

  /// The story's number in the reel; nil if the bar's row shows it, beside a window of segments.
  private func number(_ model: ViewModel, _ segments: Segments) -> String? {
    if segments.showsNumber(columns: model.columns) { return nil }
    return "\(segments.current + 1)/\(segments.count)"
  }

  // MARK: - Over the picture

  func overlays(_ model: ViewModel) -> Overlays {
    var overlays = Overlays()
    if showsHelp {
      overlays.help = options.keys.helpRows
      overlays.skippedHelp = skippedHelp
      return overlays
    }
    if model.stage.isAtEndCard {
      overlays.endCard = [endWords(model)]
      if model.savedBytes > 0 {
        overlays.endCard.append("\(Format.bytes(model.savedBytes)) were not fetched again")
      }
      if model.stage.isExhausted { overlays.endCard.append(nothingLeftWords(model)) }
      overlays.endKeys = endKeys(model)
    } else if let since = model.waitingSince(storyBegan),
      model.now - since >= View.loadingPatience
    {
      let name = model.story?.shortName ?? ""
      let words = model.playing?.progress.map { Format.waiting(for: name, $0) } ?? name
      overlays.spinner = .init(text: words, phase: Int((model.now - since).milliseconds / 100))
    }
    if caption == .long, let text = model.story?.caption { overlays.caption = text }
    if showsInfo { overlays.info = info(model) }
    return overlays
  }

  private func endWords(_ model: ViewModel) -> String {
    let stories = model.stage.storyCount
    let reels = model.stage.reels.count
    return "That was all: \(stories) \(stories == 1 ? "story" : "stories"), "
      + "\(reels) \(reels == 1 ? "reel" : "reels")"
  }

  /// Why nothing is played any more: the time of some is over, and the rest was seen.
  private func nothingLeftWords(_ model: ViewModel) -> String {
    var reasons: [ViewingRules.Refusal: Int] = [:]
    for story in model.stories {
      let refusal = options.rules.refusal(of: story, completions: 0, now: model.wallClock)
      reasons[refusal ?? .exhausted, default: 0] += 1
    }
    if reasons.count == 1, let only = reasons.keys.first { return only.words }
    return ViewingRules.Refusal.words(for: reasons)
  }

  private func endKeys(_ model: ViewModel) -> [Overlays.Row] {
    let quit = Overlays.Row(keys: options.keys.name(of: .quit) ?? "", meaning: "quit")
    let others: [Overlays.Row] = [
      .init(keys: "Enter", meaning: "again"),
      .init(keys: options.keys.name(of: .previous) ?? "", meaning: "back"),
    ]
    return ((model.stage.isExhausted ? [] : others) + [quit]).filter { !$0.keys.isEmpty }
  }

  private func info(_ model: ViewModel) -> [Overlays.Row] {
    guard let playing = model.playing, let info = playing.playback.info else { return [] }
    let playback = playing.playback
    let codecs = [info.pictureCodec, info.soundCodec].compactMap { $0 }.joined(separator: " + ")
    let shown = playback.shown.map { "\($0.bitmap.width)x\($0.bitmap.height)" } ?? "-"
    let rate = info.frameRate.map { " \(Format.fixed($0, digits: 2)) fps" } ?? ""
    let length = info.isLive ? "LIVE" : playback.length.map { Format.length($0) } ?? "?"
    let rows: [Overlays.Row] = [
      .init(keys: "codec", meaning: "\(codecs) in \(info.container)"),
      .init(keys: "size", meaning: "\(info.displayWidth)x\(info.displayHeight)\(rate)"),
      .init(keys: "length", meaning: length),
      .init(keys: "grid", meaning: "\(shown) \(mode.rawValue), \(fit.rawValue)"),
      .init(keys: "frame", meaning: Format.bytes(model.bytesPerPicture)),
      .init(keys: "dropped", meaning: "\(playback.framesDropped)"),
    ]
    let notes = playing.notes.map { Overlays.Row(keys: "note", meaning: $0) }
    return rows + notes + (playing.progress.map { cacheRows($0, rate: model.byteRate) } ?? [])
  }

  private func cacheRows(_ progress: ResourceProgress, rate: UInt64?) -> [Overlays.Row] {
    let held = Format.bytes(progress.heldBytes)
    let share = progress.length.map { length in
      let percent = length == 0 ? 100 : Int(100 * progress.heldBytes / length)
      return "\(percent) % of \(Format.bytes(length))"
    }
    return [
      .init(keys: "from", meaning: progress.host),
      .init(keys: "cached", meaning: share ?? (progress.heldBytes > 0 ? held : "-")),
      .init(keys: "rate", meaning: rate.map { "\(Format.bytes($0))/s" } ?? "-"),
    ]
  }
}
