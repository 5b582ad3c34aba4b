import Pictures
import Reactions
import Testing

@testable import Player

/// What lies over the picture: drawn over a grid of dots, of which only the texts are looked at.
@Suite struct OverlaysTests {
  private let compositor = Compositor(depth: .trueColour, unicode: true)

  private func rows(_ overlays: Overlays, columns: Int = 60, rows: Int = 20) -> [String] {
    let dot = Cell(glyph: ".")
    var grid = CellGrid(columns: columns, rows: rows, filledWith: dot)
    overlays.draw(with: compositor, on: &grid)
    return (0..<rows).map { row in
      String(String.UnicodeScalarView((0..<columns).map { grid[row, $0].glyph }))
    }
  }

  private func row(of text: String, in rows: [String]) -> Int? {
    rows.firstIndex { $0.contains(text) }
  }

  @Test func nothing_leavesThePictureAlone() {
    #expect(rows(Overlays()).allSatisfy { $0.allSatisfy { $0 == "." } })
  }

  @Test func each_isDrawnWithItsWords() throws {
    var overlays = Overlays()
    overlays.spinner = .init(text: "beach.mp4 1.2 of 4.4 MB", phase: 1)
    #expect(row(of: "beach.mp4 1.2 of 4.4 MB", in: rows(overlays)) != nil)
    overlays = Overlays()
    overlays.caption = "Low tide"
    #expect(row(of: "Low tide", in: rows(overlays)) != nil)
    overlays = Overlays()
    overlays.info = [
      .init(keys: "codec", meaning: "h264 in mov"), .init(keys: "size", meaning: "2x2"),
    ]
    let info = rows(overlays)
    let codec = try #require(row(of: "h264 in mov", in: info))
    #expect(row(of: "2x2", in: info) == codec + 1)
    overlays = Overlays()
    overlays.endCard = ["That was all: 2 stories, 1 reel"]
    overlays.endKeys = [.init(keys: "Enter", meaning: "again")]
    let card = rows(overlays)
    let words = try #require(row(of: "That was all: 2 stories, 1 reel", in: card))
    let keys = try #require(row(of: "Enter", in: card))
    #expect(keys > words && card[keys].contains("again"))
  }

  @Test func help_liesOverAllElse() throws {
    var overlays = Overlays()
    overlays.caption = "Low tide"
    overlays.help = (0..<12).map { .init(keys: "\($0)", meaning: "does \($0)") }
    let drawn = rows(overlays)
    for number in 0..<12 { #expect(row(of: "does \(number)", in: drawn) != nil) }
    #expect(row(of: "storytty", in: drawn) != nil)
  }

  @Test func help_whereThereIsLittleRoom_isBrief() {
    var overlays = Overlays()
    overlays.help = (0..<14).map {
      .init(keys: "\($0)", meaning: "a rather long meaning", briefMeaning: "brief \($0)")
    }
    let narrow = rows(overlays, columns: 40, rows: 8)
    #expect(row(of: "a rather long meaning", in: narrow) == nil)
    #expect(row(of: "brief 0", in: narrow) != nil)
  }

  @Test func banner_standsAboveTheStrip() throws {
    var overlays = Overlays()
    overlays.reactions.banner = "ben: heart"
    let alone = try #require(row(of: "ben: heart", in: rows(overlays)))
    #expect(alone == 18)
    overlays.reactions.strip = .init(
      items: [StripItem(key: "1", title: "Love", isChosen: true)], note: "")
    let drawn = rows(overlays)
    let banner = try #require(row(of: "ben: heart", in: drawn))
    let strip = try #require(row(of: "Love", in: drawn))
    #expect(strip == 19 && banner == 18 - Compositor.stripHeight(rows: 20))
  }

  @Test func strip_withoutReactions_saysWhy() {
    var overlays = Overlays()
    overlays.reactions.strip = .init(items: [], note: "no reactions are offered")
    #expect(row(of: "no reactions are offered", in: rows(overlays)) == 19)
  }

  @Test(arguments: [(0, 0), (1, 1), (2, 3), (10, 1)])
  func anything_fitsIntoAnyGrid(columns: Int, rows: Int) {
    var overlays = Overlays()
    overlays.spinner = .init(text: "beach.mp4", phase: 7)
    overlays.caption = "c"
    overlays.info = [.init(keys: "codec", meaning: "h264")]
    overlays.help = [.init(keys: "q", meaning: "quit")]
    overlays.endCard = ["That was all"]
    overlays.reactions = ReactionOverlay(
      strip: .init(items: [StripItem(key: "1", title: "a", isChosen: false)], note: "n"),
      banner: "b")
    #expect(self.rows(overlays, columns: columns, rows: rows).count == rows)
  }
}
