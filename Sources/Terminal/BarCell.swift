/// One column of the bar.
public struct BarCell: Equatable, Sendable {
  /// What the column belongs to; played, current and unplayed stories differ in brightness and colour.
  public enum Tone: Sendable {
    case gap, played, current, cached, unplayed, label
  }

  public var glyph: Unicode.Scalar
  public var tone: Tone

  public init(_ glyph: Unicode.Scalar, _ tone: Tone) {
    self.glyph = glyph
    self.tone = tone
  }
}

extension Segments {
  /// The bar's row, one cell a column.
  ///
  /// - Parameter drawsLines: whether line-drawing characters can be shown; ASCII otherwise.
  public func bar(columns: Int, drawsLines: Bool) -> [BarCell] {
    var row = Array(repeating: BarCell(" ", .gap), count: max(0, columns))
    let glyphs = drawsLines ? BarGlyphs.lines : .ascii
    for place in places(columns: columns) {
      if place.index == current {
        fillCurrent(place.columns, of: &row, glyphs)
      } else {
        let isPlayed = place.index < current
        for column in place.columns {
          row[column] =
            isPlayed ? BarCell(glyphs.full, .played) : BarCell(glyphs.empty, .unplayed)
        }
      }
    }
    if isWindowed(columns: columns) {
      let text = label
      let start = columns - 1 - text.count
      guard start >= 0 else { return row }
      for (offset, scalar) in text.unicodeScalars.enumerated() {
        row[start + offset] = BarCell(scalar, .label)
      }
    }
    return row
  }

  /// In how many steps the current story's segment fills; 0 where the bar shows none.
  ///
  /// A `fill` of n / steps, for a whole n, draws n of them.
  public func steps(columns: Int, drawsLines: Bool) -> Int {
    let place = places(columns: columns).first { $0.index == current }
    return (place?.columns.count ?? 0) * (drawsLines ? BarGlyphs.lines : .ascii).stepsPerColumn
  }

  private func fillCurrent(_ columns: Range<Int>, of row: inout [BarCell], _ glyphs: BarGlyphs) {
    guard let fill else {
      for column in columns { row[column] = BarCell(glyphs.unknown, .current) }
      return
    }
    let filled = Self.steps(fill, of: columns.count * glyphs.stepsPerColumn)
    let ready = Self.steps(cached ?? 0, of: columns.count)
    for (offset, column) in columns.enumerated() {
      let steps = filled - offset * glyphs.stepsPerColumn
      if steps >= glyphs.stepsPerColumn {
        row[column] = BarCell(glyphs.full, .current)
      } else if steps > 0 {
        row[column] = BarCell(glyphs.half, .current)
      } else {
        row[column] = BarCell(glyphs.empty, offset < ready ? .cached : .unplayed)
      }
    }
    // In ASCII the head of the filled part is an arrow.
    if let head = glyphs.head, filled > 0 {
      row[columns.lowerBound + (filled - 1) / glyphs.stepsPerColumn].glyph = head
    }
  }

  /// A share in whole steps; the bar is full only when the share is 1.
  private static func steps(_ share: Double, of total: Int) -> Int {
    guard share > 0 else { return 0 }
    // n steps, written as a fraction, may be a hair less.
    return min(total, Int(min(share, 1) * Double(total) + 1e-6))
  }
}

private struct BarGlyphs {
  let full: Unicode.Scalar
  let half: Unicode.Scalar
  let empty: Unicode.Scalar
  let unknown: Unicode.Scalar
  let head: Unicode.Scalar?
  let stepsPerColumn: Int

  static let lines = BarGlyphs(
    full: "━", half: "╸", empty: "─", unknown: "╍", head: nil, stepsPerColumn: 2)
  static let ascii = BarGlyphs(
    full: "=", half: "=", empty: "-", unknown: ".", head: ">", stepsPerColumn: 1)
}
