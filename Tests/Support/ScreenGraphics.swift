extension TerminalScreen {
  /// Select Graphic Rendition; false when a parameter is not known.
  mutating func selectGraphics(_ parameters: [ControlSequence.Parameter]) -> Bool {
    guard !parameters.isEmpty else {
      pen = ScreenPen()
      return true
    }
    var index = 0
    var known = true
    while index < parameters.count {
      let value = parameters[index].value ?? 0
      index += 1
      if value == 38 || value == 48 {
        guard let color = takeColor(parameters, &index) else { return false }
        if value == 38 { pen.foreground = color } else { pen.background = color }
      } else if !select(value) {
        known = false
      }
    }
    return known
  }

  private mutating func select(_ value: Int) -> Bool {
    switch value {
    case 0: pen = ScreenPen()
    case 1: pen.bold = true
    case 2: pen.dim = true
    case 3: pen.italic = true
    case 4, 21: pen.underlined = true
    case 5: pen.blinking = true
    case 7: pen.reversed = true
    case 8: pen.hidden = true
    case 9: pen.struckOut = true
    // The fonts of the Linux console.
    case 10, 11, 12: break
    case 22: (pen.bold, pen.dim) = (false, false)
    case 23: pen.italic = false
    case 24: pen.underlined = false
    case 25: pen.blinking = false
    case 27: pen.reversed = false
    case 28: pen.hidden = false
    case 29: pen.struckOut = false
    case 30...37: pen.foreground = .palette(UInt8(value - 30))
    case 39: pen.foreground = .standard
    case 40...47: pen.background = .palette(UInt8(value - 40))
    case 49: pen.background = .standard
    case 90...97: pen.foreground = .palette(UInt8(value - 90 + 8))
    case 100...107: pen.background = .palette(UInt8(value - 100 + 8))
    default: return false
    }
    return true
  }

  /// What follows 38 or 48: `5;n`, `2;r;g;b`, or the same with colons and perhaps a colour space.
  private func takeColor(
    _ parameters: [ControlSequence.Parameter], _ index: inout Int
  ) -> ScreenColor? {
    guard index < parameters.count else { return nil }
    let colons = parameters[index].continues
    let kind = parameters[index].value
    index += 1
    if colons {
      let end = parameters[index...].firstIndex { !$0.continues } ?? parameters.count
      defer { index = end }
      return color(kind, parameters[index..<end].map(\.value), skippingSpace: end - index > 3)
    }
    let count = kind == 5 ? 1 : 3
    guard index + count <= parameters.count else { return nil }
    defer { index += count }
    return color(kind, parameters[index..<index + count].map(\.value), skippingSpace: false)
  }

  private func color(_ kind: Int?, _ values: [Int?], skippingSpace: Bool) -> ScreenColor? {
    let numbers = values.dropFirst(skippingSpace ? 1 : 0).map { $0 ?? 0 }
    guard numbers.allSatisfy({ 0...255 ~= $0 }) else { return nil }
    switch (kind, numbers.count) {
    case (5, 1): return .palette(UInt8(numbers[0]))
    case (2, 3): return .rgb(UInt8(numbers[0]), UInt8(numbers[1]), UInt8(numbers[2]))
    default: return nil
    }
  }
}
