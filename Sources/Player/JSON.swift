import JSONText
import System

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
    var out = JSONWriter()
    write(into: &out, indent: "")
    return String(decoding: out.bytes, as: UTF8.self)
  }

  private func write(into out: inout JSONWriter, indent: String) {
    switch self {
    case .null: out.raw("null")
    case .bool(let value): out.raw(value ? "true" : "false")
    case .integer(let value): out.raw("\(value)")
    case .number(let value): out.raw(value.isFinite ? JSON.plain(value) : "null")
    case .text(let value): out.string(FileName.shown(value))
    case .array(let values):
      JSON.writeList(values, "[", "]", into: &out, indent: indent) { value, out, inner in
        value.write(into: &out, indent: inner)
      }
    case .object(let members):
      JSON.writeList(members, "{", "}", into: &out, indent: indent) { member, out, inner in
        out.string(member.0)
        out.raw(": ")
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
    _ elements: [Element], _ open: String, _ close: String, into out: inout JSONWriter,
    indent: String, _ writeOne: (Element, inout JSONWriter, String) -> Void
  ) {
    out.raw(open)
    let inner = indent + "  "
    for (index, element) in elements.enumerated() {
      out.raw((index == 0 ? "\n" : ",\n") + inner)
      writeOne(element, &out, inner)
    }
    if !elements.isEmpty { out.raw("\n" + indent) }
    out.raw(close)
  }
}
