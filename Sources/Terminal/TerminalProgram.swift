/// The program of a terminal, by its answer to XTVERSION (xterm's control sequences): `XTerm(379)`,
/// `kitty(0.40.0)`, `tmux 3.4`.
package struct TerminalProgram: Equatable {
  package let name: String
  /// The numbers of its version, the largest part first; none where it gives none.
  package let version: [Int]

  package init(answer: String) {
    name = String(answer.prefix { $0 != "(" && $0 != " " })
    let rest = answer.dropFirst(name.count + 1)
    version = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }.split(separator: ".")
      .prefix(4).compactMap { Int($0) }
  }

  /// Whether its REP (ECMA-48, 8.3.103) repeats every character. Programs that are not in the table do
  /// not count: mosh and GNU screen do not support REP, iTerm2 did not for long, and tmux before 3.6
  /// repeats only ASCII.
  package var repeatsCharacters: Bool {
    guard let least = Self.repeating.first(where: { $0.name == name })?.least else { return false }
    return !version.isEmpty && !version.lexicographicallyPrecedes(least)
  }

  /// Those that repeat every character, and since when; an empty version where all that give their
  /// name do, because REP came years before that.
  private static let repeating: [(name: String, least: [Int])] = [
    // Its REP is from 1996, but repeated only single bytes for a long time.
    ("XTerm", [379]),
    // GNOME Terminal and related ones: since 0.51.
    ("VTE", []),
    ("foot", []),
    // Since 0.18.
    ("kitty", []),
    ("WezTerm", []),
    ("ghostty", []),
    // Older versions do not repeat "▀".
    ("tmux", [3, 6]),
  ]
}
