import System

/// A parsed configuration file: sections of keys and values, as in mpv and git.
///
/// Comments are on lines of their own (`#` or `;`). Nothing is cut or unquoted: a value is the rest
/// of its line, trimmed.
struct ConfigFile {
  struct Entry: Equatable {
    var key: String
    var value: String
    /// Counted from 1.
    var line: Int
  }

  struct Section: Equatable {
    /// The first word in the brackets; empty for the part before the first section.
    var kind: String
    /// The rest in the brackets: a host, a feed's name.
    var name: String
    var line: Int
    var entries: [Entry] = []
  }

  /// A line that cannot be understood, as a sentence with file and line.
  struct Mistake: Error {
    let words: String
  }

  let path: String
  private(set) var sections = [Section(kind: "", name: "", line: 0)]

  /// Reads the file: UTF-8, with or without a byte order mark, and with any kind of line ends. Names
  /// of files in it need not be UTF-8.
  init(path: String, bytes: [UInt8]) throws(Mistake) {
    self.path = path
    // A byte order mark, or a NUL in the first character: no setting begins with a character above
    // U+00FF.
    let isWide =
      [[0xFF, 0xFE], [0xFE, 0xFF]].contains(bytes.prefix(2)) || bytes.prefix(2).contains(0)
    guard !isWide else { throw mistake(1, "the file is UTF-16: save it as UTF-8") }
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let text = FileName.text(bytes.starts(with: mark) ? bytes.dropFirst(3) : bytes[...])
    for (index, raw) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .enumerated()
    {
      let line = raw.trimmed
      guard let first = line.first, first != "#", first != ";" else { continue }
      if first == "[" {
        try open(line, number: index + 1)
      } else {
        try add(line, number: index + 1)
      }
    }
  }

  private mutating func open(_ line: Substring, number: Int) throws(Mistake) {
    // The last bracket closes: a host may be [::1]:8080.
    guard line.last == "]" else {
      throw mistake(number, "a section ends with ]")
    }
    let words = line.dropFirst().dropLast().trimmed
    let kind = words.prefix { !$0.isWhitespace }
    sections.append(
      Section(kind: String(kind), name: String(words.dropFirst(kind.count).trimmed), line: number))
  }

  private mutating func add(_ line: Substring, number: Int) throws(Mistake) {
    guard let equals = line.firstIndex(of: "=") else {
      throw mistake(number, "'\(line.prefix(60))' is no setting: write key = value")
    }
    let key = line[..<equals].trimmed
    guard !key.isEmpty else { throw mistake(number, "a setting needs a key before =") }
    sections[sections.count - 1].entries.append(
      Entry(
        key: String(key), value: String(line[line.index(after: equals)...].trimmed), line: number))
  }

  /// A sentence about one line of the file.
  func mistake(_ line: Int, _ words: String) -> Mistake {
    Mistake(words: "\(path):\(line): \(words)")
  }
}

extension Substring {
  /// The text without the white space at both ends.
  var trimmed: Substring {
    let start = drop(while: \.isWhitespace)
    let end = start.reversed().drop(while: \.isWhitespace).count
    return start.prefix(end)
  }
}

/// Finds the word that was probably meant.
enum Spelling {
  /// The nearest of the known words, if it is no more than two edits away.
  static func nearest(to word: some StringProtocol, among known: [String]) -> String? {
    guard let best = known.min(by: { distance($0, word) < distance($1, word) }) else { return nil }
    return distance(best, word) <= 2 ? best : nil
  }

  /// "; did you mean 'mode'?", or nothing.
  static func hint(for word: some StringProtocol, among known: [String]) -> String {
    nearest(to: word, among: known).map { "; did you mean '\($0)'?" } ?? ""
  }

  /// "a", "a or b", "a, b or c".
  static func alternatives(_ words: [String]) -> String {
    guard let last = words.last, words.count > 1 else { return words.joined() }
    return words.dropLast().joined(separator: ", ") + " or " + last
  }

  /// Edits between two words (Levenshtein).
  private static func distance(_ a: some StringProtocol, _ b: some StringProtocol) -> Int {
    let (a, b) = (Array(a), Array(b))
    var row = Array(0...b.count)
    for (i, left) in a.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, right) in b.enumerated() {
        let cost = left == right ? diagonal : min(diagonal, row[j], row[j + 1]) + 1
        diagonal = row[j + 1]
        row[j + 1] = cost
      }
    }
    return row[b.count]
  }
}
