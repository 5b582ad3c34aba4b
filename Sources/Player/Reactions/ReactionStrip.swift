import Feeds

/// The strip of reactions to choose from: what is offered, and which of it is chosen.
package struct ReactionStrip {
  package enum Step: Equatable {
    case left, right, first, last
  }

  package private(set) var isOpen = false
  /// Of the whole list.
  package private(set) var selection = 0
  /// The first that is in sight.
  private var firstVisible = 0

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

  /// Those in sight where there is room for so many: the chosen one always is.
  package mutating func visible(count: Int, room: Int) -> Range<Int> {
    let shown = min(count, max(1, room))
    guard shown > 0 else { return 0..<0 }
    selection = min(selection, count - 1)
    firstVisible = min(firstVisible, selection, count - shown)
    firstVisible = max(firstVisible, selection - shown + 1)
    return firstVisible..<firstVisible + shown
  }
}
