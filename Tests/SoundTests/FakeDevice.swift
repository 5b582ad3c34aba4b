import Sound

/// A device whose time the test makes.
final class FakeDevice: SoundDevice {
  let bufferFrames = 4800
  /// All samples that it has taken and that were not dropped.
  private(set) var written: [Int16] = []
  /// Frames that were heard.
  var heard = 0
  private(set) var isStarted = false
  private(set) var drops = 0
  /// The next call fails so.
  var fault: DeviceFault?
  /// What it says of its delay whatever is true; nil for the truth.
  var claimedDelay: Int?

  var frames: Int { written.count / 2 }

  private func check() throws(DeviceFault) {
    guard let fault else { return }
    self.fault = nil
    throw fault
  }

  func room() throws(DeviceFault) -> Int {
    try check()
    return bufferFrames - (frames - heard)
  }

  func write(_ samples: ArraySlice<Int16>) throws(DeviceFault) -> Int {
    try check()
    written += samples
    return samples.count / 2
  }

  func start() throws(DeviceFault) {
    try check()
    isStarted = true
  }

  func delay() throws(DeviceFault) -> Int? {
    try check()
    return claimedDelay ?? (isStarted ? frames - heard : nil)
  }

  func drop() throws(DeviceFault) {
    drops += 1
    isStarted = false
    written.removeLast((frames - heard) * 2)
  }
}
