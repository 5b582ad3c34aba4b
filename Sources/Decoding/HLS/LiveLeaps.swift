/// The leaps of a live story, which its playlists share.
///
/// If the pictures and the sound have a playlist each and the server begins anew, both leap, one after
/// the other. The first begins another part of the story in all playlists; those that come later give
/// their segments to that part, and take none from it.
package struct LiveLeaps {
  package enum Step: Equatable {
    /// What is new follows what is known.
    case follows
    /// All playlists let go of what was not read, and another part begins.
    case begins
    /// It adds its first segments to the part that another playlist began.
    case joins
  }

  private var count = 0
  /// The last leap of each playlist.
  private var joined: [Int: Int] = [:]

  package init() {}

  /// Takes a reload of a playlist.
  ///
  /// - Parameters:
  ///   - leaps: whether it does not follow what was known of this playlist.
  ///   - isNew: whether it brings anything new; if not, it may be older than the leap.
  package mutating func reload(of list: Int, leaps: Bool, isNew: Bool) -> Step {
    if joined[list, default: 0] < count {
      guard leaps || isNew else { return .follows }
      joined[list] = count
      return .joins
    }
    guard leaps else { return .follows }
    count += 1
    joined[list] = count
    return .begins
  }
}
