/// What reloads of a live playlist add to the story (RFC 8216, sections 6.3.3 and 6.3.4).
///
/// Servers of live stories break the rules in many ways: they number segments anew after a restart, do
/// not number them at all, sign addresses anew in each playlist, or give out old copies of it. So a
/// segment is recognised by its address without the query, by its number, or by both.
package struct LiveWindow {
  /// What a reload brings.
  package struct Addition: Equatable {
    /// The segments that were not known.
    package var segments: [MediaPlaylist.Segment] = []
    /// They do not follow the known ones: those in between are gone, or the server began anew.
    package var leaps = false
  }

  private struct Seen: Hashable {
    var path: Substring
    var range: Range<UInt64>?

    init(_ place: MediaPlaylist.Place) {
      path = place.uri.prefix { $0 != "?" && $0 != "#" }
      range = place.range
    }
  }

  private var last: (seen: Seen, number: UInt64, map: Seen?)?
  private var history: [Seen] = []

  private static let mostRemembered = 1_000
  /// A story begins so many target durations before the end of its playlist.
  private static let distance = 3

  package init() {}

  /// Takes the playlist as it is now.
  package mutating func merge(_ list: MediaPlaylist) -> Addition {
    let segments = list.segments
    guard let first = segments.first else { return Addition() }
    let addition: Addition
    if let last {
      let seen = segments.map { Seen($0.place) }
      let isLast = { (index: Int) in seen[index] == last.seen }
      let isSameNumber = { (index: Int) in segments[index].number == last.number }
      let place =
        segments.indices.last { isSameNumber($0) && isLast($0) } ?? segments.indices.last(
          where: isLast)
        ?? segments.indices.last(where: isSameNumber)
      if let place {
        addition = Addition(segments: Array(segments[(place + 1)...]))
      } else if first.number > last.number {
        let follows = first.number == last.number &+ 1
        var new = follows ? segments : Array(segments[Self.start(in: list)...])
        // No segment of the list before this one shows that the initialization section changes.
        if follows, let former = last.map, let map = first.map, Seen(map.place) != former {
          new[0].beginsAnew = true
        }
        addition = Addition(segments: new, leaps: !follows)
      } else if !Set(history).isDisjoint(with: seen) {
        // An older copy.
        addition = Addition()
      } else {
        addition = Addition(segments: Array(segments[Self.start(in: list)...]), leaps: true)
      }
    } else {
      addition = Addition(segments: Array(segments[Self.start(in: list)...]))
      history = segments.map { Seen($0.place) }
    }
    remember(addition.segments)
    return addition
  }

  private mutating func remember(_ segments: [MediaPlaylist.Segment]) {
    guard let newest = segments.last else { return }
    last = (Seen(newest.place), newest.number, newest.map.map { Seen($0.place) })
    history += segments.map { Seen($0.place) }
    if history.count > 2 * Self.mostRemembered {
      history.removeFirst(history.count - Self.mostRemembered)
    }
  }

  /// Where a live story begins: at the last segment that is not nearer to the end than three target
  /// durations; one that is over begins with its first.
  package static func start(in list: MediaPlaylist) -> Int {
    guard !list.isOver else { return 0 }
    let distance = pace(of: list) * Self.distance
    var left = Duration.zero
    for index in list.segments.indices.reversed() {
      left += list.segments[index].length
      if left >= distance { return index }
    }
    return 0
  }

  /// How long to wait before the next reload. It is the target duration where that can be right: no
  /// segment may be longer, and few servers that have much shorter ones mean it.
  package static func pace(of list: MediaPlaylist) -> Duration {
    let declared = list.segments.map(\.length).max() ?? .zero
    let longest = declared > .zero ? declared : list.targetDuration ?? .seconds(1)
    let target = list.targetDuration ?? longest
    return max(.milliseconds(500), min(max(target, longest), longest * 2))
  }
}
