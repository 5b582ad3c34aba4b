import Glibc

/// The processor time that reading a source may take. All parts of a source share one.
final class TimeBudget {
  /// No honest feed takes so long: a feed of a million items is read in less.
  static let mostSeconds = 5.0

  static var spentWords: String {
    "reading it took more than \(Int(mostSeconds)) s of the processor's time: the rest is left out"
  }

  private let clock: () -> Double
  private let end: Double

  /// - Parameter clock: gives the time taken so far, in seconds.
  init(clock: @escaping () -> Double = { TimeBudget.processorTime }) {
    self.clock = clock
    end = clock() + TimeBudget.mostSeconds
  }

  /// Whether the time is used up.
  var isSpent: Bool { clock() > end }

  /// The processor time of this thread, in seconds.
  private static var processorTime: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
