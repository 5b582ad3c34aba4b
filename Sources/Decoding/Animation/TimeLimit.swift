import Glibc

/// Ends this process when a call into a library takes too long: SIGPROF for processor time, SIGALRM for
/// elapsed time. The default actions of the signals end it, so no code of this program must run.
package enum TimeLimit {
  /// Elapsed time allowed for each second of processor time: a busy machine alone must not end it.
  private static let patience = 8

  /// Runs `work` within so many milliseconds of processor time.
  package static func within<Result>(milliseconds: Int, _ work: () throws -> Result) rethrows
    -> Result
  {
    set(ITIMER_PROF, milliseconds: milliseconds)
    set(ITIMER_REAL, milliseconds: milliseconds * patience)
    defer {
      set(ITIMER_PROF, milliseconds: 0)
      set(ITIMER_REAL, milliseconds: 0)
    }
    return try work()
  }

  private static func set(_ timer: __itimer_which, milliseconds: Int) {
    var value = itimerval()
    value.it_value.tv_sec = milliseconds / 1000
    value.it_value.tv_usec = milliseconds % 1000 * 1000
    setitimer(Int32(timer.rawValue), &value, nil)
  }
}
