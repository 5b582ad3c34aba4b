import Pictures

/// A row of the chrome, ready to draw: harmless texts in their columns.
package struct ChromeRow: Equatable {
  package enum Tone: Equatable {
    case plain, quiet, alarm
    case bar(BarCell.Tone)
  }

  /// A text in one tone; texts stand from left to right and do not overlap.
  package struct Run: Equatable {
    package var column: Int
    package var text: String
    package var tone: Tone
  }

  package var row: Int
  package var runs: [Run]
}

extension Chrome {
  /// All rows for a layout, top to bottom.
  package func rows(_ layout: ScreenLayout, unicode: Bool, drawsLines: Bool) -> [ChromeRow] {
    if layout.isTooSmall { return Self.sizeRows(layout, unicode: unicode) }
    let text = TextRow(columns: layout.textColumns, unicode: unicode)
    var rows = [barRow(layout, drawsLines: drawsLines)]
    if let row = layout.titleRow {
      let tone = dimmed ? ChromeRow.Tone.quiet : .plain
      rows.append(
        ChromeRow(row: row, runs: text.runs(left: titleLeft, tone, right: titleRight, tone)))
    }
    if let row = layout.captionRow {
      rows.append(ChromeRow(row: row, runs: captionRuns(text, merged: layout.titleRow == nil)))
    }
    return rows
  }

  private func captionRuns(_ text: TextRow, merged: Bool) -> [ChromeRow.Run] {
    if let error { return text.runs(left: error, .alarm, right: "", .quiet) }
    guard merged else { return text.runs(left: caption, .plain, right: captionRight, .quiet) }
    let left = [titleLeft, caption].filter { !$0.isEmpty }.joined(separator: "  ")
    return titleRight.isEmpty
      ? text.runs(left: left, .plain, right: captionRight, .quiet)
      : text.runs(left: left, .plain, right: titleRight, .plain)
  }

  /// Whether it differs in the bar only, if at all.
  func isSameBesidesBar(_ other: Chrome) -> Bool {
    var other = other
    other.segments = segments
    return self == other
  }

  /// The bar's row alone.
  func barRow(_ layout: ScreenLayout, drawsLines: Bool) -> ChromeRow {
    var runs: [ChromeRow.Run] = []
    // Each cell is one column: counting a text's characters again and again would take long.
    var end = 0
    for (column, cell) in segments.bar(columns: layout.columns, drawsLines: drawsLines).enumerated()
    where cell.tone != .gap {
      let tone = ChromeRow.Tone.bar(cell.tone)
      if let last = runs.last, last.tone == tone, end == column {
        runs[runs.count - 1].text.unicodeScalars.append(cell.glyph)
      } else {
        runs.append(ChromeRow.Run(column: column, text: String(cell.glyph), tone: tone))
      }
      end = column + 1
    }
    return ChromeRow(row: layout.barRow, runs: runs)
  }

  /// The required and the actual size, in the longest words that fit.
  private static func sizeRows(_ layout: ScreenLayout, unicode: Bool) -> [ChromeRow] {
    let least = "\(ScreenLayout.leastColumns)x\(ScreenLayout.leastRows)"
    let present = "has \(layout.columns)x\(layout.rows)"
    let wordings = [
      ["needs \(least), \(present)"], ["needs \(least)", present], ["min \(least)", present],
      ["needs \(least)"], ["min \(least)"],
    ]
    let fitting = wordings.first { lines in
      lines.count <= layout.rows && lines.allSatisfy { $0.count <= layout.columns }
    }
    let lines = fitting ?? [DisplayText.cut(least, to: layout.columns, unicode: unicode)]
    let top = (layout.rows - lines.count + 1) / 2
    return lines.enumerated().map { index, line in
      let column = (layout.columns - DisplayText.width(of: line)) / 2
      let run = ChromeRow.Run(column: column, text: line, tone: .plain)
      return ChromeRow(row: top + index, runs: [run])
    }
  }
}

/// Puts two texts at the ends of a row.
private struct TextRow {
  let columns: Range<Int>
  let unicode: Bool

  func runs(
    left: String, _ leftTone: ChromeRow.Tone, right: String, _ rightTone: ChromeRow.Tone
  ) -> [ChromeRow.Run] {
    var runs: [ChromeRow.Run] = []
    var room = columns.count
    // The right text is usually short; it may take half of the row.
    let ending = cut(right, to: room / 2)
    let endingWidth = DisplayText.width(of: ending)
    if endingWidth > 0 { room -= endingWidth + 2 }
    let beginning = cut(left, to: room)
    if !beginning.isEmpty {
      runs.append(ChromeRow.Run(column: columns.lowerBound, text: beginning, tone: leftTone))
    }
    if endingWidth > 0 {
      runs.append(
        ChromeRow.Run(column: columns.upperBound - endingWidth, text: ending, tone: rightTone))
    }
    return runs
  }

  private func cut(_ text: String, to room: Int) -> String {
    DisplayText.cut(DisplayText.safe(text, unicode: unicode), to: room, unicode: unicode)
  }
}
