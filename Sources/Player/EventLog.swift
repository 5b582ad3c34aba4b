import Pictures
import Synchronization
import System

/// Notes what happens, a line each with the time of day, for whoever looks into a fault.
public final class EventLog: Sendable {
  private let path: String
  private let file: Descriptor
  private let lost = Mutex<SystemError?>(nil)

  /// Appends to a file that only its owner may read.
  public init(path: String) throws(SystemError) {
    self.path = path
    file = try Descriptor.open(appending: path)
  }

  /// Why lines are missing in it, as one sentence; nil where all were written.
  public var failure: String? {
    lost.withLock { $0 }.map { "cannot write the log \(path): \($0.reason)" }
  }

  /// Adds a line; what strangers put into it is made harmless. A full disk is no reason to stop.
  func note(_ words: String) {
    let line = "\(WallClock.text(secondsSince1970: WallClock.seconds)) \(DisplayText.safe(words))\n"
    do {
      try file.writeAll(Array(line.utf8))
    } catch {
      lost.withLock { $0 = $0 ?? error }
    }
  }
}
