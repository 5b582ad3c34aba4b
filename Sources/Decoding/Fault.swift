import Glibc

/// Deliberate faults, for tests of how the player handles them.
enum Fault: String {
  case crash
  case spin
  case memory
  case threads

  /// Causes the fault. Uses an unsafe pointer, since a crash must be one that the hardware detects.
  func strike() -> Never {
    var hoard: [[UInt8]] = []
    while true {
      switch self {
      case .crash: UnsafeMutablePointer<UInt8>(bitPattern: 8)?.pointee = 1
      case .spin: break
      case .threads: startThread()
      case .memory: hoard.append([UInt8](repeating: 1, count: 16 << 20))
      }
    }
  }

  /// Starts one more thread, which sleeps; waits where there can be no more.
  private func startThread() {
    var thread: pthread_t = 0
    let code = pthread_create(&thread, nil, { _ in while true { sleep(60) } }, nil)
    if code != 0 { sleep(1) }
  }
}
