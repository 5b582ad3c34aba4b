import DecoderLink

/// The last few reactions that were shown to their ends, so that they need not be decoded again.
struct KeptClips {
  private static let most = 2

  /// The one that was shown last comes last.
  private var clips: [(id: String, clip: AnimationClip)] = []
  /// What they were drawn for, and the edition of the catalogue that they come from.
  private var source: (shape: PictureRequest, edition: Int)?

  /// Drops those that were drawn for another shape or come from an older edition, and those that are
  /// missing by now.
  mutating func drop(
    unless shape: PictureRequest, edition: Int, missing: (String) -> Bool
  ) {
    if source.map({ $0 != (shape, edition) }) ?? true { clips = [] }
    clips.removeAll { missing($0.id) }
  }

  subscript(id: String) -> AnimationClip? { clips.first { $0.id == id }?.clip }

  /// Keeps a clip if all of its frames have one size: the screen may have changed meanwhile.
  mutating func keep(_ clip: AnimationClip, of id: String, shape: PictureRequest, edition: Int) {
    guard let first = clip.frames.first,
      clip.frames.allSatisfy({
        $0.bitmap.width == first.bitmap.width && $0.bitmap.height == first.bitmap.height
      })
    else { return }
    source = (shape, edition)
    clips.removeAll { $0.id == id }
    clips.append((id, clip))
    if clips.count > KeptClips.most { clips.removeFirst() }
  }
}
