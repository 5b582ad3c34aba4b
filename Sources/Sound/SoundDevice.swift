/// Why a sound device does not play.
package enum DeviceFault: Error, Equatable {
  /// Everything written was played, and nothing more came in time. It can continue.
  case ranDry
  /// It is gone, busy or broken; the reason in words.
  case lost(String)
}

/// A device that plays frames in the order they are written. Calls may block for a while; they are made
/// on one thread.
package protocol SoundDevice: AnyObject {
  /// The most frames that it buffers.
  var bufferFrames: Int { get }

  /// The number of frames that can be written now.
  func room() throws(DeviceFault) -> Int

  /// Writes whole frames; returns how many were accepted.
  func write(_ samples: ArraySlice<Int16>) throws(DeviceFault) -> Int

  /// Starts playing what was written.
  func start() throws(DeviceFault)

  /// How many of the written frames were not played yet; nil if it does not know.
  func delay() throws(DeviceFault) -> Int?

  /// Stops at once and drops what was not played; later frames wait for `start`.
  func drop() throws(DeviceFault)
}
