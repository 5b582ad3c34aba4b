/// What is not as it should be in a story that plays all the same, in words that follow "NAME: ".
struct StoryNotes {
  private(set) var all: [String] = []
  private var taken = 0

  mutating func add(_ words: String) { all.append(words) }

  /// Those that were added since the last call.
  mutating func takeNew() -> [String] {
    defer { taken = all.count }
    return Array(all[taken...])
  }
}
