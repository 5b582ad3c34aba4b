import DecoderLink
import Pictures
import Playback
import Reactions
import System
import Terminal

/// What is on the terminal: the rows around the picture, the picture and what lies over it, each drawn
/// when the plan says so.
final class Renderer: JournalReader {
  let screen: Screen
  var view: View
  private var plan = RedrawPlan()
  private var posters = Posters()
  /// What lies over the picture on the screen now.
  private var painted = Overlays()

  init(terminal: TerminalSession, options: PlayOptions, now: Instant) {
    screen = Screen(terminal: terminal, options: options)
    view = View(options: options, now: now)
  }

  /// What decoders must fit their pictures into.
  var shape: PictureRequest { screen.shape(fit: view.fit) }

  // MARK: - What has changed

  /// Something else may have written to the terminal: it is cleared, and all of it drawn again.
  func terminalChanged() { plan.terminalChanged() }

  /// The terminal's size, the picture mode or the rows around the picture have changed.
  func layoutChanged() { plan.layoutChanged() }

  func read(_ event: Journal.Event, at now: Instant) {
    switch event {
    case .began(_, _, let slide):
      view.storyBegan(at: now)
      screen.beginStory()
      if let slide { screen.slideNext(from: slide == .forward ? .right : .left) }
    case .endCard:
      view.error = nil
      plan.pictureChanged()
    default: break
    }
  }

  /// A picture of a story comes on the screen.
  func show(_ picture: DecodedPicture, of story: Int, now: Instant) {
    if screen.isAwaitingStory { posters.note(picture, of: story) }
    screen.setPicture(picture, now: now)
    plan.pictureChanged()
  }

  /// Lets a picture from before stand for a story; false where there is none.
  func showPoster(of story: Int, now: Instant) -> Bool {
    guard let poster = posters[story] else { return false }
    screen.setPicture(poster, now: now)
    plan.pictureChanged()
    return true
  }

  /// Lays a reaction's frame over the picture, or takes it away.
  func setReaction(_ frame: Bitmap?) {
    guard frame != screen.overlay else { return }
    screen.setOverlay(frame)
    plan.pictureChanged()
  }

  /// Scrolls the help, where not all of it fits.
  ///
  /// - Parameter rows: of all keys.
  /// - Returns: false where the key means nothing to it.
  func scrollHelp(_ rows: [Overlays.Row], with key: Key) -> Bool {
    guard view.showsHelp else { return false }
    let most = screen.mostSkipped(ofHelp: rows)
    guard most > 0 else { return false }
    let page = max(1, screen.layout.picture.rows - 1)
    switch key {
    case .up: view.scrollHelp(by: -1, most: most)
    case .down: view.scrollHelp(by: 1, most: most)
    case .pageUp: view.scrollHelp(by: -page, most: most)
    case .pageDown: view.scrollHelp(by: page, most: most)
    default: return false
    }
    return true
  }

  // MARK: - What is due

  /// What decoders must fit their pictures into from now on; nil where nothing has changed.
  func takeReshape(at now: Instant) -> PictureRequest? {
    guard plan.takeReshape(at: now) else { return nil }
    // Those of another size are of no use.
    posters = Posters()
    return shape
  }

  /// Lays out anew if that is due. The screen must have taken all of the last frame.
  func layOut(at now: Instant) {
    let hidden = view.chromeIsHidden(at: now)
    if hidden != screen.chromeIsHidden { plan.layoutChanged() }
    let layout = plan.takeLayout(at: now)
    guard layout != .valid else { return }
    if layout == .unknown { screen.repaint() }
    screen.layOut(hidden: hidden, mode: view.mode)
  }

  /// Draws what has changed. The screen must have taken all of the last frame.
  ///
  /// - Parameters:
  ///   - reactions: the words about reactions.
  ///   - isStill: whether nothing of the picture moves.
  /// - Returns: the bytes that painting took; nil where nothing was painted.
  func draw(_ model: ViewModel, _ reactions: ReactionOverlay, isStill: Bool) -> Int? {
    // The chrome first: after a change of size its drawing clears the screen.
    screen.draw(view.chrome(model))
    guard !screen.layout.isTooSmall else { return nil }
    var overlays = view.overlays(model)
    overlays.reactions = reactions
    let facts = RedrawPlan.Facts(
      hasNewOverlays: overlays != painted, isSettled: screen.isSettled,
      isSliding: screen.nextSlide(at: model.now) != nil, isStill: isStill)
    guard let accuracy = plan.takePaint(facts, at: model.now) else { return nil }
    painted = overlays
    return screen.paint(overlays, accuracy, now: model.now)
  }

  /// When something of this is due.
  func deadline(_ model: ViewModel) -> Instant? {
    var next = Earliest(plan.reshapeDeadline)
    // The terminal wakes the loop when it has taken the frame.
    guard !screen.isBusy else { return next.moment }
    next.add(view.deadline(model))
    next.add(screen.nextSlide(at: model.now))
    if view.chromeIsHidden(at: model.now) != screen.chromeIsHidden { next.add(model.now) }
    if !screen.layout.isTooSmall {
      next.add(plan.paintDeadline(isSettled: screen.isSettled, at: model.now))
    }
    return next.moment
  }
}
