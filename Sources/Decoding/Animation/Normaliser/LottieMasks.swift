import JSONText

/// Masks, which limit the visible part of a layer.
extension LottieNormaliser {
  private struct Mask {
    let members: LottieMembers
    /// As in rlottie: `a`, `s`, `i` or `f`.
    var mode: String
    let isInverted: Bool
  }

  mutating func masks(_ members: LottieMembers) throws(DecodingError) {
    guard members[.hasMask] == nil || isTrue(members[.hasMask]) else { return }
    let masks = uninverted(elements(of: members[.masksProperties]).compactMap(mask(at:)))
    // A layer whose masks all have no effect must have none, or rlottie would hide it.
    guard !masks.isEmpty else { return }
    name(.hasMask)
    raw("true")
    name(.masksProperties)
    raw("[")
    let isJoined = writeJoined(masks)
    for mask in masks {
      if isOther(mask.members[.o], than: 100) { lacks.insert(.maskOpacity) }
      if isOther(mask.members[.x], than: 0) { lacks.insert(.maskExpansions) }
      if isOther(mask.members[.f], than: 0) { lacks.insert(.maskFeathers) }
      if isJoined { continue }
      separate()
      raw("{\"inv\":false,\"mode\":\"\(mask.mode)\"")
      try property(.pt, mask.members[.pt], .path)
      try property(.o, mask.members[.o], .scalar)
      raw("}")
    }
    raw("]")
  }

  private func mask(at place: Int) -> Mask? {
    guard index.kind(at: place) == .object else { return nil }
    let members = LottieMembers(of: place, in: index)
    let mode = members[.mode].flatMap(index.text(of:)) ?? "a"
    guard mode != "n" else { return nil }
    // Lighten and darken differ from add and intersect only in half transparent edges.
    let known = ["a": "a", "l": "a", "s": "s", "i": "i", "d": "i", "f": "f"][mode] ?? "a"
    return Mask(members: members, mode: known, isInverted: isTrue(members[.inv]))
  }

  /// The same masks without inverted ones, which rlottie inverts only within their outlines: the area
  /// outside of an outline is everything minus the mask.
  private mutating func uninverted(_ masks: [Mask]) -> [Mask] {
    var result: [Mask] = []
    for var mask in masks {
      guard mask.isInverted else {
        result.append(mask)
        continue
      }
      switch mask.mode {
      case "s":
        mask.mode = "i"
        result.append(mask)
      case "i":
        mask.mode = "s"
        result.append(mask)
      // The order of added masks does not matter; the first mask of all is subtracted from everything.
      case "a" where result.allSatisfy({ $0.mode == "a" }):
        mask.mode = "s"
        result.insert(mask, at: 0)
      default: lacks.insert(.invertedMasks)
      }
    }
    return result
  }

  // MARK: Several outlines as one

  private typealias Point = SIMD2<Double>

  /// A corner with the control points before and after it.
  private struct Corner {
    var place = Point.zero
    var before = Point.zero
    var behind = Point.zero
  }

  /// Writes still, added masks as a single outline that visits each of them and returns: rlottie loses
  /// parts of masks that lie side by side. False if there are other masks.
  private mutating func writeJoined(_ masks: [Mask]) -> Bool {
    guard masks.count > 1 else { return false }
    var outlines: [[Corner]] = []
    for mask in masks {
      guard mask.mode == "a", !isOther(mask.members[.o], than: 100),
        let place = mask.members[.pt], let outline = outline(at: place), !outline.isEmpty
      else { return false }
      outlines.append(outline)
    }
    let start = outlines[0][0].place
    var corners: [Corner] = []
    for outline in outlines {
      let first = outline[0]
      corners.append(Corner(place: first.place, behind: first.behind))
      corners += outline.dropFirst()
      corners.append(Corner(place: first.place, before: first.before))
      corners.append(Corner(place: start))
    }
    raw("{\"inv\":false,\"mode\":\"a\",\"pt\":{\"k\":{\"c\":true")
    for (key, part) in [(.v, \.place), (.i, \.before), (.o, \.behind)]
      as [(LottieKey, KeyPath<Corner, Point>)]
    {
      name(key)
      raw("[")
      for corner in corners {
        separate()
        raw("[")
        write(corner[keyPath: part].x)
        raw(",")
        write(corner[keyPath: part].y)
        raw("]")
      }
      raw("]")
    }
    raw("}}}")
    return true
  }

  /// The corners of a still path, clockwise.
  private mutating func outline(at place: Int) -> [Corner]? {
    guard let content = content(of: place), keyframes(at: content, .path) == nil else { return nil }
    let path = index.kind(at: content) == .array ? elements(of: content).first : content
    guard let path else { return nil }
    let members = LottieMembers(of: path, in: index)
    guard let places = points(members[.v]) else { return nil }
    let none = Array(repeating: Point.zero, count: places.count)
    let before = points(members[.i]) ?? none
    let behind = points(members[.o]) ?? none
    guard before.count == places.count, behind.count == places.count else { return nil }
    var corners = places.indices.map {
      Corner(place: places[$0], before: before[$0], behind: behind[$0])
    }
    var area = 0.0
    for (corner, next) in zip(places, places.dropFirst() + places.prefix(1)) {
      area += corner.x * next.y - corner.y * next.x
    }
    if area < 0 {
      corners = corners.reversed().map {
        Corner(place: $0.place, before: $0.behind, behind: $0.before)
      }
    }
    return corners
  }

  private func points(_ place: Int?) -> [Point]? {
    guard let place, index.kind(at: place) == .array else { return nil }
    var points: [Point] = []
    for point in elements(of: place) {
      let parts = elements(of: point)
      guard parts.count >= 2, let x = value(at: parts[0]), let y = value(at: parts[1]) else {
        return nil
      }
      points.append(Point(x, y))
    }
    return points
  }
}
