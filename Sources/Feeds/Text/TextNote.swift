/// Something to be said of a text that was not as it should be.
struct TextNote: Equatable {
  let words: String
  /// Whether something may be missing, and not only be shown otherwise.
  let costsStories: Bool
}
