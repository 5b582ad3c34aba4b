/// What a sound device cannot do (any longer).
package enum DeviceFault: Error, Equatable {
  /// All that was written was heard, and nothing more came in time. It can go on.
  case ranDry
  /// It is gone, busy or broken; the reason in words.
  case lost(String)
}

/// A device that plays frames in the order they are written. Calls may take a while; they are made
/// on one thread.
package protocol SoundDevice: AnyObject {
  /// Frames that it holds at most.
  var bufferFrames: Int { get }

  /// Frames that can be written now.
  func room() throws(DeviceFault) -> Int

  /// Writes whole frames; how many of them it took.
  func write(_ samples: ArraySlice<Int16>) throws(DeviceFault) -> Int

  /// Lets what was written be heard.
  func start() throws(DeviceFault)

  /// How many of the frames that were written were not heard yet; nil while it does not say.
  func delay() throws(DeviceFault) -> Int?

  /// Falls silent at once and forgets what was not heard; what is written next waits for `start`.
  func drop() throws(DeviceFault)
}
