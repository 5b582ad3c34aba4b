import JSONText
import Resources
import Stories
import System

/// What is served at one time; each change makes a new offer.
struct Offer: Sendable {
  /// A text that the server makes.
  struct Document: Sendable {
    let body: SharedBytes
    let type: String
    let entityTag: String

    init(_ bytes: [UInt8], type: String) {
      body = SharedBytes(bytes)
      self.type = type
      entityTag = "\"\(SHA256.hex(of: bytes).prefix(32))\""
    }
  }

  let feed: Document
  let catalogue: Document
  /// The path and type of each animation by its id.
  let animations: [String: (path: String, type: String)]
  /// Paths of JSON texts that are animations.
  let lotties: Set<String>
  let title: String
  let storyCount: Int
  let reelCount: Int

  init(_ inventory: FolderInventory, _ findings: [String: Finding]) {
    feed = Document(
      OfferText.feed(inventory, findings), type: "application/feed+json")
    catalogue = Document(OfferText.catalogue(inventory, findings), type: "application/json")
    animations = Dictionary(
      uniqueKeysWithValues: inventory.animations.map { ($0.id, ($0.path, $0.type)) })
    let texts =
      inventory.items.filter { $0.type == MediaType.animation }.map(\.path)
      + inventory.animations.filter { $0.type == MediaType.animation }.map(\.path)
    lotties = Set(texts)
    title = inventory.title
    storyCount = inventory.items.count
    reelCount = inventory.reelCount
  }
}

/// Makes the texts that a served or exported folder offers.
enum OfferText {
  /// JSON Feed 1.1, one item a line. A file's path is its id: the same after each start, and for a
  /// served as for an exported folder.
  static func feed(_ inventory: FolderInventory, _ findings: [String: Finding]) -> [UInt8] {
    var text = JSONWriter()
    text.raw("{")
    text.member("version", "https://jsonfeed.org/version/1.1")
    text.member("title", inventory.title)
    text.name("_storytty")
    text.raw("{\"animations\": \".\"},\n \"items\": [")
    for (index, item) in inventory.items.enumerated() {
      text.raw(index == 0 ? "\n  {" : ",\n  {")
      text.member("id", item.path)
      text.name("authors")
      text.raw("[{")
      text.member("name", item.reel)
      text.raw("}]")
      text.member(
        "date_published",
        WallClock.text(secondsSince1970: item.status.modifiedNanoseconds / 1_000_000_000))
      text.member("title", item.path.split(separator: "/").last.map(String.init) ?? item.path)
      // The format requires a text, and a file has none.
      text.member("content_text", "")
      text.name("attachments")
      text.raw("[{")
      text.member("url", RelativeURL.encoded(item.path))
      text.member("mime_type", item.type)
      text.member("size_in_bytes", Int(item.status.sizeBytes))
      if let duration = findings[item.path]?.durationS {
        text.member("duration_in_seconds", duration)
      }
      text.raw("}]}")
    }
    text.raw(inventory.items.isEmpty ? "]}\n" : "\n ]}\n")
    return text.bytes
  }

  /// The catalogue of animations, one a line.
  static func catalogue(_ inventory: FolderInventory, _ findings: [String: Finding]) -> [UInt8] {
    var text = JSONWriter()
    text.raw("[")
    for (index, animation) in inventory.animations.enumerated() {
      let facts = animation.facts.filled(from: findings[animation.path]?.facts)
      text.raw(index == 0 ? "\n {" : ",\n {")
      text.member("id", animation.id)
      text.member("title", facts.title ?? animation.id)
      text.member("sha256", animation.sha256)
      text.member("bytes", Int(animation.status.sizeBytes))
      if let width = facts.width { text.member("width", width) }
      if let height = facts.height { text.member("height", height) }
      if let fps = facts.fps { text.member("fps", fps) }
      if let frames = facts.frames { text.member("frames", frames) }
      text.member("kind", facts.kind ?? "reaction")
      text.member("priority", facts.priority ?? 0)
      text.raw("}")
    }
    text.raw(inventory.animations.isEmpty ? "]\n" : "\n]\n")
    return text.bytes
  }
}

/// What a decoder found out about a file.
struct Finding: Equatable {
  var durationS: Double?
  /// The facts of an animation.
  var facts: AnimationFacts?
}
