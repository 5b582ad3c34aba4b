import DecoderLink
import Decoders
import Feeds
import Pictures
import Resources
import Stories
import System
import Terminal

/// Everything about reactions that the player's loop has to do with: the strip to choose from, those
/// that a story has received, and the one that lies over the picture.
final class ReactionDesk {
  /// What lies over the picture now.
  private(set) var overlay: AlphaPicture?
  private var reactions: Reactions
  private var strip = ReactionStrip()
  private var cues = ReactionCues([])
  /// Whether the story ran when the loop went to sleep.
  private var isRunning = false
  private let received: [String: [ReceivedReaction]]
  private let provider: AnimationProvider?
  private let pool: DecoderPool
  private let isPossible: Bool
  private var previews: Previews?
  private var show: ReactionShow?
  /// Clips that were shown whole, the last one last, for the shape that they were drawn for.
  private var clips: [(id: String, clip: AnimationClip)] = []
  private var clipsShape: PictureRequest?
  private var clipsEdition = 0
  private var shape = PictureRequest(width: 1, height: 1)
  private var notice: String?

  private static let mostClips = 2

  init(
    endpoint: AnimationEndpoint?, received: [String: [ReceivedReaction]], options: PlayOptions,
    network: Network, pool: DecoderPool
  ) {
    self.received = received
    self.pool = pool
    isPossible = !options.reduceMotion && !options.untimed
    reactions = Reactions(isPossible: isPossible)
    provider = endpoint.map { AnimationProvider(endpoint: $0, network: network) }
  }

  // MARK: - What the viewer does

  /// A key that the strip or a reaction takes for itself; false where it means what it always does.
  func press(_ key: Key, at now: Instant) -> Bool {
    guard strip.isOpen else { return false }
    let count = provider?.catalogue?.entries.count ?? 0
    switch key {
    case .left: strip.move(.left, count: count)
    case .right: strip.move(.right, count: count)
    case .home: strip.move(.first, count: count)
    case .end: strip.move(.last, count: count)
    case .enter: send(strip.selection, at: now)
    case .escape: closeStrip()
    default: return pressDigit(key, at: now)
    }
    return true
  }

  /// Sends the reaction of a digit; whether it is one.
  @discardableResult
  func pressDigit(_ key: Key, at now: Instant) -> Bool {
    guard case .character(let digit) = key, digit.isASCII, let number = digit.wholeNumberValue,
      number > 0
    else { return false }
    sendNumber(number, at: now)
    return true
  }

  /// Opens or closes the strip.
  func toggleStrip(at now: Instant) {
    if strip.isOpen { return closeStrip() }
    guard isPossible else { return notice = "reactions are off: nothing moves" }
    guard let provider else { return notice = "this feed has no reactions" }
    strip.open()
    provider.refreshAnew(at: now)
  }

  private func closeStrip() {
    strip.close()
    previews?.stop()
  }

  /// Shows reactions from now on, or none.
  func toggleShown(at now: Instant) {
    perform(reactions.handle(.toggled, at: now), at: now)
    notice = reactions.isShown ? "reactions are shown" : "reactions are hidden"
  }

  /// A word for the viewer, once.
  func takeNotice() -> String? {
    defer { notice = nil }
    return notice
  }

  private func sendNumber(_ number: Int, at now: Instant) {
    guard provider?.catalogue != nil else {
      // Nothing is known yet: the strip shows what there is.
      if provider != nil, isPossible, !strip.isOpen { toggleStrip(at: now) }
      return
    }
    send((strip.isOpen ? visible.lowerBound : 0) + number - 1, at: now)
  }

  private func send(_ index: Int, at now: Instant) {
    guard let entries = provider?.catalogue?.entries, entries.indices.contains(index) else {
      return
    }
    let entry = entries[index]
    if !reactions.isShown { notice = "reactions are hidden" }
    send(
      Reactions.Wish(id: entry.id, title: entry.title, priority: entry.priority), at: now)
  }

  private func send(_ wish: Reactions.Wish, at now: Instant) {
    perform(reactions.handle(.sent(wish), at: now), at: now)
  }

  // MARK: - What the story does

  /// Another story, or the same one anew, plays; nil for none.
  func storyBegan(_ story: Story?, at now: Instant) {
    // The id is made anew each time it is asked for.
    cues = ReactionCues(received.isEmpty ? [] : story.flatMap { received[$0.id] } ?? [])
    perform(reactions.handle(.storyChanged, at: now), at: now)
  }

  /// Does what is due; true where another picture lies over the story than before.
  ///
  /// - Parameters:
  ///   - position: the story's media time; nil while nothing of it is shown.
  ///   - shape: what a reaction must fit into now.
  func step(at now: Instant, position: Duration?, shape: PictureRequest) -> Bool {
    if shape != self.shape {
      self.shape = shape
      show?.run?.reshape(alphaShape)
    }
    hasShrunk = false
    if let position {
      for reaction in cues.due(at: position, look: now, ran: isRunning) {
        receive(reaction, at: now)
      }
    }
    perform(reactions.tick(at: now), at: now)
    provider?.tick(at: now)
    if strip.isOpen, let due = provider?.refreshDue, now >= due { provider?.refresh(at: now) }
    return stepShow(at: now)
  }

  private func receive(_ reaction: ReceivedReaction, at now: Instant) {
    let entry = provider?.catalogue?[reaction.id]
    send(
      Reactions.Wish(
        id: reaction.id, title: entry?.title ?? reaction.id, sender: reaction.sender,
        priority: entry?.priority ?? 0), at: now)
  }

  private func stepShow(at now: Instant) -> Bool {
    let before = overlay
    guard let current = show else {
      overlay = nil
      return before != nil
    }
    switch current.step(at: now) {
    case .nothing: return before != overlay
    case .began(let picture, let length):
      overlay = picture
      perform(reactions.handle(.began(ticket: current.ticket, length: length), at: now), at: now)
    case .frame(let picture): overlay = picture
    case .over:
      if let clip = current.keptClip { keep(clip, of: current) }
      endShow()
      perform(reactions.handle(.ended(ticket: current.ticket), at: now), at: now)
    case .failed:
      endShow()
      perform(reactions.handle(.failed(ticket: current.ticket), at: now), at: now)
    }
    return true
  }

  private func endShow() {
    show?.close()
    show = nil
    overlay = nil
  }

  // MARK: - What is decided

  private func perform(_ effects: [Reactions.Effect], at now: Instant) {
    for effect in effects {
      switch effect {
      case .show(let ticket, let wish): begin(ticket: ticket, wish, at: now)
      case .stop: endShow()
      }
    }
  }

  private func begin(ticket: Int, _ wish: Reactions.Wish, at now: Instant) {
    endShow()
    guard let provider else {
      return perform(reactions.handle(.failed(ticket: ticket), at: now), at: now)
    }
    if clipsShape != shape || clipsEdition != provider.edition { clips = [] }
    clips.removeAll { provider.isMissing($0.id) }
    let kept = clips.first { $0.id == wish.id }
    let new = ReactionShow(ticket: ticket, id: wish.id, kept: kept?.clip)
    show = new
    if kept != nil { return }
    provider.fetch(wish.id, at: now) { [weak self] result in
      // An answer for one that is not wanted any more is too late.
      guard let self, show === new else { return }
      if case .success(let bytes) = result,
        let run = try? AnimationRun(bytes, shape: alphaShape, pool: pool)
      {
        return new.begin(run)
      }
      endShow()
      perform(reactions.handle(.failed(ticket: ticket), at: .now), at: .now)
    }
  }

  private var alphaShape: PictureRequest {
    var wanted = shape
    wanted.keepsAlpha = true
    wanted.fit = .contain
    return wanted
  }

  private func keep(_ clip: AnimationClip, of show: ReactionShow) {
    // The screen may have changed meanwhile.
    guard show.run?.shape == alphaShape, let first = clip.frames.first,
      clip.frames.allSatisfy({ $0.width == first.width && $0.height == first.height })
    else { return }
    clipsShape = shape
    clipsEdition = provider?.edition ?? 0
    clips.removeAll { $0.id == show.id }
    clips.append((show.id, clip))
    if clips.count > ReactionDesk.mostClips { clips.removeFirst() }
  }

  // MARK: - The loop

  /// What is decoded now. The socket of one that failed would wake the loop for ever.
  var runs: [AnimationRun] {
    [show?.run, previews?.running].compactMap { $0 }.filter { $0.failure == nil }
  }

  /// One of `runs`; it may have been ended meanwhile.
  func service(_ run: AnimationRun, _ readiness: Readiness, at now: Instant) {
    if run === previews?.running {
      previews?.service(readiness, now: now)
    } else if run === show?.run {
      run.service(readiness, now: now)
    }
  }

  /// - Parameter position: the story's media time, while it runs.
  func nextMoment(at now: Instant, position: Duration?) -> Instant? {
    isRunning = position != nil
    var moments = [reactions.nextMoment(at: now), show?.nextMoment(at: now)]
    if let position, let next = cues.next(after: position) {
      moments.append(now + (next - position))
    }
    // What has come before it failed is shown first.
    let hasFailed = show?.run.map { $0.failure != nil && !$0.hasFrame } ?? false
    if hasFailed || hasShrunk { moments.append(now) }
    if strip.isOpen { moments += [previews?.nextMoment(at: now), provider?.refreshDue] }
    moments += runs.map(\.deadline) + [provider?.tickDue]
    return moments.compactMap { $0 }.min()
  }

  /// The player itself stood still for a while.
  func forgive() { for run in runs { run.forgive() } }

  func close() {
    endShow()
    previews?.stop()
  }

  // MARK: - What is seen

  private var visible = 0..<0
  private var hasShrunk = false

  /// Adds the strip and the banner to what lies over the picture.
  func add(to overlays: inout Overlays, columns: Int, style: PreviewStyle, at now: Instant) {
    overlays.banner = reactions.banner(at: now)
    guard strip.isOpen, let provider else { return }
    let entries = provider.catalogue?.entries ?? []
    visible = strip.visible(
      count: entries.count, room: min(9, Compositor.stripRoom(columns: columns)))
    let previews = previews ?? Previews(provider: provider, pool: pool, style: style)
    self.previews = previews
    previews.want(entries[visible].map(\.id), style: style, at: now)
    // Where one of them turned out to be missing at once, nothing else wakes the loop.
    hasShrunk = provider.catalogue?.entries.count != entries.count
    overlays.strip = Overlays.Strip(
      items: visible.map { index in
        StripItem(
          key: "\(index - visible.lowerBound + 1)", title: entries[index].title,
          isChosen: index == strip.selection,
          preview: previews.cells(of: entries[index].id, at: now))
      }, note: note(provider))
  }

  private func note(_ provider: AnimationProvider) -> String {
    if provider.isLoading { return "reactions are on their way ..." }
    if let problem = provider.problem { return "no reactions: \(problem)" }
    return "no reactions are offered"
  }
}
