import System

/// Distinguishes clicks from held mouse buttons: a release within 250 ms is a click. A button that is
/// down for longer holds, and the story is paused until it is released.
package struct ClickRecogniser {
  package enum Gesture: Equatable {
    case click(row: Int, column: Int)
    case holdBegan
    case holdEnded
  }

  package static let longestClick = Duration.milliseconds(250)
  private var pressed: (row: Int, column: Int, at: Instant)?
  private var isHolding = false

  package init() {}

  /// When a button that stays down begins to hold.
  package var deadline: Instant? {
    isHolding ? nil : pressed.map { $0.at + ClickRecogniser.longestClick }
  }

  /// A second button that goes down meanwhile is ignored.
  package mutating func press(row: Int, column: Int, at now: Instant) {
    if pressed == nil { pressed = (row, column, now) }
  }

  /// A click counts where the button was pressed, wherever it is released.
  package mutating func release(at now: Instant) -> Gesture? {
    defer {
      pressed = nil
      isHolding = false
    }
    if isHolding { return .holdEnded }
    return pressed.map { .click(row: $0.row, column: $0.column) }
  }

  /// To be called at `deadline`: a button that is released without it was a click, however long it was
  /// down.
  package mutating func tick(at now: Instant) -> Gesture? {
    guard let deadline, now >= deadline else { return nil }
    isHolding = true
    return .holdBegan
  }
}
