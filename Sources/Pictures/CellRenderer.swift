import DecoderLink

/// How many colours the terminal can show.
public enum ColourDepth: String, CaseIterable, Sendable {
  case never
  case sixteen = "16"
  case palette256 = "256"
  case trueColour = "true"
}

/// A way to make cells of pixels: how many pixels it needs, and which cells they become.
protocol CellMode: Sendable {
  /// The number of pixels that an area of cells can show.
  func pixelGrid(columns: Int, rows: Int) -> (width: Int, height: Int)

  /// Width over height of one grid pixel, for a cell of width over height `cellAspect`.
  func pixelAspect(cellAspect: Double) -> Double

  /// Draws over a grid of blank cells; `left` and `top` are the picture's position in grid pixels, and
  /// the picture lies wholly inside.
  mutating func draw(_ picture: Bitmap, left: Int, top: Int, into grid: inout CellGrid)

  /// Drops what was learnt from earlier pictures.
  mutating func beginScene()
}

/// Two pixels a cell, one above the other: the same for all modes, so that changing the mode needs
/// no other pictures.
extension CellMode {
  func pixelGrid(columns: Int, rows: Int) -> (width: Int, height: Int) {
    (columns, 2 * rows)
  }

  func pixelAspect(cellAspect: Double) -> Double {
    2 * cellAspect
  }

  mutating func beginScene() {}
}

/// Turns pictures into cells of one mode and colour depth.
public struct CellRenderer: Sendable {
  public let mode: PictureMode
  public let depth: ColourDepth
  private var implementation: any CellMode

  /// - Parameter unicode: false if only ASCII glyphs can be shown; a mode that needs others is replaced
  ///   by one that does not.
  public init(mode: PictureMode, depth: ColourDepth, unicode: Bool) {
    self.mode = unicode || !mode.needsUnicode ? mode : .plain
    self.depth = depth
    implementation = self.mode.cells(depth)
  }

  /// The size in pixels of the largest picture for an area of cells.
  public func pixelGrid(columns: Int, rows: Int) -> (width: Int, height: Int) {
    implementation.pixelGrid(columns: columns, rows: rows)
  }

  /// Width over height of one grid pixel, given width over height of a cell (0.5 is usual).
  public func pixelAspect(cellAspect: Double) -> Double {
    implementation.pixelAspect(cellAspect: cellAspect)
  }

  /// Drops what was learnt from earlier pictures, at the start of another story or size.
  public mutating func beginScene() {
    implementation.beginScene()
  }

  /// Draws the picture in the middle of an area of cells; the rest is blank.
  ///
  /// A picture that is larger than the area is cropped around its middle. The grid's memory is reused
  /// if it has the right size.
  public mutating func render(
    _ picture: Bitmap, columns: Int, rows: Int, into grid: inout CellGrid
  ) {
    if grid.columns != columns || grid.rows != rows {
      grid = CellGrid(columns: columns, rows: rows)
    } else {
      grid.fill(with: .blank)
    }
    let available = pixelGrid(columns: columns, rows: rows)
    let shown = picture.croppedAroundMiddle(width: available.width, height: available.height)
    guard shown.width > 0, shown.height > 0 else { return }
    implementation.draw(
      shown, left: (available.width - shown.width) / 2,
      top: (available.height - shown.height) / 2, into: &grid)
  }
}

extension Bitmap {
  /// The picture itself when it fits, else its middle.
  func croppedAroundMiddle(width maximumWidth: Int, height maximumHeight: Int) -> Bitmap {
    guard width > maximumWidth || height > maximumHeight else { return self }
    let newWidth = min(width, maximumWidth)
    let newHeight = min(height, maximumHeight)
    let left = (width - newWidth) / 2
    let top = (height - newHeight) / 2
    var kept: [UInt32] = []
    kept.reserveCapacity(newWidth * newHeight)
    for row in top..<top + newHeight {
      kept.append(contentsOf: pixels[row * width + left..<row * width + left + newWidth])
    }
    return Bitmap(width: newWidth, height: newHeight, pixels: kept)
  }
}
