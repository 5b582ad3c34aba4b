import DecoderLink
import Pictures
import Reactions
import System
import Terminal

/// What the player puts on the terminal: picture cells with overlays by the painter, one frame in
/// flight at most, and the chrome around them.
final class Screen {
  /// Colour differences that need not be rewritten while pictures move, of 255.
  private static let usualTolerance = 2
  private static let largestTolerance = 24

  let terminal: TerminalSession
  private(set) var layout: ScreenLayout
  private(set) var mode: PictureMode
  private let options: PlayOptions
  private let compositor: Compositor
  private var renderer: CellRenderer
  private var painter: FramePainter
  /// The picture's cells without overlays.
  private var base: CellGrid
  /// Whether `base` shows something else than `picture` and `overlay`.
  private var baseIsStale = false
  private var picture: PixelPicture?
  /// A reaction's frame over the picture.
  private var overlay: AlphaPicture?
  /// The side from which the next picture comes; nil for a cut.
  private var comesFrom: Slide.Side?
  private var slide: Slide?
  /// No picture of the current story was set yet.
  private(set) var isAwaitingStory = true
  private var outgoing: [UInt8] = []
  private var sent = 0
  private var frameBegan: Instant?
  private var tolerance = Screen.usualTolerance
  /// How long the last frame was under way.
  private var lastTook = Duration.zero
  /// Whether the present layout gives the rows of title and caption to the picture.
  private(set) var chromeIsHidden = false

  init(terminal: TerminalSession, options: PlayOptions) {
    self.terminal = terminal
    self.options = options
    mode = options.mode
    compositor = Compositor(
      depth: terminal.abilities.colour, unicode: terminal.abilities.unicode)
    let parts = Screen.parts(terminal, options, mode, hidden: false)
    layout = parts.layout
    renderer = parts.renderer
    painter = parts.painter
    base = parts.base
  }

  private typealias Parts = (
    layout: ScreenLayout, renderer: CellRenderer, painter: FramePainter, base: CellGrid
  )

  private static func parts(
    _ terminal: TerminalSession, _ options: PlayOptions, _ mode: PictureMode, hidden: Bool
  ) -> Parts {
    let columns = terminal.size.columns
    let rows = terminal.size.rows
    let layout = ScreenLayout.layout(columns: columns, rows: rows, hidden: hidden)
    let abilities = terminal.abilities
    let pictureRows = max(1, layout.picture.rows)
    return (
      layout,
      CellRenderer(mode: mode, depth: abilities.colour, unicode: abilities.unicode),
      FramePainter(
        columns: max(1, columns), rows: pictureRows, top: layout.picture.top, left: 0,
        options: .init(
          synchronizedOutput: abilities.synchronizedOutput,
          repeatCharacter: abilities.repeatCharacter, depth: abilities.colour)),
      CellGrid(columns: max(1, columns), rows: pictureRows)
    )
  }

  var columns: Int { base.columns }
  var pictureRows: Int { base.rows }

  /// Takes up what the terminal has said of itself meanwhile. What is displayed stays.
  func followAnswers() {
    painter.options.synchronizedOutput = terminal.abilities.synchronizedOutput
    painter.options.repeatCharacter = terminal.abilities.repeatCharacter
  }

  /// What decoders must fit their pictures into.
  func shape(fit: PlayOptions.Fit) -> PictureRequest {
    let grid = renderer.pixelGrid(columns: base.columns, rows: base.rows)
    return PictureRequest(
      width: UInt32(grid.width), height: UInt32(grid.height),
      pixelAspect: renderer.pixelAspect(cellAspect: terminal.cellAspect),
      fit: fit == .cover ? .cover : .contain)
  }

  /// Lays out anew for the terminal's present size, and forgets what is displayed.
  func layOut(hidden: Bool, mode: PictureMode) {
    precondition(!isBusy, "a frame cut off would leave half an escape sequence")
    self.mode = mode
    chromeIsHidden = hidden
    slide = nil
    let parts = Screen.parts(terminal, options, mode, hidden: hidden)
    layout = parts.layout
    renderer = parts.renderer
    painter = parts.painter
    base = parts.base
    // Until the decoder's picture of the new size comes, or where none will.
    picture = picture?.scaledToFit(renderer.pixelGrid(columns: columns, rows: pictureRows))
    baseIsStale = picture != nil
  }

  /// What a reaction must fit into to lie over the picture.
  func reactionShape() -> PictureRequest {
    var shape = shape(fit: .contain)
    if let picture, picture.width > 0, picture.height > 0 {
      shape.width = UInt32(picture.width)
      shape.height = UInt32(picture.height)
    }
    return shape
  }

  var previewStyle: PreviewStyle {
    PreviewStyle(
      mode: mode, depth: terminal.abilities.colour, unicode: terminal.abilities.unicode,
      cellAspect: terminal.cellAspect)
  }

  /// Lays a reaction's frame over the picture, or takes it away.
  func setOverlay(_ overlay: AlphaPicture?) {
    self.overlay = overlay
    baseIsStale = picture != nil
  }

  private func renderBase() {
    guard baseIsStale, let picture else { return }
    baseIsStale = false
    let seen = overlay.map { picture.covered(by: $0) } ?? picture
    renderer.render(seen, columns: columns, rows: pictureRows, into: &base)
  }

  /// The next picture pushes the present one away, where the line is fast enough for that.
  func slideNext(from side: Slide.Side) {
    let isFast = lastTook < .milliseconds(15) && tolerance == Screen.usualTolerance
    if isFast, picture != nil, !options.reduceMotion, !options.untimed { comesFrom = side }
  }

  /// When the slide goes on; nil where nothing slides.
  func nextMoment(now: Instant) -> Instant? { slide?.nextMoment(at: now) }

  /// Makes a picture the one to be seen.
  func setPicture(_ decoded: DecodedPicture, now: Instant) {
    if let comesFrom {
      renderBase()
      slide = Slide(from: base, side: comesFrom, began: now)
    }
    comesFrom = nil
    isAwaitingStory = false
    let picture = PixelPicture(
      width: Int(decoded.width), height: Int(decoded.height), pixels: decoded.pixels)
    self.picture = picture
    baseIsStale = true
  }

  /// Another story's pictures come: what was measured of the last one's light does not hold.
  func beginStory() {
    renderer.beginScene()
    comesFrom = nil
    slide = nil
    isAwaitingStory = true
  }

  /// Whether a frame is still under way to the terminal.
  var isBusy: Bool { sent < outgoing.count }
  /// Whether what is displayed is exact.
  var isSettled: Bool { painter.settled }

  /// Paints the picture with what lies over it. Returns the bytes that it took.
  func paint(_ overlays: Overlays, exactly: Bool, now: Instant) -> Int {
    precondition(!isBusy, "one frame in flight")
    let tolerance = exactly ? 0 : tolerance
    renderBase()
    if let moving = slide, moving.isOver(at: now) { slide = nil }
    if overlays == Overlays(), slide == nil {
      outgoing = painter.paint(base, tolerance: tolerance)
    } else {
      var cells = slide?.cells(to: base, step: slide?.step(at: now) ?? 0) ?? base
      overlays.draw(with: compositor, on: &cells)
      outgoing = painter.paint(cells, tolerance: tolerance)
    }
    sent = 0
    frameBegan = now
    flush(now: now)
    return outgoing.count
  }

  /// Sends what the terminal takes. A terminal that is slow gets coarser pictures.
  func flush(now: Instant) {
    while isBusy {
      guard let count = try? terminal.write(outgoing[sent...]) else {
        sent = outgoing.count
        return
      }
      if count == 0 { break }
      sent += count
    }
    guard let began = frameBegan else { return }
    let took = now - began
    if isBusy {
      if took > .milliseconds(50) { tolerance = min(Screen.largestTolerance, tolerance + 1) }
    } else {
      frameBegan = nil
      lastTook = took
      if took < .milliseconds(20) { tolerance = max(Screen.usualTolerance, tolerance - 1) }
    }
  }

  /// Draws the rows around the picture.
  func draw(_ chrome: Chrome) {
    if !isBusy { terminal.draw(chrome) }
  }

  /// What is on the terminal is unknown: it is cleared, and all of it drawn again.
  func repaint() {
    precondition(!isBusy, "a frame cut off would leave half an escape sequence")
    terminal.repaintAll()
    painter.forgetDisplayed()
  }
}

extension PixelPicture {
  /// The picture enlarged or reduced to fill a grid in one direction, by its nearest pixels.
  fileprivate func scaledToFit(_ grid: (width: Int, height: Int)) -> PixelPicture {
    let scale = min(Double(grid.width) / Double(width), Double(grid.height) / Double(height))
    let newWidth = max(1, min(grid.width, Int((Double(width) * scale).rounded())))
    let newHeight = max(1, min(grid.height, Int((Double(height) * scale).rounded())))
    guard newWidth != width || newHeight != height else { return self }
    var scaled: [UInt32] = []
    scaled.reserveCapacity(newWidth * newHeight)
    for y in 0..<newHeight {
      let row = y * height / newHeight * width
      for x in 0..<newWidth { scaled.append(pixels[row + x * width / newWidth]) }
    }
    return PixelPicture(width: newWidth, height: newHeight, pixels: scaled)
  }
}
