import CCounting
import DecoderLink
import Pictures
import Testing

/// From a picture to its bytes nothing is allocated once the buffers have their sizes: at 30 and more
/// pictures a second, for hours, every allocation would count.
@Suite struct AllocationTests {
  /// Without optimisation, generic code allocates in the others.
  private static let kinds = PictureMode.allCases.flatMap { mode in
    #if DEBUG
      [(mode, ColourDepth.trueColour)]
    #else
      ColourDepth.allCases.map { (mode, $0) }
    #endif
  }

  @Test func counter_counts() {
    let before = counted_allocations()
    var arrays: [[Int]] = []
    for size in 1...100 { arrays.append(Array(repeating: size, count: 100 * size)) }
    #expect(arrays.count == 100 && counted_allocations() - before >= 100)
  }

  @Test(arguments: kinds, [false, true])
  func thousandFrames_allocateNothing(kind: (PictureMode, ColourDepth), repeats: Bool) {
    let (columns, rows) = (40, 12)
    var numbers = SeededNumbers(state: 5)
    let pictures = (0..<50).map { _ in
      Bitmap(
        width: columns, height: 2 * rows - 1,
        pixels: (0..<columns * (2 * rows - 1)).map { _ in
          UInt32.random(in: 0...0xFF_FFFF, using: &numbers)
        })
    }
    var renderer = CellRenderer(mode: kind.0, depth: kind.1, unicode: true)
    var painter = FramePainter(
      columns: columns, rows: rows, top: 1, left: 0,
      options: .init(repeatCharacter: repeats, depth: kind.1))
    var grid = CellGrid(columns: columns, rows: rows)
    var bytes = EscapeBuffer()
    var written = 0
    func paint(frames: Int) {
      for frame in 0..<frames {
        renderer.render(
          pictures[frame % pictures.count], columns: columns, rows: rows, into: &grid)
        painter.paint(grid, tolerance: frame % 9, into: &bytes)
        written += bytes.count
      }
    }
    paint(frames: 100)
    written = 0
    let before = counted_allocations()
    paint(frames: 1_000)
    #expect(counted_allocations() - before == 0)
    #expect(written > 100_000)
  }

  @Test func copyOfAGrid_keepsItsMemory() {
    let source = CellGrid(columns: 30, rows: 9, filledWith: Cell(glyph: "x"))
    var target = CellGrid(columns: 30, rows: 9)
    let before = counted_allocations()
    for _ in 0..<100 { target.copy(source) }
    #expect(counted_allocations() - before == 0 && target == source)
    target.copy(CellGrid(columns: 2, rows: 2))
    #expect(target == CellGrid(columns: 2, rows: 2))
  }
}
