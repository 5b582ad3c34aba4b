import DecoderLink
import Glibc
import Pictures
import Testing

/// What each stage from pixels to terminal bytes costs, by mode and colours; one line a kind.
@Suite(.serialized) struct PictureBenchmarks {
  private static let columns = 120
  private static let rows = 40
  private static let tolerances = [0, 2, 4, 8]
  private static let isLong = Effort.extent != .short

  private static let kinds = PictureMode.allCases.flatMap { mode in
    ColourDepth.allCases.map { (mode, $0) }
  }

  @Test(.measures(.pictures), arguments: kinds)
  func stages_ofOneKind_costThis(mode: PictureMode, depth: ColourDepth) {
    let frames = Self.clip(frames: Self.isLong ? 240 : 4)
    var grids: [CellGrid] = []
    var renderer = CellRenderer(mode: mode, depth: depth, unicode: true)
    var grid = CellGrid(columns: 0, rows: 0)
    let rendering = Self.microseconds(for: frames.count) {
      for frame in frames {
        renderer.render(frame, columns: Self.columns, rows: Self.rows, into: &grid)
      }
    }
    for frame in frames {
      renderer.render(frame, columns: Self.columns, rows: Self.rows, into: &grid)
      grids.append(grid)
    }
    let kind = "\(mode.rawValue) \(depth.rawValue)"
    note("pictures.render", of: kind, Double(rendering), "us")
    var line = "pictures \(kind): render \(rendering) us"
    for tolerance in depth == .trueColour ? Self.tolerances : [0] {
      var painter = FramePainter(
        columns: Self.columns, rows: Self.rows, top: 0, left: 0,
        options: FramePainter.PainterOptions(depth: depth))
      var bytes = 0
      let painting = Self.microseconds(for: grids.count) {
        for grid in grids { bytes += painter.paint(grid, tolerance: tolerance).count }
      }
      line += "; t=\(tolerance) paint \(painting) us, \(bytes / grids.count) B"
    }
    say("\(line) (a frame of \(Self.columns)x\(Self.rows) cells)")
    #expect(grids.count == frames.count)
  }

  @Test(.measures(.pictures)) func overlays_eachFrame_costThis() {
    let frames = Self.isLong ? 240 : 4
    let compositor = Compositor(depth: .trueColour, unicode: true)
    let keys = (0..<20).map { CardRow(keys: "key \($0)", meaning: "does something, \($0)") }
    let cell = Cell(
      glyph: "▀", foreground: CellColour(rgb: 0x808080), background: CellColour(rgb: 0x404040))
    let picture = CellGrid(columns: Self.columns, rows: Self.rows, filledWith: cell)
    let card = Self.microseconds(for: frames) {
      for _ in 0..<frames {
        var grid = picture
        compositor.card(title: "Keys", rows: keys, onto: &grid)
      }
    }
    let info = Self.microseconds(for: frames) {
      for _ in 0..<frames {
        var grid = picture
        compositor.infoPanel(
          (0..<8).map { ("name \($0)", "value \($0)") }, onto: &grid)
      }
    }
    say("pictures overlays: card \(card) us, info \(info) us a frame")
  }

  private static func microseconds(for frames: Int, _ work: () -> Void) -> Int {
    let time = ContinuousClock().measure(work).components
    return Int(time.seconds * 1_000_000 + time.attoseconds / 1_000_000_000_000) / frames
  }

  /// Waves of colour that move, with a camera's grain.
  private static func clip(frames: Int) -> [Bitmap] {
    var state: UInt32 = 1
    return (0..<frames).map { time in
      var pixels: [UInt32] = []
      pixels.reserveCapacity(columns * 2 * rows)
      for y in 0..<2 * rows {
        for x in 0..<columns {
          state = state &* 1_664_525 &+ 1_013_904_223
          let grain = Double(state >> 24) / 64
          let red = 110 + 80 * sin(Double(x + time) / 17) * sin(Double(y) / 23) + grain
          let green = 120 + 70 * sin(Double(y - time) / 29 + Double(x) / 31) + grain
          let blue = 100 + 90 * sin(Double(x + y) / 41 + Double(time) / 50) + grain
          pixels.append(UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue))
        }
      }
      return Bitmap(width: columns, height: 2 * rows, pixels: pixels)
    }
  }
}
