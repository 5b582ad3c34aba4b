import JSONText
import Support
import Testing

/// JSON as a tree: slow and obvious, to compare the reader with.
indirect enum JSONTree: Equatable {
  case object([Pair])
  case array([JSONTree])
  case string(String)
  case number(String)
  case word(String)

  struct Pair: Equatable {
    var key: String
    var value: JSONTree
  }

  init(_ reader: inout JSONReader) throws(JSONReader.Failure) {
    switch try reader.peek() {
    case .object:
      var pairs: [Pair] = []
      try reader.enter()
      while let key = try reader.nextKey() {
        pairs.append(Pair(key: key, value: try JSONTree(&reader)))
      }
      self = .object(pairs)
    case .array:
      var elements: [JSONTree] = []
      try reader.enter()
      while try reader.nextElement() { elements.append(try JSONTree(&reader)) }
      self = .array(elements)
    case .string: self = .string(try reader.string())
    case .number: self = .number(try reader.number())
    case .bool:
      try reader.skip()
      self = .word("bool")
    case .null:
      try reader.skip()
      self = .word("null")
    }
  }

  /// A random tree; the same generator gives the same tree.
  init(depth: Int, _ random: inout SeededRandom) {
    switch Int.random(in: depth > 4 ? 2...4 : 0...4, using: &random) {
    case 0:
      self = .object(
        (0..<Int.random(in: 0...4, using: &random)).map { _ in
          Pair(key: random.text(), value: JSONTree(depth: depth + 1, &random))
        })
    case 1:
      self = .array(
        (0..<Int.random(in: 0...4, using: &random)).map { _ in
          JSONTree(depth: depth + 1, &random)
        })
    case 2: self = .string(random.text())
    case 3:
      self = .number(["0", "-1", "12.5", "1e9", "-0.25E-3"].randomElement(using: &random) ?? "0")
    default: self = .word(Bool.random(using: &random) ? "bool" : "null")
    }
  }

  /// The tree's text, with random space and escapes.
  func text(_ random: inout SeededRandom) -> String {
    let space = [" ", "", "\n", "\t \r\n"].randomElement(using: &random) ?? ""
    switch self {
    case .object(let pairs):
      let members = pairs.map {
        space + quoted($0.key, &random) + space + ":" + $0.value.text(&random)
      }
      return space + "{" + members.joined(separator: space + ",") + space + "}" + space
    case .array(let elements):
      return space + "[" + elements.map { $0.text(&random) }.joined(separator: ",") + space + "]"
    case .string(let text): return space + quoted(text, &random) + space
    case .number(let text): return space + text + space
    case .word("null"): return space + "null"
    case .word: return space + (Bool.random(using: &random) ? "true" : "false")
    }
  }

  private func quoted(_ text: String, _ random: inout SeededRandom) -> String {
    var out = "\""
    for scalar in text.unicodeScalars {
      if scalar == "\"" || scalar == "\\" || scalar.value < 0x20
        || Int.random(in: 0..<5, using: &random) == 0
      {
        for unit in String(Character(scalar)).utf16 {
          let hex = String(unit, radix: 16)
          out += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
        }
      } else {
        out.unicodeScalars.append(scalar)
      }
    }
    return out + "\""
  }
}

extension SeededRandom {
  /// A short text of characters that need care in JSON.
  mutating func text() -> String {
    let alphabet: [Unicode.Scalar] = [
      "a", "Z", "0", "\"", "\\", "\n", "é", "€", "😀", "\u{202E}", "/",
    ]
    var text = ""
    for _ in 0..<Int.random(in: 0...9, using: &self) {
      text.unicodeScalars.append(alphabet.randomElement(using: &self) ?? "a")
    }
    return text
  }
}

@Suite struct JSONReaderTests {
  private func tree(_ text: String) throws(JSONReader.Failure) -> JSONTree {
    var reader = JSONReader(Array(text.utf8))
    let tree = try JSONTree(&reader)
    try reader.finish()
    return tree
  }

  @Test func read_randomTexts_giveTheTreesTheyWereMadeFrom() throws {
    var random = SeededRandom(seed: 1)
    for _ in 0..<2000 {
      let expected = JSONTree(depth: 0, &random)
      let text = expected.text(&random)
      #expect(try tree(text) == expected, "\(text)")
    }
  }

  @Test func read_piecewise_givesTheSame() throws {
    var random = SeededRandom(seed: 4)
    for _ in 0..<500 {
      let expected = JSONTree(depth: 0, &random)
      let bytes = Array(expected.text(&random).utf8)
      for piece in [1, 2, 3, 7] {
        let text = { (offset: Int, _: Int) in Array(bytes.dropFirst(offset).prefix(piece)) }
        var reader = JSONReader(more: text)
        #expect(try JSONTree(&reader) == expected)
        try reader.finish()
        var skipper = JSONReader(more: text)
        try skipper.skip()
        try skipper.finish()
      }
    }
  }

  @Test func read_wrongPiecewise_reportsTheSamePlace() throws {
    let bytes = Array("{\n \"a\": [1,\n  2.5e3, \"é\\n\"],\n \"b\" 3}".utf8)
    var failures: [JSONReader.Failure] = []
    for piece in 1...bytes.count {
      var reader = JSONReader { offset, _ in Array(bytes.dropFirst(offset).prefix(piece)) }
      do { _ = try JSONTree(&reader) } catch { failures.append(error) }
    }
    #expect(failures == Array(repeating: failures[0], count: bytes.count))
    #expect(failures.first?.offset == 35)
  }

  @Test func skip_randomTexts_endsWhereReadingEnds() throws {
    var random = SeededRandom(seed: 2)
    for _ in 0..<2000 {
      let text = JSONTree(depth: 0, &random).text(&random)
      var reader = JSONReader(Array(text.utf8))
      try reader.skip()
      try reader.finish()
    }
  }

  @Test func read_cutOffAtEveryByte_failsAndNeverTraps() throws {
    let text = #"{"a":[1,-2.5e+3,"x\u00e9\ud83d\ude00\n"],"b":{"c":null,"d":true,"e":false}}"#
    let bytes = Array(text.utf8)
    for end in 0..<bytes.count {
      #expect(throws: JSONReader.Failure.self, "\(end)") {
        var reader = JSONReader(Array(bytes[..<end]))
        _ = try JSONTree(&reader)
      }
      #expect(throws: JSONReader.Failure.self, "\(end)") {
        var reader = JSONReader(Array(bytes[..<end]))
        try reader.skip()
      }
    }
  }

  @Test func read_everyByteChanged_neverTraps() {
    let bytes = Array(#"{"a":[1,-2.5e3,"\u00e9\n"],"b":{"c":null}}"#.utf8)
    var readable = 0
    for index in bytes.indices {
      for value in UInt8.min...UInt8.max {
        var changed = bytes
        changed[index] = value
        var reader = JSONReader(changed)
        let read = try? JSONTree(&reader)
        var skipper = JSONReader(changed)
        let skipped: Void? = try? skipper.skip()
        // Skipping is less strict, but only about escapes.
        if read != nil {
          readable += 1
          #expect(skipped != nil)
        }
      }
    }
    // Among them are the unchanged texts, and texts with other digits and letters.
    #expect(readable > 2 * bytes.count)
  }

  @Test(arguments: [
    ("{\"a\" 1}", 5, "':' is expected"),
    ("{a: 1}", 1, "a key is expected"),
    ("{1: 1}", 1, "a key is expected"),
    ("[1 2]", 3, "',' is expected"),
    ("[1,]", 3, "a value is expected"),
    ("{\"a\":1,}", 7, "a key is expected"),
    ("[1}", 2, "',' is expected"),
    ("[01]", 1, "a number is malformed"),
    ("[1.]", 1, "a number is malformed"),
    ("[-]", 1, "a number is malformed"),
    ("[1e]", 1, "a number is malformed"),
    ("[tru]", 1, "a value is expected"),
    ("[\"abc", 1, "a string does not end"),
    ("[\"\\q\"]", 3, "an unknown escape in a string"),
    ("[\"\\u12g4\"]", 4, "a \\u escape needs four hex digits"),
    ("[\"\\u12\"]", 4, "a \\u escape needs four hex digits"),
    ("1 2", 2, "something follows its end"),
    ("", 0, "the text ends too early"),
    ("[", 1, "the text ends too early"),
  ])
  func read_malformed_saysWhereAndWhat(text: String, offset: Int, what: String) {
    var failure: JSONReader.Failure?
    do { _ = try tree(text) } catch { failure = error }
    #expect(failure?.offset == offset)
    #expect(failure?.what == what)
  }

  @Test(arguments: [
    (#""\ud83d\ude00""#, "😀"),
    (#""\ud83d""#, "\u{FFFD}"),
    (#""\ud83dx""#, "\u{FFFD}x"),
    (#""\ude00\ud83d""#, "\u{FFFD}\u{FFFD}"),
    (#""\ud83d\u0041""#, "\u{FFFD}A"),
    (#""\b\f\n\r\t\/\\\"""#, "\u{8}\u{C}\n\r\t/\\\""),
    ("\"tab\tinside\"", "tab\tinside"),
    ("\u{FEFF}\"after a mark\"", "after a mark"),
  ])
  func string_escapes_areResolved(text: String, expected: String) throws {
    #expect(try tree(text) == .string(expected))
  }

  @Test(arguments: [(64, true), (65, false), (100_000, false)])
  func read_nested_stopsAt64Levels(depth: Int, reads: Bool) {
    let text = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    var reader = JSONReader(Array(text.utf8))
    let skipped: Void? = try? reader.skip()
    #expect((skipped != nil) == reads)
  }
}
