import JSONText

/// Masks, which limit the visible part of a layer.
extension LottieNormaliser {
  private struct Mask {
    let members: LottieMembers
    /// As in rlottie: `a`, `s`, `i` or `f`.
    var mode: String
    let isInverted: Bool
  }

  mutating func writeMasks(_ members: LottieMembers) throws(DecodingError) {
    guard members[.hasMask] == nil || isTrue(members[.hasMask]) else { return }
    let masks = uninverted(elements(of: members[.masksProperties]).compactMap(mask(of:)))
    // A layer whose masks all have no effect must have none, or rlottie would hide it.
    guard !masks.isEmpty else { return }
    writeName(.hasMask)
    writeRaw("true")
    writeName(.masksProperties)
    writeRaw("[")
    let isJoined = writeJoined(masks)
    for mask in masks {
      if everDiffers(mask.members[.o], from: 100) { lacks.insert(.maskOpacity) }
      if everDiffers(mask.members[.x], from: 0) { lacks.insert(.maskExpansions) }
      if everDiffers(mask.members[.f], from: 0) { lacks.insert(.maskFeathers) }
      if isJoined { continue }
      separate()
      writeRaw("{\"inv\":false,\"mode\":\"\(mask.mode)\"")
      try writeProperty(.pt, mask.members[.pt], .path)
      try writeProperty(.o, mask.members[.o], .scalar)
      writeRaw("}")
    }
    writeRaw("]")
  }

  private func mask(of node: Node) -> Mask? {
    guard index.kind(of: node) == .object else { return nil }
    let members = LottieMembers(of: node, in: index)
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
    var vertex = Point.zero
    var before = Point.zero
    var behind = Point.zero
  }

  /// Writes still, added masks as a single outline that visits each of them and returns: rlottie loses
  /// parts of masks that lie side by side. False if there are other masks.
  private mutating func writeJoined(_ masks: [Mask]) -> Bool {
    guard masks.count > 1 else { return false }
    var outlines: [[Corner]] = []
    for mask in masks {
      guard mask.mode == "a", !everDiffers(mask.members[.o], from: 100),
        let node = mask.members[.pt], let outline = outline(of: node), !outline.isEmpty
      else { return false }
      outlines.append(outline)
    }
    let start = outlines[0][0].vertex
    var corners: [Corner] = []
    for outline in outlines {
      let first = outline[0]
      corners.append(Corner(vertex: first.vertex, behind: first.behind))
      corners += outline.dropFirst()
      corners.append(Corner(vertex: first.vertex, before: first.before))
      corners.append(Corner(vertex: start))
    }
    writeRaw("{\"inv\":false,\"mode\":\"a\",\"pt\":{\"k\":{\"c\":true")
    for (key, part) in [(.v, \.vertex), (.i, \.before), (.o, \.behind)]
      as [(LottieKey, KeyPath<Corner, Point>)]
    {
      writeName(key)
      writeRaw("[")
      for corner in corners {
        separate()
        writeRaw("[")
        write(corner[keyPath: part].x)
        writeRaw(",")
        write(corner[keyPath: part].y)
        writeRaw("]")
      }
      writeRaw("]")
    }
    writeRaw("}}}")
    return true
  }

  /// The corners of a still path, clockwise.
  private mutating func outline(of node: Node) -> [Corner]? {
    guard let content = content(of: node), keyframes(of: content, isPath: true) == nil else {
      return nil
    }
    let path = index.kind(of: content) == .array ? elements(of: content).first : content
    guard let path else { return nil }
    let members = LottieMembers(of: path, in: index)
    guard let vertices = points(members[.v]) else { return nil }
    let none = Array(repeating: Point.zero, count: vertices.count)
    let before = points(members[.i]) ?? none
    let behind = points(members[.o]) ?? none
    guard before.count == vertices.count, behind.count == vertices.count else { return nil }
    var corners = vertices.indices.map {
      Corner(vertex: vertices[$0], before: before[$0], behind: behind[$0])
    }
    var area = 0.0
    for (corner, next) in zip(vertices, vertices.dropFirst() + vertices.prefix(1)) {
      area += corner.x * next.y - corner.y * next.x
    }
    if area < 0 {
      corners = corners.reversed().map {
        Corner(vertex: $0.vertex, before: $0.behind, behind: $0.before)
      }
    }
    return corners
  }

  private func points(_ node: Node?) -> [Point]? {
    guard let node, index.kind(of: node) == .array else { return nil }
    var points: [Point] = []
    for point in elements(of: node) {
      let parts = elements(of: point)
      guard parts.count >= 2, let x = double(of: parts[0]), let y = double(of: parts[1]) else {
        return nil
      }
      points.append(Point(x, y))
    }
    return points
  }
}
