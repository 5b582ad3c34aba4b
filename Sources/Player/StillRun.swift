import DecoderLink
import Decoders
import Pictures
import Resources
import Stories
import System

/// One picture of one story, as cells.
public struct StillRun {
  /// Columns that the picture may take.
  public var columns: Int
  /// Rows that it may take.
  public var rows: Int
  /// What the cells draw with.
  public var mode: PictureMode
  /// In how many colours they are drawn.
  public var depth: ColourDepth
  /// How the picture fills them.
  public var fit: PlayOptions.Fit
  /// Whether characters beyond ASCII can be shown.
  public var unicode: Bool
  /// A cell's width over its height.
  public var cellAspect: Double

  /// A run with all of its settings.
  public init(
    columns: Int, rows: Int, mode: PictureMode, depth: ColourDepth, fit: PlayOptions.Fit,
    unicode: Bool, cellAspect: Double
  ) {
    self.columns = columns
    self.rows = rows
    self.mode = mode
    self.depth = depth
    self.fit = fit
    self.unicode = unicode
    self.cellAspect = cellAspect
  }

  /// Called with what is not as it should be in a story whose picture can be shown, as a whole sentence.
  public var note: (String) -> Void = { _ in }

  /// Why there is no picture, as a whole sentence.
  public struct Failure: Error, CustomStringConvertible {
    /// The sentence, without a full stop.
    public let description: String
  }

  /// The lines that show the story at a moment (its last picture where it is over by then): just
  /// the picture's own cells, each row ended by `ESC[0m` and a line feed.
  public func lines(
    of story: Story, at moment: Duration, bytes: StoryBytes, pool: DecoderPool
  ) throws(Failure) -> [UInt8] {
    let picture: DecodedPicture
    do {
      picture = try decode(story, at: moment, bytes: bytes, pool: pool)
    } catch {
      throw Failure(description: "cannot play \(story.shortName): \(error.reason)")
    }
    var renderer = CellRenderer(mode: mode, depth: depth, unicode: unicode)
    let pixels = PixelPicture(
      width: Int(picture.width), height: Int(picture.height), pixels: picture.pixels)
    let cell = renderer.pixelGrid(columns: 1, rows: 1)
    let columns = (pixels.width + cell.width - 1) / cell.width
    let rows = (pixels.height + cell.height - 1) / cell.height
    var grid = CellGrid(columns: columns, rows: rows)
    renderer.render(pixels, columns: columns, rows: rows, into: &grid)
    return StillEncoder.lines(grid)
  }

  private var shape: PictureRequest {
    let renderer = CellRenderer(mode: mode, depth: depth, unicode: unicode)
    let grid = renderer.pixelGrid(columns: columns, rows: rows)
    return PictureRequest(
      width: UInt32(grid.width), height: UInt32(grid.height),
      pixelAspect: renderer.pixelAspect(cellAspect: cellAspect),
      fit: fit == .cover ? .cover : .contain)
  }

  private func decode(
    _ story: Story, at moment: Duration, bytes: StoryBytes, pool: DecoderPool
  ) throws(ResourceError) -> DecodedPicture {
    let (resource, opener) = try bytes.open(story)
    let session: DecoderSession
    do {
      session = try DecoderSession(
        from: pool, decoding: resource, opener: opener, shape: shape, waits: true)
    } catch {
      throw ResourceError("the decoder does not start: \(error.reason)")
    }
    defer { session.close() }
    let note = { (words: String) in self.note("\(story.shortName): \(words)") }
    guard let first = try nextPicture(from: session, bytes.network, note) else {
      throw ResourceError("nothing in it can be shown")
    }
    guard moment > .zero else { return first }
    session.seek(to: moment)
    return try nextPicture(from: session, bytes.network, note) ?? first
  }

  /// Allows one picture and waits for it; past the end, the last one. nil where there is none.
  private func nextPicture(
    from session: DecoderSession, _ network: Network, _ note: (String) -> Void
  ) throws(ResourceError) -> DecodedPicture? {
    session.allow(pictures: 1)
    var hasLookedBack = false
    while true {
      let interests = [
        Interest(session.descriptor, writing: session.wantsToWrite),
        Interest(network.descriptor),
      ]
      let ready: [Readiness]
      do {
        ready = try awaitReadiness(of: interests, until: session.deadline)
      } catch {
        throw ResourceError(error.reason)
      }
      if ready[1].readable { network.deliver() }
      for event in session.service(ready[0], now: .now) {
        switch event {
        case .picture(let picture): return picture
        case .ended(_, let end, _):
          guard let end, end > .zero, session.serial > 0, !hasLookedBack else { return nil }
          hasLookedBack = true
          session.seek(to: end - .milliseconds(1))
        case .failed(let reason): throw ResourceError(reason)
        case .note(let words): note(words)
        case .opened, .sound, .soundEnded: break
        }
      }
    }
  }
}
