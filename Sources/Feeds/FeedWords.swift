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
  /// As many whole characters as so many bytes hold.
  func cut(to bytes: Int) -> String {
    guard utf8.count > bytes else { return self }
    var cut = ""
    for scalar in unicodeScalars {
      cut.unicodeScalars.append(scalar)
      if cut.utf8.count >= bytes { break }
    }
    return cut
  }

  /// A description without the HTML tags in it, in one line.
  var withoutMarkup: String {
    guard utf8.contains(UInt8(ascii: "<")) else { return self }
    var plain = ""
    var isTag = false
    for scalar in unicodeScalars {
      switch scalar {
      case "<": isTag = true
      case ">" where isTag:
        isTag = false
        plain += " "
      default: if !isTag { plain.unicodeScalars.append(scalar) }
      }
    }
    return plain.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  /// The name in `anna@example.org (Anna)`, else all of it.
  var nameOfMailAuthor: String {
    guard hasSuffix(")"), let open = firstIndex(of: "("), self[..<open].contains("@") else {
      return self
    }
    let name = String(self[index(after: open)...].dropLast()).trimmingSpace
    return name.isEmpty ? self : name
  }
}
