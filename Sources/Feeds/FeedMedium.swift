import Stories

/// One representation of the thing that an item of a feed shows: an attachment, an enclosure, a
/// picture.
struct FeedMedium {
  /// The order of preference among representations.
  enum Rank: Comparable {
    case plain, stream, unknown
  }

  let address: String
  var title: String
  var durationS: Double?
  /// Nil where neither the type nor the name says it.
  private(set) var kind: Story.Kind?
  let rank: Rank
  /// The size of its picture.
  var size: PictureSize?
  /// Whether the feed prefers it to others of its group.
  var isDefault = false

  /// Nil where the MIME type is surely not that of a medium.
  init?(address: String, type: String, title: String = "", durationS: Double? = nil) {
    self.address = address
    self.title = title
    self.durationS = durationS
    switch MIMEType(type) {
    case .medium(let kind): (self.kind, rank) = (kind, .plain)
    case .stream: (kind, rank) = (.video, .stream)
    case .other: return nil
    case .unknown:
      kind = ExtensionHint(address: address)?.kind
      rank = kind == nil ? .unknown : .plain
    }
  }
}

/// The size of a picture as the feed states it, in pixels: one side or both.
struct PictureSize: Hashable {
  let width: Int?
  let height: Int?

  /// Nil where neither text is a possible side of a picture.
  init?(width: String?, height: String?) {
    let sides = [width, height].map { text in
      text.flatMap { Int($0.trimmingSpace) }.flatMap { (1...20_000).contains($0) ? $0 : nil }
    }
    guard sides[0] != nil || sides[1] != nil else { return nil }
    (self.width, self.height) = (sides[0], sides[1])
  }

  /// The shorter side, as far as it is known.
  var lines: Int { min(width ?? .max, height ?? .max) }

  /// Whether both have the same proportions, but for rounding.
  func isShaped(like other: PictureSize) -> Bool {
    guard let width, let height, let otherWidth = other.width, let otherHeight = other.height else {
      return (width == nil) == (other.width == nil) && (height == nil) == (other.height == nil)
    }
    let (here, there) = (width * otherHeight, otherWidth * height)
    return abs(here - there) * 50 <= max(here, there)
  }
}

extension FeedMedium {
  /// Takes the kind from Media RSS's `medium`, where nothing better says it.
  mutating func claim(_ medium: String?) {
    guard kind == nil else { return }
    switch medium {
    case "video": kind = .video
    case "audio": kind = .sound
    case "image": kind = .picture
    default: break
    }
  }
}
