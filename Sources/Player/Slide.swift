import Pictures
import System

/// One reel's picture pushes another's off the screen, in eighths of its width.
package struct Slide {
  /// Where the new picture comes from.
  package enum Side { case left, right }

  private static let length = Duration.milliseconds(150)
  private static let steps = 8

  private let from: CellGrid
  private let side: Side
  private let began: Instant

  package init(from: CellGrid, side: Side, began: Instant) {
    self.from = from
    self.side = side
    self.began = began
  }

  /// The eighths of the new picture that are on the screen; 8 and more when it is over.
  package func step(at now: Instant) -> Int {
    1 + Int((now - began) / Slide.length * Double(Slide.steps - 1))
  }

  package func isOver(at now: Instant) -> Bool { step(at: now) >= Slide.steps }

  /// When the next step is due.
  package func nextMoment(at now: Instant) -> Instant {
    let next = Double(step(at: now)) / Double(Slide.steps - 1)
    return began + Slide.length * next
  }

  /// What is on the screen at a step, on the way to a picture of the same size.
  package func cells(to: CellGrid, step: Int) -> CellGrid {
    precondition(from.columns == to.columns && from.rows == to.rows)
    let shown = to.columns * min(step, Slide.steps) / Slide.steps
    var cells = to
    for row in 0..<to.rows {
      for column in 0..<to.columns {
        switch side {
        case .right:
          let edge = to.columns - shown
          cells[row, column] =
            column < edge ? from[row, column + shown] : to[row, column - edge]
        case .left:
          let hidden = to.columns - shown
          cells[row, column] =
            column < shown ? to[row, column + hidden] : from[row, column - shown]
        }
      }
    }
    return cells
  }
}
