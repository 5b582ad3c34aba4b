/// Writes JSON text (RFC 8259) directly into bytes, so that feeds of 100,000 items need no tree.
package struct JSONWriter {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  /// Appends text that is already JSON.
  package mutating func raw(_ text: String) { bytes += text.utf8 }

  /// Appends a member of an object, with a comma before it unless it is the first.
  package mutating func member(_ key: String, _ value: String) {
    name(key)
    string(value)
  }

  package mutating func member(_ key: String, _ value: Int) {
    name(key)
    raw(String(value))
  }

  /// At most three digits after the point; null for infinity, NaN and absurdly large values.
  package mutating func member(_ key: String, _ value: Double) {
    name(key)
    guard abs(value) < 1e12 else { return raw("null") }
    let thousandths = (value * 1000).rounded()
    raw(
      thousandths.truncatingRemainder(dividingBy: 1000) == 0
        ? String(Int(thousandths / 1000)) : "\(thousandths / 1000)")
  }

  /// Appends a member's name; its value must follow.
  package mutating func name(_ key: String) {
    if bytes.last != UInt8(ascii: "{") { raw(", ") }
    string(key)
    raw(": ")
  }

  /// Appends a text in quotes. Characters that reorder or hide the text around them are escaped:
  /// JSON may be shown on a terminal.
  package mutating func string(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    JSONEscapes.append(text, to: &bytes) { JSONEscapes.isHidden($0) }
    bytes.append(UInt8(ascii: "\""))
  }
}
