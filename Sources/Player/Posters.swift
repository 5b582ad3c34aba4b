import DecoderLink

/// The first pictures of stories that were played, so that a viewer who skips past them in a hurry sees
/// which they are.
struct Posters {
  /// In pixels, of all of them together: 4 bytes each.
  private static let most = 1 << 20

  private var pictures: [Int: DecodedPicture] = [:]
  /// The least recently noted first.
  private var order: [Int] = []
  private var pixels = 0

  subscript(story: Int) -> DecodedPicture? { pictures[story] }

  mutating func note(_ picture: DecodedPicture, of story: Int) {
    forget(story)
    pictures[story] = picture
    order.append(story)
    pixels += picture.bitmap.pixels.count
    while pixels > Posters.most, let oldest = order.first { forget(oldest) }
  }

  private mutating func forget(_ story: Int) {
    guard let old = pictures.removeValue(forKey: story) else { return }
    pixels -= old.bitmap.pixels.count
    order.removeAll { $0 == story }
  }
}
