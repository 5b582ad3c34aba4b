import Glibc

/// Ends this process when a call into a library takes too long: SIGPROF for processor time, SIGALRM
/// for time on the clock. The signals' own actions do it, so that nothing need run for it here.
package enum TimeLimit {
  /// Far beyond the processor time: a busy machine is no reason to give an animation up.
  private static let patience = 8

  /// Does some work within so many milliseconds of processor time.
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
