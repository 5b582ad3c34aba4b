/// A message to the user about a text that is not as it should be.
struct TextNote: Equatable {
  let words: String
  /// Whether stories may be missing, and not only be shown differently.
  let costsStories: Bool
}
