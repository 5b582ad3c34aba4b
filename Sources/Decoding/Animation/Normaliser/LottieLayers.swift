import JSONText

/// Layers, with their mattes and masks.
extension LottieNormaliser {
  /// The properties by which layers refer to each other.
  private struct Standing {
    let node: Node
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

  mutating func writeLayers(_ node: Node) throws(DecodingError) {
    let standings = elements(of: node).compactMap(standing(of:))
    guard Double(standings.count) <= LottieOutline.Limit.parts else { throw .tooComplex }
    var numbers: [Int: Int] = [:]
    for (position, layer) in standings.enumerated() {
      if let number = layer.number { numbers[number] = position }
    }
    writeRaw("[")
    for (position, layer) in standings.enumerated() {
      var role = Role()
      let source = layer.hasMatte ? layer.matte.map { numbers[$0] } ?? position - 1 : nil
      let isThere = source.map { $0 >= 0 && $0 != position } ?? false
      if layer.hasMatte, !isThere { role.dropsMatte = true }
      if let source, isThere {
        if standings[source].hasMatte { lacks.insert(.nestedMattes) }
        // rlottie uses the layer above as the matte, whichever it is, unless that has a matte itself.
        if source != position - 1 || standings[source].hasMatte {
          try writeLayer(standings[source].node, Role(dropsMatte: true, isCopy: true))
        }
      }
      role.isUnseen = layer.isMatte && !isMatteOfNext(standings, position)
      try writeLayer(layer.node, role)
    }
    writeRaw("]")
  }

  private func isMatteOfNext(_ standings: [Standing], _ position: Int) -> Bool {
    guard position + 1 < standings.count, !standings[position].hasMatte else { return false }
    let next = standings[position + 1]
    return next.hasMatte && (next.matte == nil || next.matte == standings[position].number)
  }

  private func standing(of node: Node) -> Standing? {
    guard index.kind(of: node) == .object else { return nil }
    let members = LottieMembers(of: node, in: index)
    return Standing(
      node: node, number: integer(of: members[.ind]), isMatte: isTrue(members[.td]),
      hasMatte: (1...4).contains(integer(of: members[.tt]) ?? 0), matte: integer(of: members[.tp]))
  }

  // MARK: One layer

  /// The types that rlottie draws: compositions, colours, pictures, nulls, shapes.
  private static let drawn = 0...4

  private mutating func writeLayer(_ node: Node, _ role: Role) throws(DecodingError) {
    try checkLength()
    let members = LottieMembers(of: node, in: index)
    var kind = integer(of: members[.ty]) ?? 3
    let isSeen = !role.isUnseen && !isTrue(members[.hd])
    if isSeen { noteLacks(of: members, kind: kind) }
    // Written as a null layer, which is not drawn, but may have children.
    if !isSeen || !Self.drawn.contains(kind) { kind = 3 }
    let hasMatte = !role.dropsMatte && (1...4).contains(integer(of: members[.tt]) ?? 0)
    var picture: [UInt8]?
    if kind == 2, hasMatte {
      // rlottie does not draw a single picture with a matte, but it draws a composition that contains
      // it.
      picture = members[.refId].flatMap(reference(to:))
      kind = 0
    }
    separate()
    let isTurnedInSpace = turnsInSpace(members[.ks])
    writeRaw("{\"ddd\":\(isTurnedInSpace ? 1 : 0),\"ty\":\(kind)")
    if !role.isCopy { writeInteger(.ind, members[.ind]) }
    // rlottie does not draw a layer that is its own parent.
    let parent = integer(of: members[.parent])
    if role.isCopy || parent != integer(of: members[.ind]) {
      writeInteger(.parent, members[.parent])
    }
    writeName(.ks)
    writeRaw("{")
    try writeTransform(members[.ks], isTurnedInSpace: isTurnedInSpace)
    writeRaw("}")
    writeTimes(members, isWrapped: picture != nil)
    writeInteger(.ao, members[.ao])
    if hasMatte { writeInteger(.tt, members[.tt]) }
    try writeMasks(members)
    switch kind {
    case 0 where picture != nil:
      writeRaw(",\"refId\":\"wrapped\(wrapped.count)\"")
      wrapped.append(picture ?? [])
    case 0: try writeCompositionLayer(members)
    case 1: writeColourLayer(members)
    case 2: writeReference(members)
    case 4: try writeShapeLayer(members, hasMatte: hasMatte)
    default: break
    }
    writeRaw("}")
  }

  private mutating func writeTimes(_ members: LottieMembers, isWrapped: Bool) {
    // A layer without times lasts for the whole animation.
    for (key, usual) in [(.ip, -Self.far), (.op, Self.far)] as [(LottieKey, Int)] {
      let length = out.count
      writeNumber(key, members[key])
      if out.count == length {
        writeName(key)
        writeRaw(String(usual))
      }
    }
    if isWrapped { return }
    writeNumber(.st, members[.st])
    if let stretch = members[.sr].flatMap(double(of:)), stretch != 0 {
      writeNumber(.sr, members[.sr])
    }
  }

  private mutating func writeReference(_ members: LottieMembers) {
    guard let reference = members[.refId].flatMap(reference(to:)) else { return }
    writeName(.refId)
    writeRaw("\"")
    out += reference
    writeRaw("\"")
  }

  private mutating func writeCompositionLayer(_ members: LottieMembers) throws(DecodingError) {
    writeReference(members)
    writeInteger(.w, members[.w])
    writeInteger(.h, members[.h])
    try writeProperty(.tm, members[.tm], .moment)
  }

  private mutating func writeColourLayer(_ members: LottieMembers) {
    writeInteger(.sw, members[.sw])
    writeInteger(.sh, members[.sh])
    guard let colour = members[.sc], index.kind(of: colour) == .string,
      var digits = index.text(of: colour)?.utf8.dropFirst().map({ $0 })
    else { return }
    // As in CSS: one digit for each channel, or an alpha at the end.
    if digits.count < 6 { digits = digits.flatMap { [$0, $0] } }
    guard digits.count >= 6,
      digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit && $0 < 0x80 })
    else { return }
    writeName(.sc)
    writeRaw("\"#")
    out += digits.prefix(6)
    writeRaw("\"")
  }

  private mutating func writeShapeLayer(
    _ members: LottieMembers, hasMatte: Bool
  ) throws(DecodingError) {
    writeName(.shapes)
    writeRaw("[")
    try writeShapes(elements(of: members[.shapes]))
    if hasMatte {
      // rlottie does not draw a single shape with a matte, but it draws two, even if the second is
      // empty.
      separate()
      writeRaw(
        "{\"ty\":\"gr\",\"it\":[{\"ty\":\"rc\",\"d\":1,\"p\":{\"k\":[0,0]},\"s\":{\"k\":[0,0]}},")
      writeRaw("{\"ty\":\"fl\",\"c\":{\"k\":[0,0,0]}},{\"ty\":\"tr\"}]}")
    }
    writeRaw("]")
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
    if integer(of: members[.bm]) ?? 0 != 0 { lacks.insert(.blendModes) }
    if !elements(of: members[.sy]).isEmpty { lacks.insert(.layerStyles) }
    for effect in elements(of: members[.ef]) {
      let effect = LottieMembers(of: effect, in: index)
      // Lower types are only controls for expressions.
      let isDrawn = integer(of: effect[.ty]) ?? 0 >= 20
      if isDrawn, effect[.en] == nil || isTrue(effect[.en]) { lacks.insert(.effects) }
    }
  }
}
