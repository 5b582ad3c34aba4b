import JSONText

// The values of feeds and lists. `problem` is what was wrong first.
extension JSONReader {
  /// Reads the next string; nil for null, and with a problem for anything else.
  mutating func text(_ key: String, problem: inout String?) throws(Failure) -> String? {
    let kind = try peek()
    guard kind == .string else {
      if kind != .null { problem = problem ?? "'\(key)' is \(kind.rawValue), not a string" }
      try skip()
      return nil
    }
    return try string()
  }

  /// The same for texts that are shown: a long one is cut, an empty one is nil.
  mutating func shownText(_ key: String, problem: inout String?) throws(Failure) -> String? {
    guard let text = try text(key, problem: &problem), !text.isEmpty else { return nil }
    guard text.utf8.count > Limit.textBytes else { return text }
    var cut = ""
    for scalar in text.unicodeScalars {
      cut.unicodeScalars.append(scalar)
      if cut.utf8.count >= Limit.textBytes { break }
    }
    return cut
  }

  /// Reads the next number; nil for null, and with a problem for anything else.
  mutating func number(_ key: String, problem: inout String?) throws(Failure) -> Double? {
    let kind = try peek()
    guard kind == .number else {
      if kind != .null { problem = problem ?? "'\(key)' is \(kind.rawValue), not a number" }
      try skip()
      return nil
    }
    return Double(try number())
  }

  /// Reads the name in the next object, an author.
  mutating func authorName(problem: inout String?) throws(Failure) -> String? {
    guard try enter(.object, "author", problem: &problem) else { return nil }
    var name: String?
    while let key = try nextKey() {
      if key == "name" { name = try shownText(key, problem: &problem) } else { try skip() }
    }
    return name
  }

  /// Reads the names in the next array, of authors.
  mutating func authorNames(problem: inout String?) throws(Failure) -> [String] {
    guard try enter(.array, "authors", problem: &problem) else { return [] }
    var names: [String] = []
    while try nextElement() {
      let next = try authorName(problem: &problem)
      if let next, names.count < Limit.authors { names.append(next) }
    }
    return names
  }

  /// Enters a container of this kind; false for null, and with a problem for anything else.
  mutating func enter(
    _ expected: Kind, _ key: String, problem: inout String?
  ) throws(Failure) -> Bool {
    let kind = try peek()
    guard kind == expected else {
      if kind != .null {
        problem = problem ?? "'\(key)' is \(kind.rawValue), not \(expected.rawValue)"
      }
      try skip()
      return false
    }
    try enter()
    return true
  }
}
