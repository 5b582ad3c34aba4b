import Pictures

/// What lies over the picture, as plain values: two equal ones look the same.
struct Overlays: Equatable {
  struct Spinner: Equatable {
    var text: String
    var phase: Int
  }

  struct Row: Equatable {
    var keys: String
    var meaning: String
  }

  var spinner: Spinner?
  var caption: String?
  var info: [Row] = []
  var help: [Row] = []
  var endCard: [String] = []
  var endKeys: [Row] = []
  /// The size there is, where it is too small.
  var tooSmall: ScreenSize?

  struct ScreenSize: Equatable {
    var columns: Int
    var rows: Int
  }

  func draw(with compositor: Compositor, on cells: inout CellGrid, least: ScreenSize) {
    if let tooSmall {
      compositor.tooSmall(
        needs: (least.columns, least.rows), has: (tooSmall.columns, tooSmall.rows), onto: &cells)
      return
    }
    if let spinner { compositor.spinner(phase: spinner.phase, text: spinner.text, onto: &cells) }
    if !endCard.isEmpty {
      compositor.endCard(lines: endCard, keys: Overlays.cardRows(endKeys), onto: &cells)
    }
    if let caption { compositor.caption(caption, onto: &cells) }
    if !info.isEmpty {
      compositor.infoPanel(info.map { ($0.keys, $0.meaning) }, onto: &cells)
    }
    if !help.isEmpty {
      compositor.card(title: "storytty", rows: Overlays.cardRows(help), onto: &cells)
    }
  }

  private static func cardRows(_ rows: [Row]) -> [CardRow] {
    rows.map { CardRow(keys: $0.keys, action: $0.meaning) }
  }
}
