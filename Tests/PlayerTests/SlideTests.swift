import Pictures
import Player
import System
import Testing

@Suite struct SlideTests {
  private let start = Instant.now

  private func grid(_ first: String) -> CellGrid {
    var grid = CellGrid(columns: 8, rows: 2)
    for row in 0..<2 {
      for (column, glyph) in first.unicodeScalars.enumerated() {
        grid[row, column] = Cell(glyph: glyph)
      }
    }
    return grid
  }

  private func text(_ grid: CellGrid, row: Int) -> String {
    String(String.UnicodeScalarView((0..<grid.columns).map { grid[row, $0].glyph }))
  }

  @Test(arguments: [
    (Slide.Side.right, 1, "bcdefghA"), (.right, 3, "defghABC"), (.right, 8, "ABCDEFGH"),
    (.left, 1, "Habcdefg"), (.left, 5, "DEFGHabc"), (.left, 8, "ABCDEFGH"),
  ])
  func cells_atEachStep_areTheOldOnesPushedAway(side: Slide.Side, step: Int, expected: String) {
    let slide = Slide(from: grid("abcdefgh"), side: side, began: start)
    let cells = slide.cells(to: grid("ABCDEFGH"), step: step)
    #expect(text(cells, row: 0) == expected)
    #expect(text(cells, row: 1) == expected)
  }

  @Test func time_goesThroughEightStepsIn150Milliseconds() {
    let slide = Slide(from: grid("abcdefgh"), side: .right, began: start)
    #expect(slide.step(at: start) == 1)
    #expect(slide.step(at: start + .milliseconds(149)) == 7)
    #expect(!slide.isOver(at: start + .milliseconds(149)))
    #expect(slide.isOver(at: start + .milliseconds(150)))
    // Each moment that it names brings another step.
    var now = start
    var steps: [Int] = []
    while !slide.isOver(at: now) {
      steps.append(slide.step(at: now))
      now = slide.nextMoment(at: now)
    }
    #expect(steps == Array(1...7))
  }
}
