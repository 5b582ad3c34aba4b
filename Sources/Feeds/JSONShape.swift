import JSONText

/// What a JSON text is, detected from the keys of its outermost object.
enum JSONShape {
  case feed
  /// A Lottie animation.
  case animation
  /// A JSPF playlist.
  case playlist
  case other

  /// The text may be cut off or wrong: then the keys before that point count.
  init(_ text: JSONReader) {
    var reader = text
    var keys: Set<String> = []
    var version = ""
    do {
      if try reader.peek() == .object {
        try reader.enter()
        while let key = try reader.nextKey() {
          keys.insert(key)
          if key == "version", try reader.peek() == .string {
            version = try reader.string()
          } else {
            try reader.skip()
          }
        }
      }
    } catch {
      // Cut off, or not JSON after all.
    }
    let marks: Set<String> = ["v", "fr", "ip", "op", "layers"]
    if version.contains("jsonfeed.org") || keys.isSuperset(of: ["version", "items"]) {
      self = .feed
    } else {
      self =
        keys.intersection(marks).count >= 3
        ? .animation : keys.contains("playlist") ? .playlist : .other
    }
  }
}

/// Detects animations by the start of a text.
package enum AnimationText {
  /// Whether a text is a Lottie animation, by its outermost keys, as far as the text goes.
  package static func isAnimation(_ head: [UInt8]) -> Bool {
    if case .animation = JSONShape(JSONReader(head)) { true } else { false }
  }
}
