import DecoderLink
import Pictures
import Playback
import Resources
import Stories
import System
import Terminal

/// All that a frame's words depend on.
struct Scene {
  let stage: Stage
  let stories: [Story]
  let reelNames: [String]
  let slot: StorySlot?
  /// Whether all of the reel had been seen when it was come to.
  let reelWasSeen: Bool
  let layout: ScreenLayout
  let unicode: Bool
  let metrics: Metrics
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

  /// Since when it waits for the first picture, or for bytes to go on; nil while it does not.
  func waitingSince(_ storyBegan: Instant) -> Instant? {
    guard let slot else { return nil }
    return slot.hasPicture ? slot.playback.standsSince : storyBegan
  }
}

/// What surrounds and covers the picture: decided from the scene and the viewer's choices.
struct View {
  enum Caption { case short, long, off }

  private(set) var mode: PictureMode
  private(set) var fit: PlayOptions.Fit
  private(set) var caption = Caption.short
  private(set) var showsHelp = false
  private(set) var showsInfo = false
  /// The error row's text.
  var error: String?
  /// The sound is off.
  var isMuted = false
  /// When the viewer last pressed a key.
  var lastKey: Instant
  /// What lies over the picture on the screen now.
  var paintedOverlays = Overlays()
  private var notice: (text: String, until: Instant)?
  private var storyBegan: Instant
  private let options: PlayOptions

  /// A story that loads longer than this shows what it waits for.
  static let loadingPatience = Duration.milliseconds(250)
  private static let dimAfter = Duration.seconds(3)

  init(options: PlayOptions, now: Instant) {
    self.options = options
    mode = options.mode
    fit = options.fit
    lastKey = now
    storyBegan = now
  }

  mutating func storyBegan(at now: Instant) { storyBegan = now }

  /// A word to the viewer in the caption row, for 3 s.
  mutating func say(_ text: String, now: Instant) { notice = (text, now + .seconds(3)) }

  /// Takes a key's action; true where the layout must be made anew.
  mutating func take(_ action: Action) -> Bool {
    switch action {
    case .help: showsHelp.toggle()
    case .info: showsInfo.toggle()
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

  /// Whether title and caption leave their rows to the picture now.
  func chromeIsHidden(at now: Instant) -> Bool {
    caption == .off && error == nil && notice(at: now) == nil
  }

  private func notice(at now: Instant) -> String? {
    notice.flatMap { now < $0.until ? $0.text : nil }
  }

  /// The next moment at which the words change by themselves.
  func nextMoment(_ scene: Scene) -> Instant? {
    var moments: [Instant] = []
    if let notice, scene.now < notice.until { moments.append(notice.until) }
    if scene.now - lastKey < View.dimAfter { moments.append(lastKey + View.dimAfter) }
    if let since = scene.waitingSince(storyBegan) {
      let spins = scene.now - since >= View.loadingPatience
      moments.append(spins ? scene.now + .milliseconds(100) : since + View.loadingPatience)
    } else if let playback = scene.slot?.playback, playback.isRunning,
      let length = playback.length
    {
      let steps = Double(2 * max(1, scene.columns / max(1, scene.reel.count)))
      let step = max(0.1, length.inSeconds / steps)
      moments.append(scene.now + .seconds(step))
    }
    return moments.min()
  }

  // MARK: - The rows around the picture

  func chrome(_ scene: Scene) -> Chrome {
    var chrome = Chrome(segments: segments(scene))
    chrome.titleLeft = titleLeft(scene)
    chrome.titleRight = titleRight(scene)
    chrome.caption = notice(at: scene.now) ?? captionRow(scene)
    chrome.captionRight = options.keys.name(of: .help).map { "\($0) help" } ?? ""
    chrome.error = error
    chrome.dimmed = scene.now - lastKey >= View.dimAfter
    chrome.hidden = chromeIsHidden(at: scene.now)
    return chrome
  }

  private func captionRow(_ scene: Scene) -> String {
    guard !scene.stage.isAtEndCard, let story = scene.story else { return "" }
    // Unfolded, it stands over the picture.
    if caption == .long, story.caption != nil { return "" }
    return story.caption ?? story.shortName
  }

  private func segments(_ scene: Scene) -> Segments {
    let reel = scene.reel
    guard !scene.stage.isAtEndCard else {
      return Segments(count: reel.count, current: max(0, reel.count - 1), fill: 1)
    }
    var fill: Double? = 0
    if let slot = scene.slot, slot.hasPicture {
      let position = slot.playback.position(at: scene.now).inSeconds
      // In half columns: a finer step could not be seen, and would have to be drawn.
      let steps = Double(2 * max(1, scene.columns / max(1, reel.count)))
      fill = slot.playback.length.map { length in
        (min(1, position / max(0.001, length.inSeconds)) * steps).rounded(.down) / steps
      }
    }
    if scene.stage.isWaiting { fill = 1 }
    return Segments(
      count: reel.count, current: scene.stage.current.story - reel.lowerBound, fill: fill,
      cached: scene.slot?.progress?.reach(from: fill ?? 0))
  }

  /// The segment under a column, and how far along it.
  func segment(at column: Int, _ scene: Scene) -> (index: Int, fraction: Double)? {
    segments(scene).segment(atColumn: column, columns: scene.columns)
  }

  private func titleLeft(_ scene: Scene) -> String {
    guard let story = scene.story, !scene.reelNames.isEmpty else { return "" }
    let reel = scene.stage.reel(of: scene.stage.current.story)
    let author = scene.reelNames[reel].isEmpty ? story.author ?? "" : scene.reelNames[reel]
    let mark = scene.reelWasSeen ? (scene.unicode ? " ✓" : " (seen)") : ""
    guard let published = story.published else { return author + mark }
    return "\(author)\(mark)  \(Words.age(of: published, now: scene.wallClock))"
  }

  private func titleRight(_ scene: Scene) -> String {
    let place = [isMuted ? "muted" : nil, number(scene)].compactMap(\.self)
    if scene.stage.isPaused {
      let mark = scene.unicode ? "▮▮" : "paused"
      return place.isEmpty ? mark : mark + " " + place.joined(separator: "  ")
    }
    let wish = scene.stage.isWaiting ? options.keys.name(of: .next).map { ["press \($0)"] } : nil
    return ((wish ?? []) + place).joined(separator: "  ")
  }

  /// The place in the reel; nil where the bar's row says it already, beside a window of segments.
  private func number(_ scene: Scene) -> String? {
    let shown = segments(scene).places(columns: scene.columns).count
    guard shown == 0 || shown == scene.reel.count else { return nil }
    return "\(scene.stage.current.story - scene.reel.lowerBound + 1)/\(scene.reel.count)"
  }

  // MARK: - Over the picture

  func overlays(_ scene: Scene) -> Overlays {
    var overlays = Overlays()
    if scene.stage.isAtEndCard {
      overlays.endCard = [endWords(scene)]
      if scene.savedBytes > 0 {
        overlays.endCard.append("\(Words.bytes(scene.savedBytes)) were not fetched again")
      }
      if scene.stage.isExhausted { overlays.endCard.append(nothingLeftWords(scene)) }
      overlays.endKeys = endKeys(scene)
    } else if let since = scene.waitingSince(storyBegan),
      scene.now - since >= View.loadingPatience
    {
      let name = scene.story?.shortName ?? ""
      let words = scene.slot?.progress.map { Words.waiting(for: name, $0) } ?? name
      overlays.spinner = .init(text: words, phase: Int((scene.now - since).milliseconds / 100))
    }
    if showsHelp {
      overlays.help = options.keys.helpRows.map {
        .init(keys: $0.keys, meaning: $0.meaning, briefly: $0.briefly)
      }
      return overlays
    }
    if caption == .long, let text = scene.story?.caption { overlays.caption = text }
    if showsInfo { overlays.info = info(scene) }
    return overlays
  }

  private func endWords(_ scene: Scene) -> String {
    let stories = scene.stage.storyCount
    let reels = scene.stage.reels.count
    return "That was all: \(stories) \(stories == 1 ? "story" : "stories"), "
      + "\(reels) \(reels == 1 ? "reel" : "reels")"
  }

  /// Why nothing is told any more: what had its time is over, the rest was seen.
  private func nothingLeftWords(_ scene: Scene) -> String {
    var reasons: [ViewingRules.Refusal: Int] = [:]
    for story in scene.stories {
      let refusal = options.rules.refusal(of: story, completions: 0, now: scene.wallClock)
      reasons[refusal ?? .exhausted, default: 0] += 1
    }
    if reasons.count == 1, let only = reasons.keys.first { return only.words }
    return ViewingRules.Refusal.words(for: reasons)
  }

  private func endKeys(_ scene: Scene) -> [Overlays.Row] {
    let quit = Overlays.Row(keys: options.keys.name(of: .quit) ?? "", meaning: "quit")
    let others: [Overlays.Row] = [
      .init(keys: "Enter", meaning: "again"),
      .init(keys: options.keys.name(of: .previous) ?? "", meaning: "back"),
    ]
    return ((scene.stage.isExhausted ? [] : others) + [quit]).filter { !$0.keys.isEmpty }
  }

  private func info(_ scene: Scene) -> [Overlays.Row] {
    guard let slot = scene.slot, let info = slot.playback.info else { return [] }
    let codecs = [info.pictureCodec, info.soundCodec].compactMap { $0 }.joined(separator: " + ")
    let shown = slot.playback.shown.map { "\($0.bitmap.width)x\($0.bitmap.height)" } ?? "-"
    let rate = info.frameRate.map { " \(Words.fixed($0, digits: 2)) fps" } ?? ""
    let counts = scene.metrics.stories.last
    let perFrame = counts.map { $0.framesShown > 0 ? $0.bytesToTerminal / $0.framesShown : 0 } ?? 0
    let length = slot.playback.length.map { Words.length($0) } ?? "?"
    let rows: [Overlays.Row] = [
      .init(keys: "codec", meaning: "\(codecs) in \(info.container)"),
      .init(keys: "size", meaning: "\(info.displayWidth)x\(info.displayHeight)\(rate)"),
      .init(keys: "length", meaning: length),
      .init(keys: "grid", meaning: "\(shown) \(mode.rawValue), \(fit.rawValue)"),
      .init(keys: "frame", meaning: Words.bytes(perFrame)),
      .init(keys: "dropped", meaning: "\(slot.playback.framesDropped)"),
    ]
    let notes = slot.notes.all.map { Overlays.Row(keys: "note", meaning: $0) }
    return rows + notes + (slot.progress.map { cacheRows($0, rate: scene.byteRate) } ?? [])
  }

  private func cacheRows(_ progress: ResourceProgress, rate: UInt64?) -> [Overlays.Row] {
    let held = Words.bytes(progress.heldBytes)
    let share = progress.length.map { length in
      let percent = length == 0 ? 100 : Int(100 * progress.heldBytes / length)
      return "\(percent) % of \(Words.bytes(length))"
    }
    return [
      .init(keys: "from", meaning: progress.host),
      .init(keys: "cached", meaning: share ?? (progress.heldBytes > 0 ? held : "-")),
      .init(keys: "rate", meaning: rate.map { "\(Words.bytes($0))/s" } ?? "-"),
    ]
  }
}
