/// The style of a piece of overlay text.
enum Ink {
  case plain
  case strong
  case quiet
  /// A key or a sign, in the accent colour of the user's theme.
  case accent
}

/// A piece of text in one ink.
struct StyledText {
  var text: String
  var ink: Ink

  init(_ text: String, _ ink: Ink = .plain) {
    self.text = text
    self.ink = ink
  }
}

extension Compositor {
  /// Writes over darkened cells, whose colour becomes the text's background.
  ///
  /// - Parameter width: longer text is cut, with an ellipsis.
  /// - Returns: the number of columns written.
  @discardableResult
  func write(
    _ styled: StyledText, row: Int, column: Int, width: Int, onto grid: inout CellGrid
  ) -> Int {
    guard row >= 0, row < grid.rows, column >= 0 else { return 0 }
    let room = min(width, grid.columns - column)
    let text = DisplayText.cut(
      DisplayText.safe(styled.text, unicode: unicode), to: room, unicode: unicode)
    var place = column
    for character in text {
      let width = DisplayText.width(of: character)
      guard width == 1 || width == 2, let glyph = character.unicodeScalars.first else { continue }
      guard place + width <= column + room else { break }
      var cell = cell(glyph, styled.ink, over: grid[row, place])
      grid[row, place] = cell
      if width == 2 {
        cell.glyph = " "
        cell.isWideTail = true
        grid[row, place + 1] = cell
      }
      place += width
    }
    return place - column
  }

  private func cell(_ glyph: Unicode.Scalar, _ ink: Ink, over ground: Cell) -> Cell {
    var cell = Cell(glyph: glyph)
    if ink == .strong { cell.style.insert(.bold) }
    guard depth != .never else {
      if ink == .accent { cell.style.insert(.bold) }
      return cell
    }
    cell.background = Scrim.ground(of: ground)
    cell.foreground = colour(of: ink)
    return cell
  }

  /// A light colour in any theme, since the cells below are dark.
  private func colour(of ink: Ink) -> CellColour {
    switch (ink, depth) {
    case (.accent, _): .palette(6)
    case (.quiet, .trueColour): CellColour(rgb: 0xB0B0B0)
    case (.quiet, .palette256): .palette(249)
    case (.quiet, _): .palette(7)
    case (_, .trueColour): CellColour(rgb: 0xF4F4F4)
    case (_, .palette256): .palette(255)
    case (_, _): .palette(15)
    }
  }
}
