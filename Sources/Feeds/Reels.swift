import Stories

/// Collects stories into reels, in the order in which the reels first appear.
struct Reels {
  private var reels: [Reel] = []
  private var places: [String: Int] = [:]
  private var origins: [Story.Origin?] = []

  /// The index of the reel of this name, which is added at the end if it is new.
  mutating func place(of name: String) -> Int {
    if let place = places[name] { return place }
    places[name] = reels.count
    reels.append(Reel(name: name, stories: []))
    origins.append(nil)
    return reels.count - 1
  }

  /// The origin that stories of one feed and author share. The last one of each reel is kept and
  /// used again.
  mutating func origin(feed: String, author: String, at place: Int) -> Story.Origin {
    if let origin = origins[place], origin.author == author, origin.feed == feed { return origin }
    let origin = Story.Origin(feed: feed, author: author)
    origins[place] = origin
    return origin
  }

  mutating func add(_ story: Story, at place: Int) { reels[place].stories.append(story) }

  /// The reels so far.
  var all: [Reel] { reels }
}
