import CLinux
import Glibc

/// One option of a command line.
public struct OptionRule: Sendable {
  public let name: String
  public let letter: Character?
  public let takesArgument: Bool

  public init(name: String, letter: Character? = nil, takesArgument: Bool = false) {
    self.name = name
    self.letter = letter
    self.takesArgument = takesArgument
  }
}

/// A command line in GNU style: options and operands in any order; `--` ends the options.
public struct ScannedArguments: Equatable, Sendable {
  public struct Option: Equatable, Sendable {
    /// The index of the rule in the table.
    public var rule: Int
    public var argument: String?
  }

  public var options: [Option] = []
  public var operands: [String] = []

  /// An option that no rule allows, or that lacks its argument.
  public struct Mistake: Error, Equatable, Sendable {
    public var option: String
    public var isKnown: Bool
  }

  /// Parses the arguments with getopt_long (unambiguous abbreviations are understood). Call it once
  /// a process: getopt keeps its state in globals.
  public init(_ arguments: [String], rules: [OptionRule]) throws(Mistake) {
    let names = rules.map { strdup($0.name) }
    let words = (["storytty"] + arguments).map { strdup($0) }
    defer { for pointer in names + words { free(pointer) } }
    let table = zip(rules.indices, names).map { index, name in
      lx_option(
        name: UnsafePointer(name), takes_argument: rules[index].takesArgument ? 1 : 0,
        value: Int32(256 + index))
    }
    let letters = rules.compactMap { rule in
      rule.letter.map { "\($0)\(rule.takesArgument ? ":" : "")" }
    }
    let shorts = ":" + letters.joined()
    var argv = words + [nil]
    var next: Int32 = 1
    while true {
      var argument: UnsafePointer<CChar>?
      let before = next
      var letter: Int32 = 0
      let value = lx_next_option(
        Int32(words.count), &argv, shorts, table, Int32(table.count), &argument, &next, &letter)
      if value == -1 { break }
      if value == Int32(UInt8(ascii: "?")) || value == Int32(UInt8(ascii: ":")) {
        // Among combined letters, the wrong letter is named, not the word.
        let name = (33...126).contains(letter) ? "-\(Character(.init(UInt8(letter))))" : nil
        // For a letter of several bytes the word is named, which getopt is still in.
        let isInside = letter != 0 && letter < 256 && name == nil
        let place = isInside || next == before ? Int(next) : Int(next) - 1
        let word = argv[min(place, words.count - 1)].map { String(cString: $0) } ?? ""
        throw Mistake(option: name ?? word, isKnown: value == Int32(UInt8(ascii: ":")))
      }
      let rule =
        value >= 256
        ? Int(value) - 256
        : rules.firstIndex { $0.letter?.asciiValue.map(Int32.init) == value } ?? 0
      options.append(Option(rule: rule, argument: argument.map { String(cString: $0) }))
    }
    for word in argv[Int(next)...].compactMap(\.self) { operands.append(String(cString: word)) }
  }
}

/// The program's arguments as they were at its start: the Swift runtime may look for them in a
/// place that a preloaded library has moved.
public enum Arguments {
  /// The words after the program's name, in the form of `FileName`.
  public static var all: [String] {
    (1..<max(1, Int(lx_argument_count()))).compactMap { index in
      lx_argument(Int32(index)).map { FileName.text(ofKernel: $0) }
    }
  }
}
