import Glibc
import System
import Testing

@Suite struct SignalsTests {
  @Test func take_raisedSignals_givesEachOnce() async {
    await #expect(processExitsWith: .success) {
      unblockSignals()
      let signals = try Signals()
      try #require(signals.take() == [])
      raise(SIGWINCH)
      raise(SIGWINCH)
      raise(SIGINT)
      let ready = try awaitReadiness(of: [Interest(signals.descriptor)], until: .now + .seconds(9))
      try #require(ready.map(\.readable) == [true])
      try #require(signals.take() == [.interrupt, .windowChanged])
      try #require(signals.take() == [])
      let silent = try awaitReadiness(of: [Interest(signals.descriptor)], until: .now)
      try #require(silent.map(\.readable) == [false])
    }
  }

  @Test(arguments: Signals.Signal.allCases)
  func take_eachSignal_isReported(signal: Signals.Signal) async {
    let number = signal.rawValue
    await #expect(processExitsWith: .success) { [number = number as Int32] in
      unblockSignals()
      let signals = try Signals()
      raise(number)
      try #require(signals.take().map(\.rawValue) == [number])
    }
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func secondFinalSignal_longAfterAnUntakenOne_ends(number: Int32) async {
    await #expect(processExitsWith: .signal(number)) { [number = number as Int32] in
      unblockSignals()
      _ = try Signals()
      raise(number)
      usleep(2_100_000)
      raise(number)
    }
  }

  /// Both the kernel and a shell send HUP when a terminal closes.
  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func secondFinalSignal_rightAfterTheFirst_isTheSame(number: Int32) async {
    await #expect(processExitsWith: .success) { [number = number as Int32] in
      unblockSignals()
      let signals = try Signals()
      raise(number)
      raise(number)
      try #require(signals.take().map(\.rawValue) == [number])
    }
  }

  @Test(arguments: [Signals.Signal.interrupt, .terminate, .hangUp])
  func die_ofASignal_isSeenByTheParent(signal: Signals.Signal) async {
    let number = signal.rawValue
    await #expect(processExitsWith: .signal(number)) { [number = number as Int32] in
      unblockSignals()
      _ = try Signals()
      guard let signal = Signals.Signal(rawValue: number) else { return }
      Signals.die(of: signal)
    }
  }

  @Test func brokenPipe_afterInit_isNoSignal() async {
    await #expect(processExitsWith: .success) {
      unblockSignals()
      _ = try Signals()
      raise(SIGPIPE)
    }
  }

  @Test func await_signal_wakesTheWaiter() async {
    await #expect(processExitsWith: .success) {
      unblockSignals()
      let signals = try Signals()
      let sender = try ChildProcess.start(
        "/bin/sh", arguments: ["-c", "kill -TERM $PPID; exec sleep 60"], environment: [])
      let ready = try awaitReadiness(
        of: [Interest(signals.descriptor)], until: .now + .seconds(600))
      try #require(ready.map(\.readable) == [true])
      try #require(signals.take() == [.terminate])
      sender.process.kill()
    }
  }
}

/// Unblocks signals on this thread, as on the player's main thread; the threads that tests run on
/// block them all.
func unblockSignals() {
  var none = sigset_t()
  sigemptyset(&none)
  pthread_sigmask(SIG_SETMASK, &none, nil)
}
