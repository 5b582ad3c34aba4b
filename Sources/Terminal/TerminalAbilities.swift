import Glibc
import Pictures

/// What the terminal can show.
public struct TerminalAbilities: Equatable, Sendable {
  public var colour: ColourDepth
  /// Whether text goes out as UTF-8 and the bar may use line drawing.
  public var unicode: Bool
  /// Whether a frame may be marked as one update (mode 2026); false until the terminal says so.
  public var synchronizedOutput: Bool
  /// Whether it supports REP, "the last character n times"; false until the terminal has said which
  /// program it is. Its description is not enough: mosh and screen pass on the TERM of others.
  public var repeatCharacter: Bool
  /// The value of `TERM`.
  public var name: String
  /// Whether it cannot place its cursor.
  public var isDumb: Bool

  /// The terminal's description in the terminfo database.
  public struct Description: Equatable, Sendable {
    /// `colors`; nil if the description has none.
    public var colours: Int?
    /// `RGB` or `Tc`: direct colours are supported.
    public var hasDirectColour: Bool
    /// `cup`.
    public var placesCursor: Bool

    public init(
      colours: Int? = nil, hasDirectColour: Bool = false, placesCursor: Bool = true
    ) {
      self.colours = colours
      self.hasDirectColour = hasDirectColour
      self.placesCursor = placesCursor
    }
  }

  /// The abilities of the terminal at a descriptor; the terminal itself is neither asked nor changed.
  ///
  /// Nil if there is neither a description of it nor of a terminal that it might resemble.
  public static func detect(
    output: Int32 = 1, environment: [String: String] = currentEnvironment()
  ) -> TerminalAbilities? {
    found(output: output, environment: environment)?.abilities
  }

  /// The abilities and the name of the terminfo description that they come from.
  static func found(
    output: Int32, environment: [String: String]
  ) -> (abilities: TerminalAbilities, terminfoName: String)? {
    let name = environment["TERM"] ?? ""
    if isDumb(name) {
      return (TerminalAbilities(environment: environment, description: .init()), name)
    }
    // Newer terminals have names that older versions of ncurses do not know.
    let names = [name, "xterm-256color", "xterm"]
    guard let known = Curses.describe(names, output: output) else { return nil }
    let abilities = TerminalAbilities(environment: environment, description: known.description)
    return (abilities, known.name)
  }

  /// The library that draws the chrome, with its version.
  public static var library: String { Curses.version }

  /// The environment variables of this process that matter here.
  public static func currentEnvironment() -> [String: String] {
    var environment: [String: String] = [:]
    let names = [
      "TERM", "COLORTERM", "NO_COLOR", "LC_ALL", "LC_CTYPE", "LANG", "TMUX", "TERM_PROGRAM",
    ]
    for name in names + versions.keys {
      guard let value = getenv(name) else { continue }
      environment[name] = String(cString: value)
    }
    return environment
  }

  /// The abilities by the environment and a terminal's description alone.
  public init(environment: [String: String], description: Description) {
    name = environment["TERM"] ?? ""
    isDumb = Self.isDumb(name) || !description.placesCursor
    unicode = Self.usesUTF8(environment, description)
    synchronizedOutput = false
    repeatCharacter = false
    colour = isDumb ? .never : Self.colour(name, environment, description)
  }

  /// Whether it is the Linux console, whose font lacks most characters beyond ASCII.
  var isLinuxConsole: Bool { name == "linux" || name.hasPrefix("linux-") }

  private static func isDumb(_ name: String) -> Bool {
    name.isEmpty || name == "dumb" || name == "unknown"
  }

  /// The first of the three variables that is set decides, as in setlocale. If none is set, as in many
  /// containers, nobody chose ASCII: terminals with 256 colours are assumed to be modern.
  private static func usesUTF8(
    _ environment: [String: String], _ description: Description
  ) -> Bool {
    let value = ["LC_ALL", "LC_CTYPE", "LANG"].lazy
      .compactMap { environment[$0] }.first { !$0.isEmpty }
    guard let value = value?.lowercased() else { return (description.colours ?? 0) >= 256 }
    return value.contains("utf-8") || value.contains("utf8")
  }

  private static func colour(
    _ name: String, _ environment: [String: String], _ description: Description
  ) -> ColourDepth {
    if let refusal = environment["NO_COLOR"], !refusal.isEmpty { return .never }
    if name == "linux" || name.hasPrefix("linux-") { return .sixteen }
    let colours = description.colours ?? 0
    if description.hasDirectColour || name.hasSuffix("-direct") || colours >= 1 << 24 {
      return .trueColour
    }
    if !isScreen(name, environment), promisesTrueColour(environment) { return .trueColour }
    if colours >= 256 || name.contains("256color") { return .palette256 }
    return colours >= 8 ? .sixteen : .never
  }

  private static func promisesTrueColour(_ environment: [String: String]) -> Bool {
    let value = environment["COLORTERM"]?.lowercased()
    if value == "truecolor" || value == "24bit" { return true }
    if let program = environment["TERM_PROGRAM"], programs.contains(program) { return true }
    return versions.contains { name, least in
      guard let version = environment[name] else { return false }
      return Int(version.filter(\.isNumber)) ?? 0 >= least
    }
  }

  /// Variables by which terminals give their version, and the first that took direct colours; xterm
  /// among them, which hands on no COLORTERM.
  private static let versions = [
    "XTERM_VERSION": 331, "VTE_VERSION": 3600, "KONSOLE_VERSION": 160_400, "KITTY_WINDOW_ID": 0,
    "WT_SESSION": 0,
  ]

  /// Values of TERM_PROGRAM that mean a terminal with direct colours.
  private static let programs = ["iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "mintty"]

  /// GNU screen passes on the COLORTERM of the terminal that it was started in, but does not support
  /// direct colours. tmux calls itself screen, too, but passes them on or reduces them itself.
  private static func isScreen(_ name: String, _ environment: [String: String]) -> Bool {
    let tmux = environment["TMUX"] ?? ""
    return name.hasPrefix("screen") && tmux.isEmpty
  }
}
