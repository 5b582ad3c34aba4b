/// One row of the option table. The parsers of the command line and of the configuration, and
/// `--help`, use it.
struct OptionRow: Sendable {
  typealias Target<Value> = any WritableKeyPath<Invocation, Value> & Sendable

  /// What an option does, perhaps with an argument.
  enum Effect: Sendable {
    /// True where it is given, false where it is undone.
    case flag(@Sendable (inout Invocation, Bool) -> Void)
    /// `argument` is the name of the argument in the help.
    case value(
      argument: String, @Sendable (inout Invocation, _ word: String) throws(UsageError) -> Void)
  }

  /// The name without dashes; also the key in the configuration file.
  var name: String
  var letter: Character?
  var explanation: String
  /// Whether the configuration file may hold it; other options belong to one invocation.
  var isSetting: Bool
  /// Whether a later opposite undoes it on the command line; only flags can be undone.
  var canBeUndone: Bool
  /// The commands that it is for; with other commands it is a mistake.
  var verbs: Set<Invocation.Verb>
  var effect: Effect

  /// An option without an argument. It sets its target to true, or to false if its name begins with
  /// "no-".
  static func flag(
    _ name: String, letter: Character? = nil, help explanation: String, isSetting: Bool = true,
    canBeUndone: Bool = true, for verbs: Set<Invocation.Verb> = Invocation.Verb.players,
    _ target: Target<Bool>
  ) -> OptionRow {
    let meaning = !name.hasPrefix("no-")
    return OptionRow(
      name: name, letter: letter, explanation: explanation, isSetting: isSetting,
      canBeUndone: canBeUndone, verbs: verbs,
      effect: .flag { $0[keyPath: target] = $1 == meaning })
  }

  /// An option with an argument, which a parser converts.
  ///
  /// - Parameters:
  ///   - target: gets the value.
  ///   - parse: converts the argument; it also gets the option's name, for its error message.
  static func value<Value: Sendable>(
    _ name: String, letter: Character? = nil, _ argument: String, help explanation: String,
    isSetting: Bool = true, for verbs: Set<Invocation.Verb> = Invocation.Verb.players,
    _ target: Target<Value>,
    _ parse: @escaping @Sendable (_ word: String, _ option: String) throws(UsageError) -> Value
  ) -> OptionRow {
    OptionRow(
      name: name, letter: letter, explanation: explanation, isSetting: isSetting,
      canBeUndone: false, verbs: verbs,
      effect: .value(argument: argument) { (invocation, word) throws(UsageError) in
        invocation[keyPath: target] = try parse(word, name)
      })
  }

  /// Applies the option.
  func apply(
    _ word: String, isUndone: Bool = false, to invocation: inout Invocation
  ) throws(UsageError) {
    switch effect {
    case .flag(let set): set(&invocation, !isUndone)
    case .value(_, let set): try set(&invocation, word)
    }
  }

  /// The name of its argument in the help; nil for an option without one.
  var argument: String? {
    if case .value(let argument, _) = effect { argument } else { nil }
  }

  /// The option that undoes it: "no-manual" for "manual", "sound" for "no-sound"; nil where there
  /// is none.
  var undoing: String? {
    guard canBeUndone else { return nil }
    return name.hasPrefix("no-") ? String(name.dropFirst(3)) : "no-" + name
  }

  /// Its line of the help.
  var helpLine: String {
    let left =
      "  \(letter.map { "-\($0), " } ?? "    ")--\(name)\(argument.map { " " + $0 } ?? "")"
    return left + String(repeating: " ", count: max(2, 30 - left.count)) + explanation
  }
}
