import Terminal
import Testing

@Suite struct SegmentsTests {
  private static func text(_ segments: Segments, _ columns: Int, drawsLines: Bool = true) -> String
  {
    var text = String.UnicodeScalarView()
    text.append(contentsOf: segments.bar(columns: columns, drawsLines: drawsLines).map(\.glyph))
    return String(text)
  }

  /// One letter a column: played, current, cached, unplayed, label.
  private static func tones(_ segments: Segments, _ columns: Int) -> String {
    String(
      segments.bar(columns: columns, drawsLines: true).map { cell -> Character in
        switch cell.tone {
        case .gap: " "
        case .played: "p"
        case .current: "c"
        case .cached: "h"
        case .unplayed: "u"
        case .label: "l"
        }
      })
  }

  @Test func bar_fiveStoriesAt80_looksAsDrawn() {
    let segments = Segments(count: 5, current: 2, fill: 0.45)
    #expect(
      Self.text(segments, 80)
        == " ━━━━━━━━━━━━━━ ━━━━━━━━━━━━━━━ ━━━━━━╸──────── ─────────────── ─────────────── ")
    #expect(
      Self.tones(segments, 80)
        == " pppppppppppppp ppppppppppppppp cccccccuuuuuuuu uuuuuuuuuuuuuuu uuuuuuuuuuuuuuu ")
  }

  @Test func bar_threeStoriesAt40_looksAsDrawn() {
    let segments = Segments(count: 3, current: 1, fill: 0.5, cached: 0.8)
    #expect(Self.text(segments, 40) == " ━━━━━━━━━━━━ ━━━━━━────── ──────────── ")
    #expect(Self.tones(segments, 40) == " pppppppppppp cccccchhhuuu uuuuuuuuuuuu ")
  }

  @Test func bar_oneStoryAt300_fillsTheWidth() {
    let text = Self.text(Segments(count: 1, current: 0, fill: 0.5), 300)
    #expect(
      text == " " + String(repeating: "━", count: 149) + String(repeating: "─", count: 149) + " ")
  }

  @Test func bar_tooManyFor40_showsAWindowAndThePlace() {
    let segments = Segments(count: 40, current: 6, fill: 0.5)
    #expect(Self.text(segments, 40) == " ━━━━ ━━━━━ ━━━━ ━━╸── ──── ─────  7/40 ")
    #expect(Self.tones(segments, 40) == " pppp ppppp pppp cccuu uuuu uuuuu lllll ")
  }

  @Test(arguments: [
    (0, " ╸─── ───── ──── ───── ──── ─────  1/40 "),
    (39, " ━━━━ ━━━━━ ━━━━ ━━━━━ ━━━━ ╸──── 40/40 "),
  ])
  func bar_windowAtTheEnds_staysInside(current: Int, expected: String) {
    #expect(Self.text(Segments(count: 40, current: current, fill: 0.13), 40) == expected)
  }

  @Test func bar_withoutLines_isASCII() {
    #expect(
      Self.text(Segments(count: 3, current: 1, fill: 0.5), 40, drawsLines: false)
        == " ============ =====>------ ------------ ")
    #expect(
      Self.text(Segments(count: 3, current: 1, fill: nil), 40, drawsLines: false)
        == " ============ ............ ------------ ")
  }

  @Test func bar_unknownLength_claimsNoShare() {
    let segments = Segments(count: 3, current: 1, fill: nil)
    #expect(Self.text(segments, 40) == " ━━━━━━━━━━━━ ╍╍╍╍╍╍╍╍╍╍╍╍ ──────────── ")
  }

  @Test(arguments: [
    (0.0, "────────"), (0.06, "────────"), (0.0625, "╸───────"), (0.125, "━───────"),
    (0.5, "━━━━────"), (0.99, "━━━━━━━╸"), (1.0, "━━━━━━━━"), (7.0, "━━━━━━━━"), (-1.0, "────────"),
    (.nan, "────────"), (.infinity, "━━━━━━━━"),
  ])
  func bar_fill_movesByHalfColumns(fill: Double, expected: String) {
    #expect(Self.text(Segments(count: 1, current: 0, fill: fill), 10) == " \(expected) ")
  }

  /// A fill of n of its steps draws n of them, whatever floating point makes of the fraction.
  @Test(arguments: [true, false]) func bar_fillInWholeSteps_drawsAllOfThem(drawsLines: Bool) {
    for columns in 4...300 {
      var segments = Segments(count: 1, current: 0)
      let steps = segments.steps(columns: columns, drawsLines: drawsLines)
      #expect(steps == (columns - 2) * (drawsLines ? 2 : 1))
      for step in 0...steps {
        segments.fill = Double(step) / Double(steps)
        let drawn = segments.bar(columns: columns, drawsLines: drawsLines).reduce(0) {
          switch $1.glyph {
          case "━": $0 + 2
          case "╸", "=", ">": $0 + 1
          default: $0
          }
        }
        #expect(drawn == step)
      }
    }
  }

  @Test(arguments: [(40, 40, true), (12, 40, false), (1, 2, false), (0, 40, false)])
  func number_isSaid_besideAWindow(count: Int, columns: Int, says: Bool) {
    #expect(Segments(count: count, current: 0).showsNumber(columns: columns) == says)
  }

  @Test func bar_fill_neverGoesBack() {
    var before = -1
    for step in 0...1_000 {
      let bar = Segments(count: 3, current: 1, fill: Double(step) / 1_000)
        .bar(columns: 80, drawsLines: true)
      let filled = bar.filter { $0.tone == .current }.reduce(0) { $0 + ($1.glyph == "━" ? 2 : 1) }
      #expect(filled >= before)
      before = filled
    }
    #expect(before == 50)
  }

  /// At every size: segments stand apart by one column, inside the margins, the current one is
  /// among them, none is narrower than two, and all are shown wherever they fit.
  @Test func bar_allSizes_keepTheRules() {
    for columns in 0...130 {
      for count in 0...60 {
        for current in Set([0, count / 2, max(0, count - 1)]) {
          let segments = Segments(count: count, current: current, fill: 0.5)
          #expect(segments.bar(columns: columns, drawsLines: true).count == columns)
          let places = segments.places(columns: columns)
          for (left, right) in zip(places, places.dropFirst()) {
            #expect(right.columns.lowerBound == left.columns.upperBound + 1)
            #expect(right.index == left.index + 1)
          }
          for place in places {
            #expect(place.columns.count >= 2)
            #expect(place.columns.lowerBound >= 1 && place.columns.upperBound <= columns - 1)
          }
          let fits = count > 0 && 3 * count - 1 <= columns - 2
          if fits { #expect(places.count == count) }
          if columns >= 40, count > 0 {
            #expect(places.contains { $0.index == current })
            #expect((places.count < count) == !fits)
          }
        }
      }
    }
  }

  @Test func bar_hugeReel_fitsTheNarrowestTerminal() {
    let text = Self.text(Segments(count: 100_000, current: 99_998, fill: 0), 40)
    #expect(text == " ━━━━ ━━━━ ━━━━ ──── ────  99999/100000 ")
  }

  @Test(
    arguments: [
      (0, nil), (1, 0), (12, 0), (13, nil), (14, 1), (25, 1), (26, nil), (27, 2), (38, 2),
      (39, nil),
      (-1, nil), (400, nil),
    ] as [(Int, Int?)])
  func segment_atColumn_isTheOneDrawnThere(column: Int, expected: Int?) {
    let segments = Segments(count: 3, current: 1)
    #expect(segments.segment(atColumn: column, columns: 40)?.index == expected)
  }

  @Test func segment_fraction_isTheColumnsMiddle() throws {
    let segments = Segments(count: 1, current: 0)
    #expect(try #require(segments.segment(atColumn: 1, columns: 12)).fraction == 0.05)
    #expect(try #require(segments.segment(atColumn: 10, columns: 12)).fraction == 0.95)
  }

  /// A click must hit what is drawn under it.
  @Test func segment_atEveryColumn_agreesWithTheBar() {
    for count in [1, 2, 5, 13, 26, 27, 40, 1_000] {
      let segments = Segments(count: count, current: count / 2, fill: 0.4)
      for columns in [12, 40, 80, 300] {
        let bar = segments.bar(columns: columns, drawsLines: true)
        for column in 0..<columns {
          let hit = segments.segment(atColumn: column, columns: columns)
          switch bar[column].tone {
          case .gap, .label: #expect(hit == nil)
          case .played: #expect(hit.map { $0.index < segments.current } == true)
          case .current, .cached: #expect(hit?.index == segments.current)
          case .unplayed: #expect(hit.map { $0.index >= segments.current } == true)
          }
        }
      }
    }
  }
}
