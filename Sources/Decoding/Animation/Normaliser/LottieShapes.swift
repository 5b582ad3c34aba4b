import JSONText

/// Shapes, fills and strokes.
extension LottieNormaliser {
  /// The type of a shape's member.
  private enum Field {
    case whole
    case number
    case property(LottieValue)
    /// An angle that rlottie applies twice.
    case halved
  }

  /// The members of each type of shape that rlottie draws.
  private static let fields: [String: [(LottieKey, Field)]] = {
    let stroke: [(LottieKey, Field)] = [
      (.w, .property(.scalar)), (.lc, .whole), (.lj, .whole), (.ml, .number),
    ]
    let gradient: [(LottieKey, Field)] = [
      (.t, .whole), (.o, .property(.scalar)), (.s, .property(.vector)), (.e, .property(.vector)),
      (.h, .property(.scalar)), (.a, .property(.scalar)),
    ]
    let paint: [(LottieKey, Field)] = [(.c, .property(.vector)), (.o, .property(.scalar))]
    return [
      "rc": [
        (.d, .whole), (.p, .property(.vector)), (.s, .property(.vector)), (.r, .property(.scalar)),
      ],
      "el": [(.d, .whole), (.p, .property(.vector)), (.s, .property(.vector))],
      "sh": [(.d, .whole), (.ks, .property(.path))],
      "sr": [
        (.sy, .whole), (.d, .whole), (.p, .property(.vector)), (.pt, .property(.scalar)),
        (.ir, .property(.scalar)), (.is, .property(.scalar)), (.or, .property(.scalar)),
        (.os, .property(.scalar)), (.r, .halved),
      ],
      "fl": paint + [(.r, .whole)],
      "st": paint + stroke,
      "gf": gradient + [(.r, .whole)],
      "gs": gradient + stroke,
      "tm": [
        (.s, .property(.scalar)), (.e, .property(.scalar)), (.o, .property(.scalar)),
      ],
      "rp": [(.c, .property(.scalar)), (.o, .property(.scalar))],
    ]
  }()

  mutating func shapes(_ places: [Int]) throws(DecodingError) {
    for place in places where index.kind(at: place) == .object {
      let members = LottieMembers(of: place, in: index)
      guard let kind = members[.ty].flatMap(index.text(of:)), !isTrue(members[.hd]) else {
        continue
      }
      let start = out.count
      separate()
      if try !shape(kind, members) { out.removeSubrange(start...) }
    }
  }

  /// Writes a shape; false if it cannot be drawn.
  private mutating func shape(_ kind: String, _ members: LottieMembers) throws(DecodingError)
    -> Bool
  {
    if kind == "gr" { return try group(members) }
    guard let fields = Self.fields[kind] else {
      noteLack(kind, members)
      return false
    }
    raw("{\"ty\":\"\(kind)\"")
    for (key, field) in fields {
      switch field {
      case .whole: wholeNumber(key, members[key])
      case .number: number(key, members[key])
      case .property(let value): try property(key, members[key], value)
      case .halved: try property(key, members[key], .scalar, factor: 0.5)
      }
    }
    switch kind {
    case "gf", "gs":
      guard try gradient(members[.g]) else { return false }
      if kind == "gs" { try dashes(members[.d]) }
    case "st": try dashes(members[.d])
    case "tm":
      if members[.e] == nil { raw(",\"e\":{\"k\":100}") }
      raw(",\"m\":\(wholeNumber(members[.m]) == 2 ? 2 : 1)")
    case "rp": try repeaterTransform(members[.tr])
    default: break
    }
    raw("}")
    return true
  }

  /// Writes a group. Its transform comes last and must be there: without one rlottie takes the group
  /// for a still one.
  private mutating func group(_ members: LottieMembers) throws(DecodingError) -> Bool {
    guard let items = members[.it], index.kind(at: items) == .array else { return false }
    var own: Int?
    var others: [Int] = []
    for item in elements(of: items) {
      let kind = member(.ty, of: item).flatMap(index.text(of:))
      if kind == "tr" { own = item } else { others.append(item) }
    }
    raw("{\"ty\":\"gr\",\"it\":[")
    try shapes(others)
    separate()
    raw("{\"ty\":\"tr\"")
    try transform(own, isTurnedInSpace: false)
    raw("}]}")
    return true
  }

  private mutating func noteLack(_ kind: String, _ members: LottieMembers) {
    switch kind {
    case "rd": if isOther(members[.r], than: 0) { lacks.insert(.roundCorners) }
    case "pb": if isOther(members[.a], than: 0) { lacks.insert(.pucker) }
    case "op": if isOther(members[.a], than: 0) { lacks.insert(.offsetPaths) }
    case "zz": if isOther(members[.s], than: 0) { lacks.insert(.zigZags) }
    case "tw": if isOther(members[.a], than: 0) { lacks.insert(.twists) }
    // A single fill of several paths already gives the merged and the added shape.
    case "mm": if wholeNumber(members[.mm]) ?? 1 > 2 { lacks.insert(.mergedPaths) }
    default: break
    }
  }

  // MARK: Transforms

  /// Whether a layer rotates in three dimensions. Without `rx` it does not, whatever its `ddd` says:
  /// rlottie would look for its rotation under another name.
  func turnsInSpace(_ place: Int?) -> Bool {
    guard let place else { return false }
    let members = LottieMembers(of: place, in: index)
    return members[.rx] != nil || members[.ry] != nil || members[.rz] != nil
  }

  /// Writes the members of a transform.
  mutating func transform(_ place: Int?, isTurnedInSpace: Bool) throws(DecodingError) {
    guard let place else { return }
    let members = LottieMembers(of: place, in: index)
    try property(.a, members[.a], .vector)
    try position(members[.p])
    try property(.s, members[.s], .vector)
    try property(.o, members[.o], .scalar)
    if isTurnedInSpace {
      try property(.rx, members[.rx], .scalar)
      try property(.ry, members[.ry], .scalar)
      try property(.rz, members[.rz] ?? members[.r], .scalar)
    } else {
      try property(.r, members[.r], .scalar)
    }
    if isOther(members[.sk], than: 0) { lacks.insert(.skew) }
  }

  /// Writes a position. It may be given as separate coordinates, which rlottie needs to know first.
  private mutating func position(_ place: Int?) throws(DecodingError) {
    guard let place else { return }
    let members = LottieMembers(of: place, in: index)
    let isSplit = isTrue(members[.s]) || members[.k] == nil && members[.sid] == nil
    guard isSplit, members[.x] != nil || members[.y] != nil else {
      return try property(.p, place, .vector)
    }
    name(.p)
    raw("{\"s\":true")
    try property(.x, members[.x], .scalar)
    try property(.y, members[.y], .scalar)
    raw("}")
  }

  private mutating func repeaterTransform(_ place: Int?) throws(DecodingError) {
    guard let place else { return }
    let members = LottieMembers(of: place, in: index)
    name(.tr)
    raw("{")
    for key in [.a, .p, .s] as [LottieKey] { try property(key, members[key], .vector) }
    for key in [.r, .so, .eo] as [LottieKey] { try property(key, members[key], .scalar) }
    raw("}")
  }

  // MARK: Dashes

  /// Writes dashes and gaps alternately, and then the offset: rlottie takes the last number for the
  /// offset, whatever its name is.
  private mutating func dashes(_ place: Int?) throws(DecodingError) {
    var lengths: [Int] = []
    var offset: Int?
    for element in elements(of: place) {
      let members = LottieMembers(of: element, in: index)
      guard let value = members[.v] else { continue }
      if members[.n].flatMap(index.text(of:)) == "o" {
        offset = value
      } else {
        lengths.append(value)
      }
    }
    // Without lengths the line is solid.
    guard let last = lengths.last, lengths.contains(where: { isOther($0, than: 0) }) else { return }
    if !lengths.count.isMultiple(of: 2) { lengths.append(last) }
    name(.d)
    raw("[")
    for value in lengths + [offset] {
      separate()
      raw("{")
      let start = out.count
      try property(.v, value, .scalar)
      if out.count == start { raw("\"v\":{\"k\":0}") }
      raw("}")
    }
    raw("]")
  }
}
