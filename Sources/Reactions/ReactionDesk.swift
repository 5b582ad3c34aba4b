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
package final class ReactionDesk {
  /// What a feed and the viewer want of reactions.
  package struct Options {
    /// Where the animations are; nil where there are none.
    package var endpoint: AnimationEndpoint?
    /// Those that stories have received, by the stories' ids.
    package var received: [String: [ReceivedReaction]]
    /// Whether anything may move.
    package var isPossible: Bool

    package init(
      endpoint: AnimationEndpoint?, received: [String: [ReceivedReaction]], isPossible: Bool
    ) {
      self.endpoint = endpoint
      self.received = received
      self.isPossible = isPossible
    }
  }

  /// What lies over the picture now.
  package private(set) var frame: Bitmap?
  private let options: Options
  private let provider: AnimationProvider?
  private let pool: DecoderPool
  private var queue: ReactionQueue
  private var strip = ReactionStrip()
  private var cues = ReactionCues([])
  /// The small pictures in the strip; nil where the feed has no reactions.
  package let previews: Previews?
  /// The one that is fetched or shown.
  package private(set) var show: ReactionShow?
  private var kept = KeptClips()
  private var shape = PictureRequest(width: 1, height: 1)
  private var notice: String?

  package init(_ options: Options, network: Network, pool: DecoderPool) {
    self.options = options
    self.pool = pool
    queue = ReactionQueue(isPossible: options.isPossible)
    provider = options.endpoint.map { AnimationProvider(endpoint: $0, network: network) }
    previews = provider.map { Previews(provider: $0, pool: pool) }
  }

  // MARK: - What the viewer does

  /// Gives the strip a key; false where the key means what it always does.
  package func press(_ key: Key, at now: Instant) -> Bool {
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

  /// Sends the reaction of a digit; false where the key is none.
  @discardableResult
  package func pressDigit(_ key: Key, at now: Instant) -> Bool {
    guard case .character(let digit) = key, digit.isASCII, let number = digit.wholeNumberValue,
      number > 0
    else { return false }
    sendNumber(number, at: now)
    return true
  }

  /// Opens or closes the strip.
  package func toggleStrip(at now: Instant) {
    if strip.isOpen { return closeStrip() }
    guard options.isPossible else { return notice = "reactions are off: nothing moves" }
    guard let provider else { return notice = "this feed has no reactions" }
    strip.open()
    provider.refreshAnew(at: now)
  }

  private func closeStrip() {
    strip.close()
    previews?.stop()
  }

  /// Shows reactions from now on, or hides them all.
  package func toggleShown(at now: Instant) {
    perform(queue.handle(.toggled, at: now), at: now)
    notice = queue.isShown ? "reactions are shown" : "reactions are hidden"
  }

  /// A message for the viewer, once.
  package func takeNotice() -> String? {
    defer { notice = nil }
    return notice
  }

  private func sendNumber(_ number: Int, at now: Instant) {
    guard provider?.catalogue != nil else {
      // Nothing is known yet: the strip shows what there is.
      if provider != nil, options.isPossible, !strip.isOpen { toggleStrip(at: now) }
      return
    }
    send((strip.isOpen ? strip.inSight.lowerBound : 0) + number - 1, at: now)
  }

  private func send(_ index: Int, at now: Instant) {
    guard let entries = provider?.catalogue?.entries, entries.indices.contains(index) else {
      return
    }
    let entry = entries[index]
    if !queue.isShown { notice = "reactions are hidden" }
    send(.init(id: entry.id, title: entry.title, priority: entry.priority), at: now)
  }

  private func send(_ wish: ReactionQueue.Wish, at now: Instant) {
    perform(queue.handle(.sent(wish), at: now), at: now)
  }

  // MARK: - What the story does

  /// Another story, or the same one anew, plays; nil for none.
  package func storyBegan(_ story: Story?, at now: Instant) {
    // The id is made anew each time it is asked for.
    let received = options.received
    cues = ReactionCues(received.isEmpty ? [] : story.flatMap { received[$0.id] } ?? [])
    perform(queue.handle(.storyChanged, at: now), at: now)
  }

  /// Does what is due. `frame` may be another one then.
  ///
  /// - Parameters:
  ///   - position: the story's media time; nil while nothing of it is shown.
  ///   - isRunning: whether that time runs.
  ///   - shape: what a reaction must fit into now.
  package func step(
    at now: Instant, position: Duration?, isRunning: Bool, shape: PictureRequest
  ) {
    if shape != self.shape {
      self.shape = shape
      show?.run?.reshape(alphaShape)
    }
    if let position {
      for reaction in cues.due(at: position, look: now, isRunning: isRunning) {
        receive(reaction, at: now)
      }
    }
    perform(queue.tick(at: now), at: now)
    provider?.tick(at: now)
    if strip.isOpen, let due = provider?.refreshDue, now >= due { provider?.refresh(at: now) }
    stepShow(at: now)
  }

  private func receive(_ reaction: ReceivedReaction, at now: Instant) {
    let entry = provider?.catalogue?[reaction.id]
    send(
      .init(
        id: reaction.id, title: entry?.title ?? reaction.id, sender: reaction.sender,
        priority: entry?.priority ?? 0), at: now)
  }

  private func stepShow(at now: Instant) {
    guard let current = show else { return }
    switch current.step(at: now) {
    case .nothing: break
    case .began(let picture, let length):
      frame = picture
      perform(queue.handle(.began(ticket: current.ticket, length: length), at: now), at: now)
    case .frame(let picture): frame = picture
    case .over:
      // The shape may have changed since it began.
      if let clip = current.keptClip, current.run?.shape == alphaShape {
        kept.keep(clip, of: current.id, shape: shape, edition: provider?.edition ?? 0)
      }
      endShow()
      perform(queue.handle(.ended(ticket: current.ticket), at: now), at: now)
    case .failed:
      endShow()
      perform(queue.handle(.failed(ticket: current.ticket), at: now), at: now)
    }
  }

  private func endShow() {
    show?.close()
    show = nil
    frame = nil
  }

  // MARK: - What is decided

  private func perform(_ effects: [ReactionQueue.Effect], at now: Instant) {
    for effect in effects {
      switch effect {
      case .show(let ticket, let wish): begin(ticket: ticket, wish, at: now)
      case .stop: endShow()
      }
    }
  }

  private func begin(ticket: Int, _ wish: ReactionQueue.Wish, at now: Instant) {
    endShow()
    guard let provider else {
      return perform(queue.handle(.failed(ticket: ticket), at: now), at: now)
    }
    kept.drop(unless: shape, edition: provider.edition, missing: provider.isMissing)
    let clip = kept[wish.id]
    let new = ReactionShow(ticket: ticket, id: wish.id, kept: clip)
    show = new
    if clip != nil { return }
    provider.fetch(wish.id, at: now) { [weak self] result in
      // An answer for one that is not wanted any more is too late.
      guard let self, show === new else { return }
      if case .success(let bytes) = result,
        let run = try? AnimationRun(bytes, shape: alphaShape, pool: pool)
      {
        return new.begin(run)
      }
      endShow()
      perform(queue.handle(.failed(ticket: ticket), at: .now), at: .now)
    }
  }

  private var alphaShape: PictureRequest {
    var wanted = shape
    wanted.keepsAlpha = true
    wanted.fit = .contain
    return wanted
  }

  // MARK: - The loop

  /// When `step` must be called at the latest, or the strip looks different.
  ///
  /// - Parameter position: the story's media time, while it runs.
  package func deadline(at now: Instant, position: Duration?) -> Instant? {
    var moments = [queue.deadline(at: now), show?.nextStep(at: now), provider?.tickDue]
    if let position, let next = cues.next(after: position) {
      moments.append(now + (next - position))
    }
    if strip.isOpen { moments += [previews?.nextStep(at: now), provider?.refreshDue] }
    return moments.compactMap { $0 }.min()
  }

  /// The player was suspended for a while: that time does not count against the decoder.
  package func forgive() {
    show?.run?.forgive()
    previews?.forgive()
  }

  package func close() {
    endShow()
    previews?.stop()
  }

  // MARK: - What is seen

  /// The strip and the banner.
  ///
  /// - Parameter columns: what the screen has of them.
  package func words(columns: Int, style: PreviewStyle, at now: Instant) -> ReactionOverlay {
    var overlay = ReactionOverlay(banner: queue.banner(at: now))
    guard strip.isOpen, let provider, let previews else { return overlay }
    let room = min(9, Compositor.stripRoom(columns: columns))
    var entries: [AnimationCatalogue.Entry]
    repeat {
      entries = provider.catalogue?.entries ?? []
      strip.fit(count: entries.count, room: room)
      previews.want(entries[strip.inSight].map(\.id), style: style, at: now)
      // One of them may have turned out to be missing at once: then the list is shorter.
    } while provider.catalogue.map { $0.entries.count != entries.count } ?? false
    overlay.strip = ReactionOverlay.Strip(
      items: strip.inSight.map { index in
        StripItem(
          key: "\(index - strip.inSight.lowerBound + 1)", title: entries[index].title,
          isChosen: index == strip.selection,
          preview: previews.cells(of: entries[index].id, at: now))
      }, note: note(provider))
    return overlay
  }

  private func note(_ provider: AnimationProvider) -> String {
    if provider.isLoading { return "reactions are on their way ..." }
    if let problem = provider.problem { return "no reactions: \(problem)" }
    return "no reactions are offered"
  }
}
