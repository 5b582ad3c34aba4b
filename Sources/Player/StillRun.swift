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
  /// the picture's own cells, each row ended by `ESC[0m` and a line feed; without colours there are no
  /// escape sequences at all.
  public func lines(
    of story: Story, at moment: Duration, bytes: StoryBytes, pool: DecoderPool
  ) throws(Failure) -> [UInt8] {
    let picture: Bitmap
    do {
      picture = try decode(story, at: moment, bytes: bytes, pool: pool)
    } catch {
      throw Failure(description: "cannot play \(story.shortName): \(error.reason)")
    }
    var renderer = CellRenderer(mode: mode, depth: depth, unicode: unicode)
    let cell = renderer.pixelGrid(columns: 1, rows: 1)
    let columns = (picture.width + cell.width - 1) / cell.width
    let rows = (picture.height + cell.height - 1) / cell.height
    var grid = CellGrid(columns: columns, rows: rows)
    renderer.render(picture, columns: columns, rows: rows, into: &grid)
    return StillEncoder.lines(grid, inColours: depth != .never)
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
  ) throws(ResourceError) -> Bitmap {
    let (resource, opener) = try bytes.open(story)
    let grabber: FrameGrabber
    do {
      grabber = try FrameGrabber(
        from: pool, resource: resource, opener: opener, at: moment, shape: shape)
    } catch {
      throw ResourceError("the decoder does not start: \(error.reason)")
    }
    defer { grabber.close() }
    let network = bytes.network
    while true {
      let ready: [Readiness]
      do {
        ready = try awaitReadiness(
          of: [grabber.interest, Interest(network.descriptor)], until: grabber.deadline)
      } catch {
        throw ResourceError(error.reason)
      }
      if ready[1].readable { network.deliver() }
      let outcome = grabber.service(ready[0], now: .now) { words in
        note("\(story.shortName): \(words)")
      }
      switch outcome {
      case .picture(let picture), .onlyFirst(let picture): return picture.bitmap
      case .nothing: throw ResourceError("nothing in it can be shown")
      case .failed(let reason): throw ResourceError(reason)
      case nil: break
      }
    }
  }
}
