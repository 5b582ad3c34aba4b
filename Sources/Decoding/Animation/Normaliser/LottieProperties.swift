import JSONText

/// The type of a property's value.
enum LottieValue {
  case scalar
  /// Two or more numbers: a point, a size, a colour.
  case vector
  case path
  /// A number that rlottie reads only as key frames.
  case moment
  case gradient(LottieGradient)
}

/// Properties: constant values, or values with key frames.
extension LottieNormaliser {
  /// Writes a property, scalars multiplied by a factor; nothing if it has no value of that type.
  mutating func property(
    _ key: LottieKey, _ place: Int?, _ kind: LottieValue, factor: Double = 1
  ) throws(DecodingError) {
    guard let place else { return }
    try attempt(key) { (normaliser: inout Self) throws(DecodingError) in
      try normaliser.writeProperty(place, kind, factor)
    }
  }

  mutating func writeProperty(
    _ place: Int, _ kind: LottieValue, _ factor: Double = 1
  ) throws(DecodingError) -> Bool {
    guard let content = content(of: place) else { return false }
    try checkLength()
    raw("{\"k\":")
    guard writeContent(content, kind, factor) else { return false }
    raw("}")
    return true
  }

  /// The value of a property or its key frames: from `k`, from its slot, or a bare value.
  mutating func content(of place: Int) -> Int? {
    guard index.kind(at: place) == .object else { return place }
    var members = LottieMembers(of: place, in: index)
    if let name = members[.sid], let value = slot(named: name) {
      members = LottieMembers(of: value, in: index)
    }
    if let code = members[.x], index.kind(at: code) == .string { lacks.insert(.expressions) }
    return members[.k]
  }

  /// Whether a property ever differs from a value.
  func isOther(_ place: Int?, than usual: Double) -> Bool {
    guard let place else { return false }
    guard index.kind(at: place) == .object else {
      return value(at: place).map { $0 != usual } ?? false
    }
    guard let content = LottieMembers(of: place, in: index)[.k] else { return false }
    if let value = value(at: content) { return value != usual }
    return elements(of: content).contains { value(at: $0) != usual }
  }

  private mutating func writeContent(
    _ place: Int, _ kind: LottieValue, _ factor: Double
  ) -> Bool {
    var value = place
    if let frames = keyframes(at: place, kind) {
      if frames.count > 1 { return write(keyframes: frames, kind, factor) }
      let only = LottieMembers(of: frames[0], in: index)
      guard let content = only[.s] ?? only[.e] else { return false }
      value = content
    }
    guard case .moment = kind else { return write(value, kind, factor) }
    // A constant moment, written as one key frame that holds it.
    raw("[{\"t\":0,\"h\":1,\"s\":[")
    guard write(value, .scalar, 1) else { return false }
    raw("]}]")
    return true
  }

  /// The key frames in a property's `k`; nil if it is a value.
  func keyframes(at place: Int, _ kind: LottieValue) -> [Int]? {
    guard index.kind(at: place) == .array, let first = index.inside(place).first,
      index.kind(at: first) == .object
    else { return nil }
    if case .path = kind {
      if member(.v, of: first) != nil, member(.t, of: first) == nil { return nil }
    }
    let frames = elements(of: place).filter {
      member(.t, of: $0).flatMap(value(at:))?.isFinite ?? false
    }
    return frames.isEmpty ? nil : frames
  }

  // MARK: Key frames

  private mutating func write(
    keyframes frames: [Int], _ kind: LottieValue, _ factor: Double
  ) -> Bool {
    raw("[")
    var next = LottieMembers(of: frames[0], in: index)
    var former: Int?
    for position in frames.indices {
      let frame = next
      let isLast = position == frames.count - 1
      if !isLast { next = LottieMembers(of: frames[position + 1], in: index) }
      separate()
      raw("{")
      number(.t, frame[.t])
      let isHeld = isTrue(frame[.h])
      // A frame without a value keeps the former one.
      let start = isLast && !isHeld ? frame[.s] : frame[.s] ?? former
      attempt(.s) { $0.write(frame: start, kind, factor) }
      if isHeld {
        name(.h)
        raw("1")
      } else if !isLast {
        let end = frame[.e] ?? (next[.s] == nil ? start : nil)
        attempt(.e) { $0.write(frame: end, kind, factor) }
        writeCourse(frame, kind)
      }
      raw("}")
      former = frame[.e] ?? start
    }
    raw("]")
    return true
  }

  /// Writes a value as in key frames: in an array, except points and gradients, which already are one.
  private mutating func write(
    frame place: Int?, _ kind: LottieValue, _ factor: Double
  ) -> Bool {
    guard let place else { return false }
    switch kind {
    case .scalar, .moment, .path:
      raw("[")
      guard write(place, kind, factor) else { return false }
      raw("]")
      return true
    case .vector, .gradient: return write(place, kind, factor)
    }
  }

  /// Writes the easing from this frame to the next.
  private mutating func writeCourse(_ frame: LottieMembers, _ kind: LottieValue) {
    // Without curves the easing is linear.
    for (key, usual) in [(.i, "1"), (.o, "0")] as [(LottieKey, String)] {
      name(key)
      let curve = frame[key].map { LottieMembers(of: $0, in: index) }
      if let x = curve?[.x].flatMap(firstNumber(at:)), let y = curve?[.y].flatMap(firstNumber(at:))
      {
        raw("{\"x\":")
        copy(x)
        raw(",\"y\":")
        copy(y)
        raw("}")
      } else {
        raw("{\"x\":\(usual),\"y\":\(usual)}")
      }
    }
    if let place = frame[.n] {
      let first = index.kind(at: place) == .array ? elements(of: place).first : place
      if let first, index.kind(at: first) == .string, isPlain(first) {
        name(.n)
        copy(first)
      }
    }
    guard case .vector = kind else { return }
    for key in [.ti, .to] as [LottieKey] {
      guard let place = frame[key], index.kind(at: place) == .array, areNumbers(place) else {
        continue
      }
      name(key)
      copy(place)
    }
  }

  /// The place of a number, or of the first one in an array.
  private func firstNumber(at place: Int) -> Int? {
    guard index.kind(at: place) == .array else {
      return index.kind(at: place) == .number ? place : nil
    }
    let inside = index.inside(place)
    guard let first = inside.first, index.kind(at: first) == .number else { return nil }
    return first
  }

  /// Whether a string is ASCII and needs no escapes.
  func isPlain(_ place: Int) -> Bool {
    !index.hasEscape(at: place)
      && index.bytes[index.range(of: place)].allSatisfy { (0x20..<0x7F).contains($0) }
  }

  // MARK: Values

  private func areNumbers(_ place: Int) -> Bool {
    index.inside(place).allSatisfy { index.kind(at: $0) == .number }
  }

  /// Writes a value; false if it is invalid, of which a part may have been written.
  private mutating func write(_ place: Int, _ kind: LottieValue, _ factor: Double) -> Bool {
    switch kind {
    case .scalar, .moment: return write(scalar: place, factor)
    case .vector: return write(vector: place)
    case .path: return write(path: place)
    case .gradient(let gradient): return write(gradient: place, gradient)
    }
  }

  private mutating func write(scalar place: Int, _ factor: Double) -> Bool {
    if index.kind(at: place) == .array {
      guard let first = index.inside(place).first, index.kind(at: first) != .array else {
        return false
      }
      return write(scalar: first, factor)
    }
    guard factor != 1 else { return writeNumber(at: place) }
    guard let value = value(at: place), value.isFinite else { return false }
    write(value * factor)
    return true
  }

  private mutating func write(vector place: Int) -> Bool {
    guard index.kind(at: place) == .array else {
      // One number stands for both.
      raw("[")
      let start = out.count
      guard writeNumber(at: place) else { return false }
      let number = out[start...]
      raw(",")
      out += number
      raw("]")
      return true
    }
    let inside = index.inside(place)
    guard let first = inside.first else { return false }
    if inside.count == 1 {
      return index.kind(at: first) == .array ? false : write(vector: first)
    }
    if areNumbers(place) {
      copy(place)
      return true
    }
    raw("[")
    for element in elements(of: place) {
      separate()
      if !writeNumber(at: element) { raw("0") }
    }
    raw("]")
    return true
  }

  // MARK: Paths

  private mutating func write(path place: Int) -> Bool {
    if index.kind(at: place) == .array {
      guard let first = index.inside(place).first, index.kind(at: first) == .object else {
        return false
      }
      return write(path: first)
    }
    let members = LottieMembers(of: place, in: index)
    guard let corners = members[.v], index.kind(at: corners) == .array else { return false }
    let known = pointCount(corners)
    let places = known == nil ? elements(of: corners) : []
    guard places.allSatisfy({ index.inside($0).count >= 2 }) else { return false }
    let count = known ?? places.count
    raw("{")
    for key in [.i, .o, .v] as [LottieKey] {
      name(key)
      if let place = members[key], known != nil, pointCount(place) == count {
        copy(place)
      } else {
        write(points: elements(of: members[key]), count: count)
      }
    }
    raw(",\"c\":\(isTrue(members[.c]))}")
    return true
  }

  /// The number of points in an array; nil if some element is not a point.
  private func pointCount(_ place: Int) -> Int? {
    guard index.kind(at: place) == .array else { return nil }
    let inside = index.inside(place)
    var count = 0
    var next = inside.lowerBound
    while next < inside.upperBound {
      let point = index.inside(next)
      guard index.kind(at: next) == .array, point.count >= 2,
        point.allSatisfy({ index.kind(at: $0) == .number })
      else { return nil }
      count += 1
      next = point.upperBound
    }
    return count
  }

  /// Writes so many points; an invalid one becomes the origin.
  private mutating func write(points: [Int], count: Int) {
    raw("[")
    for position in 0..<count {
      separate()
      let parts = position < points.count ? elements(of: points[position]) : []
      raw("[")
      for part in 0..<2 {
        separate()
        if part >= parts.count || !writeNumber(at: parts[part]) { raw("0") }
      }
      raw("]")
    }
    raw("]")
  }
}
