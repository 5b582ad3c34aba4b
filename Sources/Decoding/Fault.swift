/// A misbehaviour on purpose, so that tests can see what it costs the player.
enum Fault: String {
  case crash
  case spin
  case memory

  /// Misbehaves. Uses an unsafe pointer: a crash must be one that the hardware sees.
  func strike() -> Never {
    var hoard: [[UInt8]] = []
    while true {
      switch self {
      case .crash: UnsafeMutablePointer<UInt8>(bitPattern: 8)?.pointee = 1
      case .spin: break
      case .memory: hoard.append([UInt8](repeating: 1, count: 16 << 20))
      }
    }
  }
}
