/// What a story's decoder says is wrong with it although it plays, in words that follow the story's name
/// and a colon.
struct StoryNotes {
  private(set) var all: [String] = []
  private var readCount = 0

  mutating func add(_ words: String) { all.append(words) }

  /// Those that were added since the last call; `all` keeps them.
  mutating func readNew() -> [String] {
    defer { readCount = all.count }
    return Array(all[readCount...])
  }
}
