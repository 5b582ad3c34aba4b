/// What a program notes of what it does and why, for whoever looks into a fault.
///
/// A value that is handed down to whoever has something to note. Where nobody listens, a line is not
/// even put into words. Lines may be noted on any thread.
public struct Log: Sendable {
  /// What a line is about.
  public enum Category: String, CaseIterable, Sendable {
    /// What is played, and when it stalls, goes on, is made ready or left.
    case playback
    /// Requests to servers and their answers.
    case http
    /// What is taken from the disk cache, and what is claimed there to be fetched.
    case cache
    /// The decoder processes: when each begins and ends, and why.
    case decoder
  }

  /// How much a line matters.
  public enum Level: String, Sendable {
    case debug, info, warning, error
  }

  /// Takes a line; called on the thread that notes it.
  public typealias Sink = @Sendable (Level, Category, String) -> Void

  private let categories: Set<Category>
  private let sink: Sink?

  /// A log that nobody reads.
  public static let off = Log()

  private init() { (categories, sink) = ([], nil) }

  /// A log of some categories whose lines a sink takes.
  public init(_ categories: Set<Category>, to sink: @escaping Sink) {
    self.categories = categories
    self.sink = sink
  }

  /// Whether lines of a category are read by anybody: for what costs something before it is noted.
  public func isOn(_ category: Category) -> Bool { sink != nil && categories.contains(category) }

  /// Notes a line of the usual level.
  ///
  /// - Parameter words: made only where somebody reads this category. No secret may be in them.
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
  /// Whole milliseconds, as lines of a log have them: "43 ms".
  public var logged: String {
    let (seconds, attoseconds) = components
    return "\(seconds * 1000 + attoseconds / 1_000_000_000_000_000) ms"
  }
}
