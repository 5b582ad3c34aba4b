import DecoderLink
import Pictures
import Testing

@Suite struct CellRendererTests {
  static let everyKind = PictureMode.allCases.flatMap { mode in
    ColourDepth.allCases.map { (mode, $0) }
  }

  static func render(
    _ picture: Bitmap, _ mode: PictureMode, _ depth: ColourDepth, columns: Int, rows: Int,
    unicode: Bool = true
  ) -> CellGrid {
    var renderer = CellRenderer(mode: mode, depth: depth, unicode: unicode)
    var grid = CellGrid(columns: 0, rows: 0)
    renderer.render(picture, columns: columns, rows: rows, into: &grid)
    return grid
  }

  @Test(arguments: [(PictureMode.half, 240, 160), (.ascii, 240, 160)])
  func pixelGrid_ofAnArea_isWhatTheModeCanShow(mode: PictureMode, width: Int, height: Int) {
    let renderer = CellRenderer(mode: mode, depth: .trueColour, unicode: true)
    let grid = renderer.pixelGrid(columns: 240, rows: 80)
    #expect(grid == (width, height))
    #expect(renderer.pixelAspect(cellAspect: 0.5) == 1)
    #expect(renderer.pixelAspect(cellAspect: 0.4) == 0.8)
  }

  @Test func init_halfWithoutUnicode_fallsBackToAscii() {
    let renderer = CellRenderer(mode: .half, depth: .trueColour, unicode: false)
    #expect(renderer.mode == .ascii)
    let grid = Self.render(
      TestPictures.noise(width: 20, height: 20, seed: 5), .half, .trueColour, columns: 20,
      rows: 10, unicode: false)
    #expect(grid.allCells.allSatisfy { $0.glyph.isASCII })
  }

  /// The slow oracle: each half looked up by itself.
  @Test(arguments: 1...5, 1...5)
  func render_halfTrueColour_isExactAndCentred(columns: Int, rows: Int) {
    for width in 1...columns {
      for height in 1...2 * rows {
        let picture = TestPictures.noise(
          width: width, height: height, seed: UInt64(100 * width + height))
        let grid = Self.render(picture, .half, .trueColour, columns: columns, rows: rows)
        let left = (columns - width) / 2
        let top = (2 * rows - height) / 2
        for y in 0..<2 * rows {
          for x in 0..<columns {
            let inside = left..<left + width ~= x && top..<top + height ~= y
            let wanted =
              inside
              ? picture.pixels[(y - top) * width + x - left] : Appearance.defaultBackground
            #expect(Appearance(grid[y / 2, x]).colours[y % 2] == wanted)
          }
        }
      }
    }
  }

  @Test(arguments: everyKind)
  func render_reusedGrid_leavesNothingOfThePictureBefore(mode: PictureMode, depth: ColourDepth) {
    var renderer = CellRenderer(mode: mode, depth: depth, unicode: true)
    var grid = CellGrid(columns: 9, rows: 7, filledWith: Cell(glyph: "?"))
    renderer.render(
      TestPictures.noise(width: 9, height: 14, seed: 1), columns: 9, rows: 7, into: &grid)
    let small = TestPictures.noise(width: 3, height: 5, seed: 2)
    renderer.beginScene()
    renderer.render(small, columns: 9, rows: 7, into: &grid)
    #expect(grid == Self.render(small, mode, depth, columns: 9, rows: 7))
    #expect(grid[0, 0] == .blank)
    #expect(grid[6, 8] == .blank)
  }

  @Test(arguments: everyKind, [(1, 1), (30, 50), (50, 3), (0, 0), (4, 0)])
  func render_anySizeOfPicture_staysInside(
    kind: (PictureMode, ColourDepth), size: (width: Int, height: Int)
  ) {
    let picture = TestPictures.noise(width: size.width, height: size.height, seed: 3)
    let grid = Self.render(picture, kind.0, kind.1, columns: 10, rows: 4)
    #expect(grid.columns == 10)
    #expect(grid.rows == 4)
    #expect(Self.render(picture, kind.0, kind.1, columns: 0, rows: 0).allCells.isEmpty)
  }

  @Test(arguments: everyKind)
  func render_samePictureAgain_changesNothing(mode: PictureMode, depth: ColourDepth) {
    let picture = TestPictures.landscape(width: 60, height: 40)
    var renderer = CellRenderer(mode: mode, depth: depth, unicode: true)
    var first = CellGrid(columns: 0, rows: 0)
    renderer.render(picture, columns: 60, rows: 20, into: &first)
    var second = first
    for _ in 0..<3 { renderer.render(picture, columns: 60, rows: 20, into: &second) }
    #expect(first == second)
  }

  @Test(arguments: everyKind)
  func render_depth_usesItsColoursOnly(mode: PictureMode, depth: ColourDepth) {
    let grid = Self.render(
      TestPictures.noise(width: 40, height: 40, seed: 8), mode, depth, columns: 40, rows: 20)
    #expect(
      grid.allCells.contains { $0.foreground != .terminalDefault } == (depth != .never))
    for cell in grid.allCells {
      for colour in [cell.foreground, cell.background] where colour != .terminalDefault {
        switch depth {
        case .never: Issue.record("a colour")
        case .sixteen: #expect((colour.paletteIndex ?? 255) < 16)
        case .palette256: #expect((colour.paletteIndex ?? 0) >= 16)
        case .trueColour: #expect(colour.rgb != nil)
        }
      }
      #expect(MeanColours.coverage(of: cell.glyph) != nil)
      if depth == .never, mode == .half { #expect(" ▀▄█".unicodeScalars.contains(cell.glyph)) }
      if depth == .palette256, mode == .half {
        #expect(" ▀▄█░▒▓▁▂▃▅▆▇".unicodeScalars.contains(cell.glyph))
      }
      if depth == .sixteen, mode == .half {
        #expect(" ▀▄█░▒▓".unicodeScalars.contains(cell.glyph))
      }
    }
  }

  /// PSNR of the halves' mean colours in dB, at least.
  @Test(arguments: [
    (PictureMode.half, ColourDepth.trueColour, 90.0), (.half, .palette256, 34.0),
    (.half, .sixteen, 21.0), (.ascii, .trueColour, 26.0), (.ascii, .palette256, 26.0),
    (.ascii, .sixteen, 21.0),
  ])
  func render_photograph_keepsItsColours(
    mode: PictureMode, depth: ColourDepth, leastDecibels: Double
  ) throws {
    let picture = TestPictures.landscape(width: 120, height: 80)
    let grid = Self.render(picture, mode, depth, columns: 120, rows: 40)
    let error = try #require(MeanColours.squaredError(of: grid, against: picture))
    // 10 log10(255² / error) >= dB, without a logarithm.
    var bound = 65025.0
    for _ in 0..<Int(leastDecibels) { bound /= 1.2589254117941673 }
    #expect(error <= bound)
  }

  @Test func render_asciiTrueColour_keepsEveryCellsMean() {
    let picture = TestPictures.noise(width: 30, height: 40, seed: 4)
    let grid = Self.render(picture, .ascii, .trueColour, columns: 30, rows: 20)
    for row in 0..<20 {
      for column in 0..<30 {
        let upper = MeanColours.split(picture.pixels[2 * row * 30 + column])
        let lower = MeanColours.split(picture.pixels[(2 * row + 1) * 30 + column])
        let shown = MeanColours.halves(of: grid[row, column])?[0] ?? []
        for channel in 0..<3 {
          #expect(abs(shown[channel] - (upper[channel] + lower[channel]) / 2) <= 0.5)
        }
      }
    }
  }

  @Test func ramp_glyphs_riseInInk() {
    let inks = AsciiInk.ramp.map(\.ink)
    #expect(zip(inks, inks.dropFirst()).allSatisfy { $0 < $1 })
    #expect(AsciiInk.ramp.first?.glyph == " ")
    #expect(inks.last == AsciiInk.most)
    #expect(Set(AsciiInk.ramp.map(\.glyph)).count == AsciiInk.ramp.count)
  }

  /// From black on the left to white on the right, the ink of broad strips rises.
  @Test(arguments: PictureMode.allCases)
  func render_withoutColour_getsBrighterWithThePicture(mode: PictureMode) {
    let pixels = (0..<64 * 32).map { UInt32($0 % 64 * 4) * 0x01_0101 }
    let grid = Self.render(
      Bitmap(width: 64, height: 32, pixels: pixels), mode, .never, columns: 64, rows: 16)
    let strips = (0..<8).map { strip in
      (0..<16).reduce(0.0) { sum, row in
        (8 * strip..<8 * strip + 8).reduce(sum) { sum, column in
          let ink = MeanColours.coverage(of: grid[row, column].glyph) ?? (0, 0)
          return sum + ink.upper + ink.lower
        }
      }
    }
    #expect(zip(strips, strips.dropFirst()).allSatisfy { $0 < $1 })
  }

  /// A camera's grain must not set a monochrome picture in motion.
  @Test(arguments: PictureMode.allCases)
  func render_grainWithoutColour_leavesMostCellsAlone(mode: PictureMode) {
    var renderer = CellRenderer(mode: mode, depth: .never, unicode: true)
    var before = CellGrid(columns: 0, rows: 0)
    var after = before
    let pictures = (1...2).map {
      TestPictures.landscape(width: 80, height: 80, grain: 2, seed: UInt64($0))
    }
    renderer.render(pictures[0], columns: 80, rows: 40, into: &before)
    renderer.render(pictures[1], columns: 80, rows: 40, into: &after)
    let changed = zip(before.allCells, after.allCells).filter { $0 != $1 }.count
    #expect(changed < 80 * 40 / 8)
  }

  @Test func render_asciiWithoutColour_looksLikeThis() {
    let grid = Self.render(
      TestPictures.landscape(width: 48, height: 32, grain: 0), .ascii, .never, columns: 48,
      rows: 16)
    #expect(grid.text == Goldens.asciiLandscape)
  }
}

extension CellGrid {
  /// Row by row.
  var allCells: [Cell] {
    (0..<rows).flatMap { row in (0..<columns).map { self[row, $0] } }
  }

  /// The glyphs as lines; spaces at the ends are left out.
  var text: String {
    (0..<rows).map { row in
      var line = ""
      for column in 0..<columns where !self[row, column].isWideTail {
        line.unicodeScalars.append(self[row, column].glyph)
      }
      while line.last == " " { line.removeLast() }
      return line
    }.joined(separator: "\n")
  }
}
