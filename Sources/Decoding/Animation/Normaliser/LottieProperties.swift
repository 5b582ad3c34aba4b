import JSONText

/// The type of a property's value.
enum LottieValue {
  case scalar
  /// Two or more numbers: a point, a size, a colour.
  case vector
  case path
  /// A number that rlottie reads only as key frames.
  case moment
  case gradient(GradientPlan)

  var isPath: Bool { if case .path = self { true } else { false } }
}

/// Properties: constant values, or values with key frames.
extension LottieNormaliser {
  /// Writes a property, scalars multiplied by a factor; nothing if it has no value of that type.
  mutating func writeProperty(
    _ key: LottieKey, _ node: Node?, _ kind: LottieValue, factor: Double = 1
  ) throws(DecodingError) {
    guard let node else { return }
    try attempt(key) { (normaliser: inout Self) throws(DecodingError) in
      try normaliser.writePropertyValue(node, kind, factor)
    }
  }

  mutating func writePropertyValue(
    _ node: Node, _ kind: LottieValue, _ factor: Double = 1
  ) throws(DecodingError) -> Bool {
    guard let content = content(of: node) else { return false }
    try checkLength()
    writeRaw("{\"k\":")
    guard writeContent(content, kind, factor) else { return false }
    writeRaw("}")
    return true
  }

  /// The value of a property or its key frames: from `k`, from its slot, or a bare value.
  mutating func content(of node: Node) -> Node? {
    guard index.kind(of: node) == .object else { return node }
    var members = LottieMembers(of: node, in: index)
    if let name = members[.sid], let value = slot(named: name) {
      members = LottieMembers(of: value, in: index)
    }
    if let code = members[.x], index.kind(of: code) == .string { lacks.insert(.expressions) }
    return members[.k]
  }

  /// Whether a property ever differs from a value.
  func everDiffers(_ node: Node?, from usual: Double) -> Bool {
    guard let node else { return false }
    guard index.kind(of: node) == .object else {
      return double(of: node).map { $0 != usual } ?? false
    }
    guard let content = LottieMembers(of: node, in: index)[.k] else { return false }
    if let value = double(of: content) { return value != usual }
    return elements(of: content).contains { double(of: $0) != usual }
  }

  private mutating func writeContent(
    _ node: Node, _ kind: LottieValue, _ factor: Double
  ) -> Bool {
    var value = node
    if let frames = keyframes(of: node, isPath: kind.isPath) {
      if frames.count > 1 { return write(keyframes: frames, kind, factor) }
      let only = LottieMembers(of: frames[0], in: index)
      guard let content = only[.s] ?? only[.e] else { return false }
      value = content
    }
    guard case .moment = kind else { return write(value, kind, factor) }
    // A constant moment, written as one key frame that holds it.
    writeRaw("[{\"t\":0,\"h\":1,\"s\":[")
    guard write(value, .scalar, 1) else { return false }
    writeRaw("]}]")
    return true
  }

  /// The key frames in a property's `k`; nil if it is a value.
  func keyframes(of node: Node, isPath: Bool) -> [Node]? {
    guard index.kind(of: node) == .array, let first = index.firstChild(of: node),
      index.kind(of: first) == .object
    else { return nil }
    if isPath, member(.v, of: first) != nil, member(.t, of: first) == nil { return nil }
    let frames = elements(of: node).filter {
      member(.t, of: $0).flatMap(double(of:))?.isFinite ?? false
    }
    return frames.isEmpty ? nil : frames
  }

  // MARK: Key frames

  private mutating func write(
    keyframes frames: [Node], _ kind: LottieValue, _ factor: Double
  ) -> Bool {
    writeRaw("[")
    var next = LottieMembers(of: frames[0], in: index)
    var former: Node?
    for position in frames.indices {
      let frame = next
      let isLast = position == frames.count - 1
      if !isLast { next = LottieMembers(of: frames[position + 1], in: index) }
      separate()
      writeRaw("{")
      writeNumber(.t, frame[.t])
      let isHeld = isTrue(frame[.h])
      // A frame without a value keeps the former one.
      let start = isLast && !isHeld ? frame[.s] : frame[.s] ?? former
      attempt(.s) { $0.write(frame: start, kind, factor) }
      if isHeld {
        writeName(.h)
        writeRaw("1")
      } else if !isLast {
        let end = frame[.e] ?? (next[.s] == nil ? start : nil)
        attempt(.e) { $0.write(frame: end, kind, factor) }
        writeCourse(frame, kind)
      }
      writeRaw("}")
      former = frame[.e] ?? start
    }
    writeRaw("]")
    return true
  }

  /// Writes a value as in key frames: in an array, except points and gradients, which already are one.
  private mutating func write(
    frame node: Node?, _ kind: LottieValue, _ factor: Double
  ) -> Bool {
    guard let node else { return false }
    switch kind {
    case .scalar, .moment, .path:
      writeRaw("[")
      guard write(node, kind, factor) else { return false }
      writeRaw("]")
      return true
    case .vector, .gradient: return write(node, kind, factor)
    }
  }

  /// Writes the easing from this frame to the next.
  private mutating func writeCourse(_ frame: LottieMembers, _ kind: LottieValue) {
    // Without curves the easing is linear.
    for (key, usual) in [(.i, "1"), (.o, "0")] as [(LottieKey, String)] {
      writeName(key)
      let curve = frame[key].map { LottieMembers(of: $0, in: index) }
      if let x = curve?[.x].flatMap(firstNumber(in:)), let y = curve?[.y].flatMap(firstNumber(in:))
      {
        writeRaw("{\"x\":")
        copy(x)
        writeRaw(",\"y\":")
        copy(y)
        writeRaw("}")
      } else {
        writeRaw("{\"x\":\(usual),\"y\":\(usual)}")
      }
    }
    if let node = frame[.n] {
      let first = index.kind(of: node) == .array ? elements(of: node).first : node
      if let first, index.kind(of: first) == .string, isPlain(first) {
        writeName(.n)
        copy(first)
      }
    }
    guard case .vector = kind else { return }
    for key in [.ti, .to] as [LottieKey] {
      guard let node = frame[key], index.kind(of: node) == .array, index.holdsOnlyNumbers(node)
      else {
        continue
      }
      writeName(key)
      copy(node)
    }
  }

  /// A number, or the first one in an array.
  private func firstNumber(in node: Node) -> Node? {
    let first = index.kind(of: node) == .array ? index.firstChild(of: node) : node
    guard let first, index.kind(of: first) == .number else { return nil }
    return first
  }

  /// Whether a string is ASCII and needs no escapes.
  func isPlain(_ node: Node) -> Bool {
    !index.hasEscape(in: node)
      && index.bytes[index.range(of: node)].allSatisfy { (0x20..<0x7F).contains($0) }
  }

  // MARK: Values

  /// Writes a value; false if it is invalid, of which a part may have been written.
  private mutating func write(_ node: Node, _ kind: LottieValue, _ factor: Double) -> Bool {
    switch kind {
    case .scalar, .moment: return write(scalar: node, factor)
    case .vector: return write(vector: node)
    case .path: return write(path: node)
    case .gradient(let plan): return writeStops(node, plan)
    }
  }

  private mutating func write(scalar node: Node, _ factor: Double) -> Bool {
    if index.kind(of: node) == .array {
      guard let first = index.firstChild(of: node), index.kind(of: first) != .array else {
        return false
      }
      return write(scalar: first, factor)
    }
    guard factor != 1 else { return writeNumber(node) }
    guard let value = double(of: node), value.isFinite else { return false }
    write(value * factor)
    return true
  }

  private mutating func write(vector node: Node) -> Bool {
    guard index.kind(of: node) == .array else {
      // One number stands for both.
      writeRaw("[")
      let start = out.count
      guard writeNumber(node) else { return false }
      let number = out[start...]
      writeRaw(",")
      out += number
      writeRaw("]")
      return true
    }
    guard let first = index.firstChild(of: node) else { return false }
    if index.descendantCount(of: node) == 1 {
      return index.kind(of: first) == .array ? false : write(vector: first)
    }
    if index.holdsOnlyNumbers(node) {
      copy(node)
      return true
    }
    writeRaw("[")
    for element in elements(of: node) {
      separate()
      if !writeNumber(element) { writeRaw("0") }
    }
    writeRaw("]")
    return true
  }

  // MARK: Paths

  private mutating func write(path node: Node) -> Bool {
    if index.kind(of: node) == .array {
      guard let first = index.firstChild(of: node), index.kind(of: first) == .object else {
        return false
      }
      return write(path: first)
    }
    let members = LottieMembers(of: node, in: index)
    guard let corners = members[.v], index.kind(of: corners) == .array else { return false }
    let known = pointCount(corners)
    let points = known == nil ? elements(of: corners) : []
    guard points.allSatisfy({ index.descendantCount(of: $0) >= 2 }) else { return false }
    let count = known ?? points.count
    writeRaw("{")
    for key in [.i, .o, .v] as [LottieKey] {
      writeName(key)
      if let node = members[key], known != nil, pointCount(node) == count {
        copy(node)
      } else {
        write(points: elements(of: members[key]), count: count)
      }
    }
    writeRaw(",\"c\":\(isTrue(members[.c]))}")
    return true
  }

  /// The number of points in an array; nil if some element is not a point.
  private func pointCount(_ node: Node) -> Int? {
    guard index.kind(of: node) == .array else { return nil }
    var count = 0
    for point in index.children(of: node) {
      guard index.kind(of: point) == .array, index.descendantCount(of: point) >= 2,
        index.holdsOnlyNumbers(point)
      else { return nil }
      count += 1
    }
    return count
  }

  /// Writes so many points; an invalid one becomes the origin.
  private mutating func write(points: [Node], count: Int) {
    writeRaw("[")
    for position in 0..<count {
      separate()
      let parts = position < points.count ? elements(of: points[position]) : []
      writeRaw("[")
      for part in 0..<2 {
        separate()
        if part >= parts.count || !writeNumber(parts[part]) { writeRaw("0") }
      }
      writeRaw("]")
    }
    writeRaw("]")
  }
}
