import DecoderLink

/// A glyph for each cell by brightness, without colour.
///
/// The error of a glyph is passed on to its neighbours (Floyd and Steinberg). A glyph changes only if
/// another one is clearly better, so that noise does not make the whole picture flicker.
struct AsciiTones: CellMode {
  /// How much better another glyph must be to replace the present one, as a share of the most ink.
  private static let inertia: Float = 0.04

  private var stretch = ContrastStretch()
  private var glyphs: [Int] = []
  private var size = (columns: 0, rows: 0)
  /// Kept from picture to picture for their memory.
  private var lumas: [Float] = []
  /// What is passed on to the glyphs of a row and of the next one. One more at each end than there are
  /// columns, for what is passed on beyond the edges.
  private var passed: [Float] = []
  private var next: [Float] = []

  mutating func beginScene() {
    self = AsciiTones()
  }

  mutating func draw(
    _ picture: Bitmap, left: Int, top: Int, into grid: inout CellGrid
  ) {
    picture.takeLumas(into: &lumas)
    let rows = top / 2...(top + picture.height - 1) / 2
    let isNew = stretch.observe(lumas) || size != (picture.width, rows.count)
    size = (picture.width, rows.count)
    if isNew { glyphs = Array(repeating: -1, count: rows.count * picture.width) }
    passed.refill(with: 0, count: picture.width + 2)
    for (line, row) in rows.enumerated() {
      next.refill(with: 0, count: picture.width + 2)
      let first = max(0, 2 * row - top) * picture.width
      let last = min(2 * row + 1 - top, picture.height - 1) * picture.width
      for x in 0..<picture.width {
        let tone = stretch.stretched((lumas[first + x] + lumas[last + x]) / 2) + passed[x + 1]
        let index = glyph(for: tone, before: glyphs[line * picture.width + x])
        glyphs[line * picture.width + x] = index
        grid[row, left + x] = Cell(glyph: AsciiInk.ramp[index].glyph)
        let error = tone - Self.tone(index)
        passed[x + 2] += error * 7 / 16
        next[x] += error * 3 / 16
        next[x + 1] += error * 5 / 16
        next[x + 2] += error * 1 / 16
      }
      swap(&passed, &next)
    }
  }

  private func glyph(for tone: Float, before: Int) -> Int {
    let nearest = AsciiInk.index(forShare: tone)
    guard before >= 0 else { return nearest }
    let gain = abs(tone - Self.tone(before)) - abs(tone - Self.tone(nearest))
    return gain > Self.inertia ? nearest : before
  }

  private static func tone(_ index: Int) -> Float {
    AsciiInk.ramp[index].ink / AsciiInk.most
  }
}
