/// A log of what a program does and why, for finding faults.
///
/// A value that is passed to all parts that log something. If nobody reads a line, its text is not
/// even made. Lines may be noted on any thread.
public struct Log: Sendable {
  /// What a line is about.
  public enum Category: String, CaseIterable, Sendable {
    /// What is played, and when it stalls, continues, is preloaded or left.
    case playback
    /// Requests to servers and their answers.
    case http
    /// What is read from the disk cache, and what is claimed there for fetching.
    case cache
    /// The decoder processes: when each begins and ends, and why.
    case decoder
  }

  /// How important a line is.
  public enum Level: String, Sendable {
    case debug, info, warning, error
  }

  /// Takes a line; called on the thread that notes it.
  public typealias Sink = @Sendable (Level, Category, String) -> Void

  private let categories: Set<Category>
  private let sink: Sink?

  /// A log that discards all lines.
  public static let off = Log()

  private init() { (categories, sink) = ([], nil) }

  /// A log that passes the lines of some categories to a sink.
  public init(_ categories: Set<Category>, to sink: @escaping Sink) {
    self.categories = categories
    self.sink = sink
  }

  /// Whether anybody reads the lines of a category; for lines that are costly to prepare.
  public func isOn(_ category: Category) -> Bool { sink != nil && categories.contains(category) }

  /// Notes a line of the usual level.
  ///
  /// - Parameter words: evaluated only if somebody reads this category. Must not contain secrets.
  public func note(_ category: Category, _ words: @autoclosure () -> String) {
    note(category, .info, words())
  }

  /// Notes a line.
  public func note(_ category: Category, _ level: Level, _ words: @autoclosure () -> String) {
    guard let sink, categories.contains(category) else { return }
    sink(level, category, words())
  }
}

extension Duration {
  /// Whole milliseconds, as log lines show them: "43 ms".
  public var logged: String {
    let (seconds, attoseconds) = components
    return "\(seconds * 1000 + attoseconds / 1_000_000_000_000_000) ms"
  }
}
