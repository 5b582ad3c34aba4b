import Feeds

/// The strip of reactions to choose from: what is offered, and which of it is chosen.
package struct ReactionStrip {
  package enum Step: Equatable {
    case left, right, first, last
  }

  package private(set) var isOpen = false
  /// Of the whole list.
  package private(set) var selection = 0
  /// Those in sight, of the whole list.
  package private(set) var inSight = 0..<0

  package init() {}

  package mutating func open() { isOpen = true }
  package mutating func close() { isOpen = false }

  package mutating func move(_ step: Step, count: Int) {
    guard count > 0 else { return }
    switch step {
    case .left: selection = max(0, min(selection, count - 1) - 1)
    case .right: selection = min(count - 1, selection + 1)
    case .first: selection = 0
    case .last: selection = count - 1
    }
  }

  /// Finds out which are in sight where there is room for so many: the chosen one always is.
  package mutating func fit(count: Int, room: Int) {
    let shown = min(count, max(1, room))
    guard shown > 0 else { return inSight = 0..<0 }
    selection = min(selection, count - 1)
    let first = max(min(inSight.lowerBound, selection, count - shown), selection - shown + 1)
    inSight = first..<first + shown
  }
}
