/// One row of the option table, from which the command line is read, `--help` is written and the
/// configuration is taken.
struct OptionRow: Sendable {
  typealias Target<Value> = any WritableKeyPath<Invocation, Value> & Sendable

  /// What it does, with what is written behind it where that is anything.
  enum Effect: Sendable {
    /// It is on where it is given, and off where it is undone.
    case flag(@Sendable (inout Invocation, Bool) -> Void)
    /// `argument` is what the help calls what follows it.
    case value(
      argument: String, @Sendable (inout Invocation, _ word: String) throws(UsageError) -> Void)
  }

  /// Without dashes; also its key in the configuration file.
  var name: String
  var letter: Character?
  var explanation: String
  /// Whether the configuration file may hold it; the others belong to one call.
  var isSetting: Bool
  /// Whether one that follows takes it back on the command line; of flags alone.
  var canBeUndone: Bool
  /// The commands that it means something to; on the command line of others it is a mistake.
  var verbs: Set<Invocation.Verb>
  var effect: Effect

  /// An option without an argument, which sets something to true, or to false where its name begins
  /// with "no-".
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

  /// An option with an argument, which a parser makes something of.
  ///
  /// - Parameters:
  ///   - target: what gets it.
  ///   - parse: gets the argument and the option's name, for its complaint.
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

  /// Does what it is for.
  func apply(
    _ word: String, isUndone: Bool = false, to invocation: inout Invocation
  ) throws(UsageError) {
    switch effect {
    case .flag(let set): set(&invocation, !isUndone)
    case .value(_, let set): try set(&invocation, word)
    }
  }

  /// What the help calls its argument; nil for an option without one.
  var argument: String? {
    if case .value(let argument, _) = effect { argument } else { nil }
  }

  /// What undoes it on the command line: "no-manual" for "manual", "sound" for "no-sound"; nil where
  /// nothing does.
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
