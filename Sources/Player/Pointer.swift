import System

/// Distinguishes clicks from held buttons: a release within 250 ms is a click, what lasts longer holds.
package struct Pointer {
  package enum Gesture: Equatable {
    case click(row: Int, column: Int)
    case hold(Bool)
  }

  package static let patience = Duration.milliseconds(250)
  private var pressed: (row: Int, column: Int, at: Instant)?
  private var isHolding = false

  package init() {}

  /// When a button that stays down begins to hold.
  package var deadline: Instant? {
    isHolding ? nil : pressed.map { $0.at + Pointer.patience }
  }

  package mutating func press(row: Int, column: Int, at now: Instant) {
    if pressed == nil { pressed = (row, column, now) }
  }

  package mutating func release(at now: Instant) -> Gesture? {
    defer {
      pressed = nil
      isHolding = false
    }
    if isHolding { return .hold(false) }
    return pressed.map { .click(row: $0.row, column: $0.column) }
  }

  /// Called when time has passed.
  package mutating func tick(at now: Instant) -> Gesture? {
    guard let deadline, now >= deadline else { return nil }
    isHolding = true
    return .hold(true)
  }
}
