import Stories

/// Collects stories into reels, in the order in which the reels first appear.
struct Reels {
  private var reels: [Reel] = []
  private var places: [String: Int] = [:]
  private var last: Int?
  private(set) var count = 0

  /// Adds a story to the reel of this name.
  mutating func add(_ story: Story, to name: String) {
    count += 1
    if let last, reels[last].name == name {
      reels[last].stories.append(story)
      return
    }
    let place = places[name] ?? reels.count
    if place == reels.count {
      places[name] = place
      reels.append(Reel(name: name, stories: []))
    }
    reels[place].stories.append(story)
    last = place
  }

  /// The reels. Arrays that grew far beyond what they hold are cut to it.
  var all: [Reel] {
    reels.map { reel in
      let isLoose = reel.stories.capacity > reel.stories.count + reel.stories.count / 8 + 16
      return Reel(name: reel.name, stories: isLoose ? reel.stories.map { $0 } : reel.stories)
    }
  }
}
