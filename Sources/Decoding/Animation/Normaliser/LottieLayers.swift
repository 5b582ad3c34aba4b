import JSONText

/// Layers, with their mattes and masks.
extension LottieNormaliser {
  /// The properties that decide a layer's place among the others.
  private struct Standing {
    let place: Int
    let number: Int?
    let isMatte: Bool
    let hasMatte: Bool
    /// The number of the layer that is its matte, if that need not be the one above.
    let matte: Int?
  }

  /// How a layer is written.
  private struct Role {
    /// It has no matte, or its matte was not found.
    var dropsMatte = false
    /// It is used only as a matte and not drawn itself; its children are.
    var isUnseen = false
    /// It is a copy that serves as another layer's matte; it has no children.
    var isCopy = false
  }

  mutating func layers(_ place: Int) throws(DecodingError) {
    let standings = elements(of: place).compactMap(standing(of:))
    guard Double(standings.count) <= LottieOutline.Limit.parts else { throw .tooComplex }
    var numbers: [Int: Int] = [:]
    for (position, layer) in standings.enumerated() {
      if let number = layer.number { numbers[number] = position }
    }
    raw("[")
    for (position, layer) in standings.enumerated() {
      var role = Role()
      let source = layer.hasMatte ? layer.matte.map { numbers[$0] } ?? position - 1 : nil
      let isThere = source.map { $0 >= 0 && $0 != position } ?? false
      if layer.hasMatte, !isThere { role.dropsMatte = true }
      if let source, isThere {
        if standings[source].hasMatte { lacks.insert(.nestedMattes) }
        // rlottie uses the layer above as the matte, whichever it is, unless that has a matte itself.
        if source != position - 1 || standings[source].hasMatte {
          try self.layer(standings[source].place, Role(dropsMatte: true, isCopy: true))
        }
      }
      role.isUnseen = layer.isMatte && !isMatteOfNext(standings, position)
      try self.layer(layer.place, role)
    }
    raw("]")
  }

  private func isMatteOfNext(_ standings: [Standing], _ position: Int) -> Bool {
    guard position + 1 < standings.count, !standings[position].hasMatte else { return false }
    let next = standings[position + 1]
    return next.hasMatte && (next.matte == nil || next.matte == standings[position].number)
  }

  private func standing(of place: Int) -> Standing? {
    guard index.kind(at: place) == .object else { return nil }
    let members = LottieMembers(of: place, in: index)
    return Standing(
      place: place, number: wholeNumber(members[.ind]), isMatte: isTrue(members[.td]),
      hasMatte: (1...4).contains(wholeNumber(members[.tt]) ?? 0), matte: wholeNumber(members[.tp]))
  }

  // MARK: One layer

  /// The types that rlottie draws: compositions, colours, pictures, nulls, shapes.
  private static let drawn = 0...4

  private mutating func layer(_ place: Int, _ role: Role) throws(DecodingError) {
    try checkLength()
    let members = LottieMembers(of: place, in: index)
    var kind = wholeNumber(members[.ty]) ?? 3
    let isSeen = !role.isUnseen && !isTrue(members[.hd])
    if isSeen { noteLacks(of: members, kind: kind) }
    // Written as a null layer, which is not drawn, but may have children.
    if !isSeen || !Self.drawn.contains(kind) { kind = 3 }
    let hasMatte = !role.dropsMatte && (1...4).contains(wholeNumber(members[.tt]) ?? 0)
    var picture: [UInt8]?
    if kind == 2, hasMatte {
      // rlottie does not draw a single picture with a matte, but it draws a composition that contains
      // it.
      picture = members[.refId].flatMap(reference(at:))
      kind = 0
    }
    separate()
    let isTurnedInSpace = turnsInSpace(members[.ks])
    raw("{\"ddd\":\(isTurnedInSpace ? 1 : 0),\"ty\":\(kind)")
    if !role.isCopy { wholeNumber(.ind, members[.ind]) }
    // rlottie does not draw a layer that is its own parent.
    let parent = wholeNumber(members[.parent])
    if role.isCopy || parent != wholeNumber(members[.ind]) {
      wholeNumber(.parent, members[.parent])
    }
    name(.ks)
    raw("{")
    try transform(members[.ks], isTurnedInSpace: isTurnedInSpace)
    raw("}")
    writeTimes(members, isWrapped: picture != nil)
    wholeNumber(.ao, members[.ao])
    if hasMatte { wholeNumber(.tt, members[.tt]) }
    try masks(members)
    switch kind {
    case 0 where picture != nil:
      raw(",\"refId\":\"wrapped\(wrapped.count)\"")
      wrapped.append(picture ?? [])
    case 0: try compositionLayer(members)
    case 1: colourLayer(members)
    case 2: refer(members)
    case 4: try shapeLayer(members, hasMatte: hasMatte)
    default: break
    }
    raw("}")
  }

  private mutating func writeTimes(_ members: LottieMembers, isWrapped: Bool) {
    // A layer without times lasts for the whole animation.
    for (key, usual) in [(.ip, -Self.far), (.op, Self.far)] as [(LottieKey, Int)] {
      let length = out.count
      number(key, members[key])
      if out.count == length {
        name(key)
        raw(String(usual))
      }
    }
    if isWrapped { return }
    number(.st, members[.st])
    if let stretch = members[.sr].flatMap(value(at:)), stretch != 0 { number(.sr, members[.sr]) }
  }

  private mutating func refer(_ members: LottieMembers) {
    guard let reference = members[.refId].flatMap(reference(at:)) else { return }
    name(.refId)
    raw("\"")
    out += reference
    raw("\"")
  }

  private mutating func compositionLayer(_ members: LottieMembers) throws(DecodingError) {
    refer(members)
    wholeNumber(.w, members[.w])
    wholeNumber(.h, members[.h])
    try property(.tm, members[.tm], .moment)
  }

  private mutating func colourLayer(_ members: LottieMembers) {
    wholeNumber(.sw, members[.sw])
    wholeNumber(.sh, members[.sh])
    guard let colour = members[.sc], index.kind(at: colour) == .string,
      var digits = index.text(of: colour)?.utf8.dropFirst().map({ $0 })
    else { return }
    // As in CSS: one digit for each channel, or an alpha at the end.
    if digits.count < 6 { digits = digits.flatMap { [$0, $0] } }
    guard digits.count >= 6,
      digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit && $0 < 0x80 })
    else { return }
    name(.sc)
    raw("\"#")
    out += digits.prefix(6)
    raw("\"")
  }

  private mutating func shapeLayer(
    _ members: LottieMembers, hasMatte: Bool
  ) throws(DecodingError) {
    name(.shapes)
    raw("[")
    try shapes(elements(of: members[.shapes]))
    if hasMatte {
      // rlottie does not draw a single shape with a matte, but it draws two, even if the second is
      // empty.
      separate()
      raw("{\"ty\":\"gr\",\"it\":[{\"ty\":\"rc\",\"d\":1,\"p\":{\"k\":[0,0]},\"s\":{\"k\":[0,0]}},")
      raw("{\"ty\":\"fl\",\"c\":{\"k\":[0,0,0]}},{\"ty\":\"tr\"}]}")
    }
    raw("]")
  }

  private mutating func noteLacks(of members: LottieMembers, kind: Int) {
    switch kind {
    case 5: lacks.insert(.texts)
    case 6: lacks.insert(.sounds)
    case 9: lacks.insert(.videos)
    case 13: lacks.insert(.cameras)
    default: break
    }
    guard kind != 3, kind != 13 else { return }
    if wholeNumber(members[.bm]) ?? 0 != 0 { lacks.insert(.blendModes) }
    if !elements(of: members[.sy]).isEmpty { lacks.insert(.layerStyles) }
    for effect in elements(of: members[.ef]) {
      let effect = LottieMembers(of: effect, in: index)
      // Lower types are only controls for expressions.
      let isDrawn = wholeNumber(effect[.ty]) ?? 0 >= 20
      if isDrawn, effect[.en] == nil || isTrue(effect[.en]) { lacks.insert(.effects) }
    }
  }
}
