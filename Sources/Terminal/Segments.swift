/// The segmented bar: a segment for each story of the reel; the current one fills as it plays.
public struct Segments: Equatable, Sendable {
  public var count: Int
  /// The index of the story that plays; those before it were played.
  public var current: Int
  /// How much of the current story was played, 0 to 1; nil while its length is unknown.
  public var fill: Double?
  /// How much of the current story can be played without waiting, 0 to 1; nil if that is not shown.
  public var cached: Double?

  public init(count: Int, current: Int, fill: Double? = 0, cached: Double? = nil) {
    self.count = count
    self.current = current
    self.fill = fill
    self.cached = cached
  }

  /// The segment at a column of the bar's row, and the position inside it, 0 to 1; nil beside and
  /// between segments.
  public func segment(atColumn column: Int, columns: Int) -> (index: Int, fraction: Double)? {
    guard let place = places(columns: columns).first(where: { $0.columns.contains(column) }) else {
      return nil
    }
    let offset = Double(column - place.columns.lowerBound) + 0.5
    return (place.index, offset / Double(place.columns.count))
  }

  /// The columns of a segment.
  package struct Place: Equatable {
    package let index: Int
    package let columns: Range<Int>
  }

  /// The least width of a segment, and the least width inside a window of many.
  private static let least = 2
  private static let leastInWindow = 4

  /// The segments that are shown, from the left: all of them, or a window around the current one if
  /// they would be narrower than two columns.
  package func places(columns: Int) -> [Place] {
    let room = max(0, columns - 2)
    guard count > 0, room > 0 else { return [] }
    if count * (Self.least + 1) - 1 <= room {
      return Self.spread(indices: 0..<count, over: room)
    }
    let narrowed = room - label.count - 1
    let shown = min(count, (narrowed + 1) / (Self.leastInWindow + 1))
    guard shown > 0 else { return [] }
    let first = min(max(0, current - shown / 2), count - shown)
    return Self.spread(indices: first..<first + shown, over: narrowed)
  }

  /// The number of the current story, `7/40`, with the same width for every story of a reel.
  var label: String {
    let total = String(count)
    let place = String(min(max(0, current), max(0, count - 1)) + 1)
    return String(repeating: " ", count: max(0, total.count - place.count)) + place + "/" + total
  }

  /// Whether only some segments are shown, with the label beside them.
  func isWindowed(columns: Int) -> Bool { places(columns: columns).count < count }

  /// Whether the bar says the current story's number, beside a window of segments.
  public func showsNumber(columns: Int) -> Bool {
    let shown = places(columns: columns).count
    return shown > 0 && shown < count
  }

  /// Divides the columns from 1 on, with a free one between segments; widths differ by one at most.
  private static func spread(indices: Range<Int>, over room: Int) -> [Place] {
    let count = indices.count
    return (0..<count).map { place in
      let start = place * (room + 1) / count
      let end = (place + 1) * (room + 1) / count - 1
      return Place(index: indices.lowerBound + place, columns: 1 + start..<1 + end)
    }
  }
}
