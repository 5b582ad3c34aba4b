/// A JSON value to be written (RFC 8259); keys keep their order.
public indirect enum JSON: Sendable {
  case null
  case bool(Bool)
  case integer(Int)
  /// Not a number and infinities become null.
  case number(Double)
  case text(String)
  case array([JSON])
  case object([(String, JSON)])

  /// The value, or null where there is none.
  public static func optional(_ text: String?) -> JSON { text.map(JSON.text) ?? .null }
  /// The same for a number.
  public static func optional(_ number: Double?) -> JSON { number.map(JSON.number) ?? .null }
  /// The same for a whole number.
  public static func optional(_ number: Int?) -> JSON { number.map(JSON.integer) ?? .null }

  /// The value as text, indented by two spaces a level.
  public var description: String {
    var out = ""
    write(into: &out, indent: "")
    return out
  }

  private func write(into out: inout String, indent: String) {
    switch self {
    case .null: out += "null"
    case .bool(let value): out += value ? "true" : "false"
    case .integer(let value): out += "\(value)"
    case .number(let value): out += value.isFinite ? JSON.plain(value) : "null"
    case .text(let value): JSON.write(value, into: &out)
    case .array(let values):
      JSON.writeList(values, "[", "]", into: &out, indent: indent) { value, out, inner in
        value.write(into: &out, indent: inner)
      }
    case .object(let members):
      JSON.writeList(members, "{", "}", into: &out, indent: indent) { member, out, inner in
        JSON.write(member.0, into: &out)
        out += ": "
        member.1.write(into: &out, indent: inner)
      }
    }
  }

  private static func plain(_ value: Double) -> String {
    if value == value.rounded(), abs(value) < 1e15 { return "\(Int(value))" }
    let rounded = abs(value) < 1e12 ? (value * 1000).rounded() / 1000 : value
    return "\(rounded)"
  }

  private static func writeList<Element>(
    _ elements: [Element], _ open: String, _ close: String, into out: inout String,
    indent: String, _ writeOne: (Element, inout String, String) -> Void
  ) {
    out += open
    let inner = indent + "  "
    for (index, element) in elements.enumerated() {
      out += index == 0 ? "\n" : ",\n"
      out += inner
      writeOne(element, &out, inner)
    }
    if !elements.isEmpty { out += "\n" + indent }
    out += close
  }

  private static func write(_ text: String, into out: inout String) {
    out += "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": out += "\\\""
      case "\\": out += "\\\\"
      case "\n": out += "\\n"
      case "\t": out += "\\t"
      case _ where isHidden(scalar):
        // UTF-16 code units (RFC 8259, section 7): the text may be shown on a terminal.
        for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
          let hex = String(unit, radix: 16)
          out += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
        }
      default: out.unicodeScalars.append(scalar)
      }
    }
    out += "\""
  }

  /// Controls, and what turns or hides the text around it.
  private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: true
    default: false
    }
  }
}
