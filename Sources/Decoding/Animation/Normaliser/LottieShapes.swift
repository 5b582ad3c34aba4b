import JSONText

/// Shapes, fills and strokes.
extension LottieNormaliser {
  /// The type of a shape's member.
  private enum Field {
    case integer
    case number
    case property(LottieValue)
    /// An angle that rlottie applies twice.
    case halved
  }

  /// The members of each type of shape that rlottie draws, with the names of the Lottie
  /// specification.
  private static let fields: [String: [(LottieKey, Field)]] = {
    let stroke: [(LottieKey, Field)] = [
      (.w, .property(.scalar)), (.lc, .integer), (.lj, .integer), (.ml, .number),
    ]
    let gradient: [(LottieKey, Field)] = [
      (.t, .integer), (.o, .property(.scalar)), (.s, .property(.vector)), (.e, .property(.vector)),
      (.h, .property(.scalar)), (.a, .property(.scalar)),
    ]
    let paint: [(LottieKey, Field)] = [(.c, .property(.vector)), (.o, .property(.scalar))]
    return [
      // Rectangle
      "rc": [
        (.d, .integer), (.p, .property(.vector)), (.s, .property(.vector)),
        (.r, .property(.scalar)),
      ],
      // Ellipse
      "el": [(.d, .integer), (.p, .property(.vector)), (.s, .property(.vector))],
      // Path
      "sh": [(.d, .integer), (.ks, .property(.path))],
      // Star or polygon
      "sr": [
        (.sy, .integer), (.d, .integer), (.p, .property(.vector)), (.pt, .property(.scalar)),
        (.ir, .property(.scalar)), (.is, .property(.scalar)), (.or, .property(.scalar)),
        (.os, .property(.scalar)), (.r, .halved),
      ],
      // Fill and stroke
      "fl": paint + [(.r, .integer)],
      "st": paint + stroke,
      // Fill and stroke with a gradient
      "gf": gradient + [(.r, .integer)],
      "gs": gradient + stroke,
      // Trim path
      "tm": [
        (.s, .property(.scalar)), (.e, .property(.scalar)), (.o, .property(.scalar)),
      ],
      // Repeater
      "rp": [(.c, .property(.scalar)), (.o, .property(.scalar))],
    ]
  }()

  mutating func writeShapes(_ nodes: [Node]) throws(DecodingError) {
    for node in nodes where index.kind(of: node) == .object {
      let members = LottieMembers(of: node, in: index)
      guard let kind = members[.ty].flatMap(index.text(of:)), !isTrue(members[.hd]) else {
        continue
      }
      try attempt { (normaliser: inout Self) throws(DecodingError) in
        normaliser.separate()
        return try normaliser.writeShape(kind, members)
      }
    }
  }

  /// Writes a shape; false if it cannot be drawn.
  private mutating func writeShape(_ kind: String, _ members: LottieMembers) throws(DecodingError)
    -> Bool
  {
    if kind == "gr" { return try writeGroup(members) }
    guard let fields = Self.fields[kind] else {
      noteLack(kind, members)
      return false
    }
    writeRaw("{\"ty\":\"\(kind)\"")
    for (key, field) in fields {
      switch field {
      case .integer: writeInteger(key, members[key])
      case .number: writeNumber(key, members[key])
      case .property(let value): try writeProperty(key, members[key], value)
      case .halved: try writeProperty(key, members[key], .scalar, factor: 0.5)
      }
    }
    switch kind {
    case "gf", "gs":
      guard try writeGradient(members[.g]) else { return false }
      if kind == "gs" { try writeDashes(members[.d]) }
    case "st": try writeDashes(members[.d])
    case "tm":
      // rlottie trims all of a path without an end, and knows no other modes than 1 and 2.
      if members[.e] == nil { writeRaw(",\"e\":{\"k\":100}") }
      writeRaw(",\"m\":\(integer(of: members[.m]) == 2 ? 2 : 1)")
    case "rp": try writeRepeaterTransform(members[.tr])
    default: break
    }
    writeRaw("}")
    return true
  }

  /// Writes a group. Its transform comes last and must be there: without one rlottie takes the group
  /// for a still one and does not animate what is in it.
  private mutating func writeGroup(_ members: LottieMembers) throws(DecodingError) -> Bool {
    guard let items = members[.it], index.kind(of: items) == .array else { return false }
    var own: Node?
    var others: [Node] = []
    for item in elements(of: items) {
      let kind = member(.ty, of: item).flatMap(index.text(of:))
      if kind == "tr" { own = item } else { others.append(item) }
    }
    writeRaw("{\"ty\":\"gr\",\"it\":[")
    try writeShapes(others)
    separate()
    writeRaw("{\"ty\":\"tr\"")
    try writeTransform(own, isTurnedInSpace: false)
    writeRaw("}]}")
    return true
  }

  private mutating func noteLack(_ kind: String, _ members: LottieMembers) {
    switch kind {
    case "rd": if everDiffers(members[.r], from: 0) { lacks.insert(.roundCorners) }
    case "pb": if everDiffers(members[.a], from: 0) { lacks.insert(.pucker) }
    case "op": if everDiffers(members[.a], from: 0) { lacks.insert(.offsetPaths) }
    case "zz": if everDiffers(members[.s], from: 0) { lacks.insert(.zigZags) }
    case "tw": if everDiffers(members[.a], from: 0) { lacks.insert(.twists) }
    // A single fill of several paths already gives the merged and the added shape.
    case "mm": if (integer(of: members[.mm]) ?? 1) > 2 { lacks.insert(.mergedPaths) }
    default: break
    }
  }

  // MARK: Transforms

  /// Whether a layer rotates in three dimensions: if it has `rx`, `ry` or `rz`, whatever its `ddd`
  /// says. With `ddd` rlottie reads the rotation from `rz` instead of `r`.
  func turnsInSpace(_ node: Node?) -> Bool {
    guard let node else { return false }
    let members = LottieMembers(of: node, in: index)
    return members[.rx] != nil || members[.ry] != nil || members[.rz] != nil
  }

  /// Writes the members of a transform.
  mutating func writeTransform(_ node: Node?, isTurnedInSpace: Bool) throws(DecodingError) {
    guard let node else { return }
    let members = LottieMembers(of: node, in: index)
    try writeProperty(.a, members[.a], .vector)
    try writePosition(members[.p])
    try writeProperty(.s, members[.s], .vector)
    try writeProperty(.o, members[.o], .scalar)
    if isTurnedInSpace {
      try writeProperty(.rx, members[.rx], .scalar)
      try writeProperty(.ry, members[.ry], .scalar)
      try writeProperty(.rz, members[.rz] ?? members[.r], .scalar)
    } else {
      try writeProperty(.r, members[.r], .scalar)
    }
    if everDiffers(members[.sk], from: 0) { lacks.insert(.skew) }
  }

  /// Writes a position. It may be given as separate coordinates; rlottie reads them only after `s`.
  private mutating func writePosition(_ node: Node?) throws(DecodingError) {
    guard let node else { return }
    let members = LottieMembers(of: node, in: index)
    // The value of a slot (`sid`) is not split.
    let isSplit = isTrue(members[.s]) || (members[.k] == nil && members[.sid] == nil)
    guard isSplit, members[.x] != nil || members[.y] != nil else {
      return try writeProperty(.p, node, .vector)
    }
    writeName(.p)
    writeRaw("{\"s\":true")
    try writeProperty(.x, members[.x], .scalar)
    try writeProperty(.y, members[.y], .scalar)
    writeRaw("}")
  }

  private mutating func writeRepeaterTransform(_ node: Node?) throws(DecodingError) {
    guard let node else { return }
    let members = LottieMembers(of: node, in: index)
    writeName(.tr)
    writeRaw("{")
    for key in [.a, .p, .s] as [LottieKey] { try writeProperty(key, members[key], .vector) }
    for key in [.r, .so, .eo] as [LottieKey] { try writeProperty(key, members[key], .scalar) }
    writeRaw("}")
  }

  // MARK: Dashes

  /// Writes dashes and gaps alternately, and then the offset: rlottie takes the last number for the
  /// offset, whatever its name is.
  private mutating func writeDashes(_ node: Node?) throws(DecodingError) {
    var lengths: [Node] = []
    var offset: Node?
    for element in elements(of: node) {
      let members = LottieMembers(of: element, in: index)
      guard let value = members[.v] else { continue }
      if members[.n].flatMap(index.text(of:)) == "o" {
        offset = value
      } else {
        lengths.append(value)
      }
    }
    // Without lengths the line is solid.
    guard let last = lengths.last, lengths.contains(where: { everDiffers($0, from: 0) }) else {
      return
    }
    // As rlottie itself does.
    if !lengths.count.isMultiple(of: 2) { lengths.append(last) }
    writeName(.d)
    writeRaw("[")
    for length in lengths { try writeDash(length) }
    try writeDash(offset)
    writeRaw("]")
  }

  /// Writes a length or an offset; 0 if it cannot be written.
  private mutating func writeDash(_ node: Node?) throws(DecodingError) {
    separate()
    writeRaw("{")
    let start = out.count
    try writeProperty(.v, node, .scalar)
    if out.count == start { writeRaw("\"v\":{\"k\":0}") }
    writeRaw("}")
  }
}
