import Pictures
import Reactions

/// What lies over the picture, as plain values: two equal ones look the same.
struct Overlays: Equatable {
  struct Spinner: Equatable {
    var text: String
    var phase: Int
  }

  struct Row: Equatable {
    var keys: String
    var meaning: String
    /// The meaning where there is little room; nil for the same.
    var briefMeaning: String?
  }

  var spinner: Spinner?
  var caption: String?
  var info: [Row] = []
  var help: [Row] = []
  /// How many rows of the help are scrolled away.
  var skippedHelp = 0
  var endCard: [String] = []
  var endKeys: [Row] = []
  var reactions = ReactionOverlay()

  func draw(with compositor: Compositor, on cells: inout CellGrid) {
    if let spinner { compositor.spinner(phase: spinner.phase, text: spinner.text, onto: &cells) }
    if !endCard.isEmpty {
      compositor.endCard(lines: endCard, keys: Overlays.cardRows(endKeys), onto: &cells)
    }
    if let caption { compositor.caption(caption, onto: &cells) }
    reactions.draw(with: compositor, on: &cells)
    if !info.isEmpty {
      compositor.infoPanel(info.map { ($0.keys, $0.meaning) }, onto: &cells)
    }
    if !help.isEmpty {
      compositor.card(
        title: Overlays.helpTitle, rows: Overlays.cardRows(help), skipping: skippedHelp,
        onto: &cells)
    }
  }

  private static let helpTitle = "storytty"

  /// How far the help can be scrolled over so many cells.
  static func mostSkipped(
    ofHelp rows: [Row], with compositor: Compositor, columns: Int, rowsHigh: Int
  ) -> Int {
    compositor.mostSkipped(
      title: helpTitle, rows: cardRows(rows), columns: columns, rowsHigh: rowsHigh)
  }

  private static func cardRows(_ rows: [Row]) -> [CardRow] {
    rows.map { CardRow(keys: $0.keys, meaning: $0.meaning, briefMeaning: $0.briefMeaning) }
  }
}
