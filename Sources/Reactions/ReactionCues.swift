import Stories
import System

/// Says when the reactions that a story has received are to be shown: each once in a play, when
/// the story comes to its moment, and not when a jump passes over it.
package struct ReactionCues {
  /// Not shown yet, in the order of their times.
  private var pending: [ReceivedReaction]
  private var position: Duration?
  private var lastLook: (at: Instant, wasRunning: Bool)?
  /// A larger step is a jump, unless the story has run for all that time.
  private static let jump = Duration.seconds(1)

  package init(_ received: [ReceivedReaction]) {
    pending = received.sorted { $0.atS < $1.atS }
  }

  /// The moment of the next one that was not shown yet.
  package func next(after position: Duration) -> Duration? {
    pending.first { $0.atS > position / .seconds(1) }.map { .seconds($0.atS) }
  }

  /// Those whose moment was reached since the last call.
  ///
  /// - Parameters:
  ///   - now: the story's media time.
  ///   - look: the time of this call.
  ///   - isRunning: whether the story runs from now on: over a picture that stays, the loop may sleep
  ///     for long until the next call, and nothing is passed over.
  package mutating func due(
    at now: Duration, look: Instant, isRunning: Bool
  ) -> [ReceivedReaction] {
    let slept = lastLook.flatMap { $0.wasRunning ? look - $0.at : nil } ?? .zero
    lastLook = (look, isRunning)
    // The first position is the start of the story, or where it was sought before anything was shown.
    let last = position ?? (now <= ReactionCues.jump ? .nanoseconds(-1) : now)
    position = now
    guard now > last, now - last <= slept + ReactionCues.jump else { return [] }
    let reached = (last / .seconds(1))..<(now / .seconds(1))
    let due = pending.filter { $0.atS > reached.lowerBound && $0.atS <= reached.upperBound }
    if !due.isEmpty {
      pending.removeAll { $0.atS > reached.lowerBound && $0.atS <= reached.upperBound }
    }
    return due
  }
}
