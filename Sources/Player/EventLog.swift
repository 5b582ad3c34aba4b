import Pictures
import System

/// Notes what happens, a line each with the time of day, for whoever looks into a fault.
public final class EventLog: Sendable {
  private let file: Descriptor

  /// Appends to a file that only its owner may read.
  public init(path: String) throws(SystemError) {
    file = try Descriptor.open(appending: path)
  }

  /// Adds a line; what strangers put into it is made harmless. A full disk is no reason to stop.
  func note(_ words: String) {
    let line = "\(WallClock.text(secondsSince1970: WallClock.seconds)) \(DisplayText.safe(words))\n"
    try? file.writeAll(Array(line.utf8))
  }
}
