/// A complete control sequence (ECMA-48): the bytes between `ESC [` and the final byte.
struct ControlSequence {
  private let marker: UInt8?
  private let parameters: [Int]
  private let intermediates: [UInt8]
  private let final: UInt8

  init(_ bytes: [UInt8], final: UInt8) {
    var rest = bytes[...]
    if let first = rest.first, (0x3C...0x3F).contains(first) {
      marker = first
      rest.removeFirst()
    } else {
      marker = nil
    }
    let numbers = rest.prefix { (0x30...0x3B).contains($0) }
    parameters =
      numbers.isEmpty
      ? []
      : numbers.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map {
        Int(String(decoding: $0, as: UTF8.self)) ?? 0
      }
    intermediates = Array(rest.dropFirst(numbers.count))
    self.final = final
  }

  /// The events that it means; none where it is not known.
  var events: [InputEvent] {
    switch (marker, intermediates, final) {
    case (UInt8(ascii: "<"), [], UInt8(ascii: "M")), (UInt8(ascii: "<"), [], UInt8(ascii: "m")):
      guard parameters.count == 3 else { return [] }
      return Self.mouse(
        button: parameters[0], column: parameters[1], row: parameters[2],
        isRelease: final == UInt8(ascii: "m"))
    case (UInt8(ascii: "?"), [UInt8(ascii: "$")], UInt8(ascii: "y")):
      guard parameters.count == 2, parameters[0] == 2026 else { return [] }
      return [.synchronizedOutput((1...3).contains(parameters[1]))]
    case (nil, [], _):
      return plain.map { [$0] } ?? []
    default:
      return []
    }
  }

  /// A mouse report's event; row and column count from 1 as in the report.
  static func mouse(button: Int, column: Int, row: Int, isRelease: Bool) -> [InputEvent] {
    guard column >= 1, row >= 1, row <= 1 << 16, column <= 1 << 16 else { return [] }
    // Shift, Alt and Ctrl add 4, 8 and 16; bit 5 is a motion.
    switch button & ~0x1C {
    case 0:
      return isRelease
        ? [.release(row: row - 1, column: column - 1)] : [.press(row: row - 1, column: column - 1)]
    case 64: return isRelease ? [] : [.wheel(up: true)]
    case 65: return isRelease ? [] : [.wheel(up: false)]
    default: return []
    }
  }

  private var plain: InputEvent? {
    if final == UInt8(ascii: "~") { return Self.numbered(parameters).map { .key($0) } }
    guard parameters.isEmpty || parameters == [1] else { return nil }
    switch final {
    case UInt8(ascii: "A"): return .key(.up)
    case UInt8(ascii: "B"): return .key(.down)
    case UInt8(ascii: "C"): return .key(.right)
    case UInt8(ascii: "D"): return .key(.left)
    case UInt8(ascii: "F"): return .key(.end)
    case UInt8(ascii: "H"): return .key(.home)
    case UInt8(ascii: "Z"): return .key(.backTab)
    case UInt8(ascii: "P")...UInt8(ascii: "S"): return .key(.f(Int(final) - 0x4F))
    case UInt8(ascii: "I"): return .focus(true)
    case UInt8(ascii: "O"): return .focus(false)
    default: return nil
    }
  }

  /// The keys that send `CSI number ~`.
  private static func numbered(_ parameters: [Int]) -> Key? {
    guard parameters.count == 1 else { return nil }
    switch parameters[0] {
    case 1, 7: return .home
    case 4, 8: return .end
    case 5: return .pageUp
    case 6: return .pageDown
    case 11...15: return .f(parameters[0] - 10)
    case 17...21: return .f(parameters[0] - 11)
    case 23...24: return .f(parameters[0] - 12)
    default: return nil
    }
  }
}
