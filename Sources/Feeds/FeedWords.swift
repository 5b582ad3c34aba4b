/// Times as podcasts and players write them.
enum ClockTime {
  /// The seconds of `1:02:03`, `62:03`, `3723` or `3723.5`; nil for anything else and for zero.
  static func seconds(_ text: String) -> Double? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard (1...3).contains(parts.count) else { return nil }
    var seconds = 0.0
    for part in parts {
      guard let value = Double(part), value >= 0, value.isFinite else { return nil }
      seconds = seconds * 60 + value
    }
    return seconds > 0 ? seconds : nil
  }
}

extension String {
  /// Without the white space of XML at both ends.
  var trimmingSpace: String {
    let isSpace = { (byte: UInt8) in byte == 0x20 || (9...13).contains(byte) }
    guard let first = utf8.first, let last = utf8.last, isSpace(first) || isSpace(last) else {
      return self
    }
    let rest = utf8.drop(while: isSpace)
    guard let end = rest.lastIndex(where: { !isSpace($0) }) else { return "" }
    return String(Substring(rest[...end]))
  }

  /// The text up to the character that reaches so many bytes.
  func cut(to bytes: Int) -> String {
    guard utf8.count > bytes else { return self }
    var cut = ""
    for scalar in unicodeScalars {
      cut.unicodeScalars.append(scalar)
      if cut.utf8.count >= bytes { break }
    }
    return cut
  }

  /// The name in `anna@example.org (Anna)`, `Anna (anna@example.org)` or `Anna <anna@example.org>`, else
  /// all of it.
  var withoutMailAddress: String {
    if hasSuffix(">"), let open = lastIndex(of: "<") {
      let name = self[..<open].trimmingSpaceAndQuotes
      let address = self[index(after: open)...]
      return address.contains("@") && !name.isEmpty ? name : self
    }
    guard hasSuffix(")"), let open = firstIndex(of: "(") else { return self }
    let parts = [self[..<open], self[index(after: open)...].dropLast()]
      .map { String($0).trimmingSpace }
    guard parts.contains(where: { $0.contains("@") && !$0.contains(" ") }) else { return self }
    return parts.first { !$0.contains("@") && !$0.isEmpty } ?? self
  }
}

extension Substring {
  fileprivate var trimmingSpaceAndQuotes: String {
    let text = String(self).trimmingSpace
    guard text.count > 1, text.hasPrefix("\""), text.hasSuffix("\"") else { return text }
    return String(text.dropFirst().dropLast()).trimmingSpace
  }
}
