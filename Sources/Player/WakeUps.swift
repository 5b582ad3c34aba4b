import System

/// How often the main thread has woken up, told apart by what the story did meanwhile. What wakes a
/// processor costs a battery more than the work that it then does.
struct WakeUps: Equatable {
  /// What the thread slept over.
  enum State {
    case playing, paused
    /// Anything else, such as a story that loads, or the end card.
    case other
  }

  /// Of one state.
  struct Tally: Equatable {
    private(set) var count = 0
    private(set) var time = Duration.zero

    /// nil where no time has passed in that state.
    var perSecond: Double? { time > .zero ? Double(count) / time.inSeconds : nil }

    fileprivate mutating func add(_ count: Int, over time: Duration) {
      self.count += count
      self.time += time
    }

    fileprivate var json: JSON {
      .object([
        ("count", .integer(count)), ("seconds", .number(time.inSeconds)),
        ("perSecond", .optional(perSecond)),
      ])
    }
  }

  private(set) var playing = Tally()
  private(set) var paused = Tally()

  /// Adds a turn of the loop.
  mutating func add(_ count: Int, in state: State, over time: Duration) {
    switch state {
    case .playing: playing.add(count, over: time)
    case .paused: paused.add(count, over: time)
    case .other: break
    }
  }

  var json: JSON { .object([("playing", playing.json), ("paused", paused.json)]) }

  /// For the log; nil where nothing has played.
  var words: String? {
    guard let rate = playing.perSecond else { return nil }
    let still = paused.perSecond.map { ", \(Format.fixed($0, digits: 2)) while paused" } ?? ""
    return "woke up \(Format.fixed(rate, digits: 1)) times a second while playing" + still
  }
}
