import Glibc

/// How much of the processor's time a source has taken. One source shares one.
final class Effort {
  /// No honest feed takes so long: one of a million items is read in less.
  static let mostSeconds = 5.0

  static var wordsForLeft: String {
    "reading it took more than \(Int(mostSeconds)) s of the processor's time: the rest is left out"
  }

  private let clock: () -> Double
  private let end: Double

  /// - Parameter clock: what was taken so far, in seconds.
  init(clock: @escaping () -> Double = { Effort.processorTime }) {
    self.clock = clock
    end = clock() + Effort.mostSeconds
  }

  /// Whether no more may be taken.
  var isSpent: Bool { clock() > end }

  /// The time that this thread has had of the processor, in seconds.
  private static var processorTime: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
