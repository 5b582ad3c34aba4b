import Pictures
import Synchronization
import System

/// The file of `--log`: a line for each thing that is noted, with its time, level and category.
public final class LogFile: Sendable {
  private let path: String
  private let categories: Set<Log.Category>
  private let file: Descriptor
  private let lost = Mutex<SystemError?>(nil)

  /// All but what a line for each read would bury the others under.
  public static let usualCategories = Set(Log.Category.allCases).subtracting([.cache])

  /// Appends to a file that only its owner may read.
  public init(
    path: String, categories: Set<Log.Category> = usualCategories
  ) throws(SystemError) {
    self.path = path
    self.categories = categories
    file = try Descriptor.open(appending: path)
  }

  /// The log whose lines come here.
  public var log: Log { Log(categories) { [self] in add($0, $1, $2) } }

  /// Why lines are missing in it, as one sentence; nil where all were written.
  public var failure: String? {
    lost.withLock { $0 }.map { "cannot write the log \(path): \($0.reason)" }
  }

  /// Adds a line; what strangers put into it is made harmless. A full disk is no reason to stop.
  private func add(_ level: Log.Level, _ category: Log.Category, _ words: String) {
    let time = WallClock.text(millisecondsSince1970: WallClock.milliseconds)
    let line = "\(time) \(level) \(category) \(DisplayText.safe(words))\n"
    do {
      try file.writeAll(Array(line.utf8))
    } catch {
      lost.withLock { $0 = $0 ?? error }
    }
  }

  /// The categories that a list names ("http,cache"), and the first word of it that names none.
  public static func categories(
    in list: String
  ) -> (categories: Set<Log.Category>, unknown: String?) {
    let words = list.split(separator: ",").map { String($0.filter { !$0.isWhitespace }) }
    return (
      Set(words.compactMap(Log.Category.init)),
      words.first { Log.Category(rawValue: $0) == nil }
    )
  }
}
