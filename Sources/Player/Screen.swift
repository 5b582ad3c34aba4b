import DecoderLink
import Pictures
import Reactions
import System
import Terminal

/// What the player puts on the terminal: picture cells with overlays by the painter, one frame in
/// flight at most, and the chrome around them.
final class Screen: LoopSource {
  /// How the next picture comes in.
  private enum Entrance {
    case cut
    /// It pushes the present one away from this side.
    case slides(from: Slide.Side)
    /// It is doing so.
    case sliding(Slide)
  }

  let terminal: TerminalSession
  private let options: PlayOptions
  private let compositor: Compositor
  private var surface: Surface
  private var picture: Bitmap?
  /// A reaction's frame over the picture, premultiplied.
  private(set) var overlay: Bitmap?
  /// Whether the surface shows something else than `picture` and `overlay`.
  private var surfaceIsStale = false
  private var entrance = Entrance.cut
  /// No picture of the current story was set yet.
  private(set) var isAwaitingStory = true
  /// The next frame shows the first one.
  private var isFirstPicture = false
  private var flight: FrameFlight

  init(terminal: TerminalSession, options: PlayOptions) {
    self.terminal = terminal
    self.options = options
    flight = FrameFlight(bandwidth: options.bandwidth)
    compositor = Compositor(
      depth: terminal.abilities.colour, unicode: terminal.abilities.unicode)
    surface = Surface(terminal, mode: options.mode, chromeIsHidden: false)
  }

  var layout: ScreenLayout { surface.layout }
  /// Whether the present layout gives the rows of title and caption to the picture.
  var chromeIsHidden: Bool { surface.chromeIsHidden }
  var columns: Int { surface.columns }

  /// Uses the answers that the terminal has given meanwhile. What is displayed stays.
  func followAnswers() { surface.follow(terminal.abilities) }

  /// What decoders must fit their pictures into.
  func shape(fit: PlayOptions.Fit) -> PictureRequest {
    surface.shape(cellAspect: terminal.cellAspect, fit: fit)
  }

  /// Lays out anew for the terminal's present size, and forgets what is displayed.
  func layOut(hidden: Bool, mode: PictureMode) {
    precondition(!isBusy, "a frame cut off would leave half an escape sequence")
    // The pictures that slide have the former size.
    if case .sliding = entrance { entrance = .cut }
    surface = Surface(terminal, mode: mode, chromeIsHidden: hidden)
    // It stays until the decoder sends a picture of the new size, or for good if none comes.
    picture = picture?.scaledToFit(surface.pixelGrid)
    surfaceIsStale = picture != nil
  }

  /// How far the help can be scrolled.
  func mostSkipped(ofHelp rows: [Overlays.Row]) -> Int {
    Overlays.mostSkipped(
      ofHelp: rows, with: compositor, columns: surface.columns, rowsHigh: surface.cells.rows)
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
      mode: surface.mode, depth: terminal.abilities.colour, unicode: terminal.abilities.unicode,
      cellAspect: terminal.cellAspect)
  }

  /// Lays a reaction's frame over the picture, or takes it away.
  func setOverlay(_ overlay: Bitmap?) {
    self.overlay = overlay
    surfaceIsStale = picture != nil
  }

  private func renderSurface() {
    guard surfaceIsStale, let picture else { return }
    surfaceIsStale = false
    surface.render(overlay.map { picture.covered(by: $0) } ?? picture)
  }

  /// The next picture pushes the present one away, where the line is fast enough for that.
  func slideNext(from side: Slide.Side) {
    if flight.isFast, picture != nil, !options.reduceMotion, !options.untimed {
      entrance = .slides(from: side)
    }
  }

  /// When the slide goes on; nil where nothing slides.
  func nextSlide(at now: Instant) -> Instant? {
    if case .sliding(let slide) = entrance { slide.nextMoment(at: now) } else { nil }
  }

  /// Makes a picture the one that is shown.
  func setPicture(_ decoded: DecodedPicture, now: Instant) {
    if case .slides(let side) = entrance {
      renderSurface()
      entrance = .sliding(Slide(from: surface.cells, side: side, began: now))
    }
    if isAwaitingStory { isFirstPicture = true }
    isAwaitingStory = false
    picture = decoded.bitmap
    flight.setInterval(decoded.duration)
    surfaceIsStale = true
  }

  /// Pictures of another story follow, so that the contrast measured for the last one is dropped.
  func beginStory() {
    surface.beginStory()
    entrance = .cut
    isAwaitingStory = true
  }

  /// Whether a frame is still under way to the terminal.
  var isBusy: Bool { flight.isBusy }
  /// Whether what is displayed is exact.
  var isSettled: Bool { surface.isSettled }

  /// Paints the picture with what lies over it. Returns the bytes that it took.
  func paint(_ overlays: Overlays, _ accuracy: RedrawPlan.Paint, now: Instant) -> Int {
    let tolerance = accuracy == .exactly ? 0 : flight.tolerance
    renderSurface()
    if case .sliding(let slide) = entrance, slide.isOver(at: now) { entrance = .cut }
    let count = flight.begin(at: now, isUrgent: isFirstPicture) { bytes in
      if case .sliding(let slide) = entrance {
        var cells = slide.cells(to: surface.cells, step: slide.step(at: now))
        overlays.draw(with: compositor, on: &cells)
        surface.paint(cells, tolerance: tolerance, into: &bytes)
      } else {
        surface.paint(overlays, compositor, tolerance: tolerance, into: &bytes)
      }
    }
    isFirstPicture = false
    flush(now: now)
    return count
  }

  /// Sends what the terminal takes.
  private func flush(now: Instant, isLimited: Bool = true) {
    flight.send(at: now, isLimited: isLimited) { try? terminal.write($0) }
  }

  // MARK: - The loop

  var interest: Interest? {
    Interest(
      terminal.outputDescriptor, reading: false, writing: isBusy && flight.restDue == nil)
  }

  var deadline: Instant? { flight.restDue }

  func service(_ readiness: Readiness, now: Instant) {
    if readiness.writable || flight.restDue != nil { flush(now: now) }
  }

  /// Only a frame that is through, or nearly, makes a difference for others.
  func absorb(_ readiness: Readiness, now: Instant) -> Bool {
    service(readiness, now: now)
    return isBusy && flight.restDue == nil
  }

  /// Sends the rest of the frame as far as the terminal takes it in time: a character that is cut off
  /// would become garbage.
  func finishFrame(until end: Instant) {
    let interest = Interest(terminal.outputDescriptor, reading: false, writing: true)
    while isBusy, Instant.now < end,
      let ready = try? awaitReadiness(of: [interest], until: end), ready[0].writable
    {
      flush(now: .now, isLimited: false)
    }
  }

  // MARK: - Around the picture

  /// Draws the rows around the picture.
  func draw(_ chrome: Chrome) {
    if !isBusy { terminal.draw(chrome) }
  }

  /// What is on the terminal is unknown: it is cleared, and all of it drawn again.
  func repaint() {
    precondition(!isBusy, "a frame cut off would leave half an escape sequence")
    terminal.repaintAll()
    surface.forgetDisplayed()
  }
}

/// The cells of the picture in one layout, and how they come to the terminal.
private struct Surface {
  let layout: ScreenLayout
  let mode: PictureMode
  let chromeIsHidden: Bool
  private var renderer: CellRenderer
  private var painter: FramePainter
  /// The picture's cells, without texts over them.
  private(set) var cells: CellGrid
  /// The same with texts; kept for its memory, and empty until there are any.
  private var covered = CellGrid(columns: 0, rows: 0)

  init(_ terminal: TerminalSession, mode: PictureMode, chromeIsHidden: Bool) {
    let columns = max(1, terminal.size.columns)
    layout = ScreenLayout.layout(
      columns: terminal.size.columns, rows: terminal.size.rows, hidden: chromeIsHidden)
    self.mode = mode
    self.chromeIsHidden = chromeIsHidden
    let abilities = terminal.abilities
    let rows = max(1, layout.picture.rows)
    renderer = CellRenderer(mode: mode, depth: abilities.colour, unicode: abilities.unicode)
    painter = FramePainter(
      columns: columns, rows: rows, top: layout.picture.top, left: 0,
      options: .init(
        synchronizedOutput: abilities.synchronizedOutput,
        repeatCharacter: abilities.repeatCharacter, depth: abilities.colour))
    cells = CellGrid(columns: columns, rows: rows)
  }

  var columns: Int { cells.columns }
  var isSettled: Bool { painter.settled }

  /// The pixels that the cells have room for.
  var pixelGrid: (width: Int, height: Int) {
    renderer.pixelGrid(columns: cells.columns, rows: cells.rows)
  }

  func shape(cellAspect: Double, fit: PlayOptions.Fit) -> PictureRequest {
    let grid = pixelGrid
    return PictureRequest(
      width: UInt32(grid.width), height: UInt32(grid.height),
      pixelAspect: renderer.pixelAspect(cellAspect: cellAspect),
      fit: fit == .cover ? .cover : .contain)
  }

  mutating func follow(_ abilities: TerminalAbilities) {
    painter.options.synchronizedOutput = abilities.synchronizedOutput
    painter.options.repeatCharacter = abilities.repeatCharacter
  }

  mutating func beginStory() { renderer.beginScene() }

  mutating func forgetDisplayed() { painter.forgetDisplayed() }

  mutating func render(_ picture: Bitmap) {
    renderer.render(picture, columns: cells.columns, rows: cells.rows, into: &cells)
  }

  /// Writes what shows the picture with texts over it.
  mutating func paint(
    _ overlays: Overlays, _ compositor: Compositor, tolerance: Int, into bytes: inout EscapeBuffer
  ) {
    if overlays == Overlays() {
      return painter.paint(cells, tolerance: tolerance, into: &bytes)
    }
    covered.copy(cells)
    overlays.draw(with: compositor, on: &covered)
    painter.paint(covered, tolerance: tolerance, into: &bytes)
  }

  /// Writes what shows other cells.
  mutating func paint(_ cells: CellGrid, tolerance: Int, into bytes: inout EscapeBuffer) {
    painter.paint(cells, tolerance: tolerance, into: &bytes)
  }
}

extension Bitmap {
  /// The picture enlarged or reduced to fill a grid in one direction, by its nearest pixels.
  fileprivate func scaledToFit(_ grid: (width: Int, height: Int)) -> Bitmap {
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
    return Bitmap(width: newWidth, height: newHeight, pixels: scaled)
  }
}
