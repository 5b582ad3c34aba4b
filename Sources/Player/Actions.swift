import Terminal

/// What a key can do, in the order of the help. A new one is a case here and a line below; the compiler
/// then names the place where it is to be done (`PlayerInput.press`). Digits are no actions: they choose
/// reactions there.
public enum Action: String, CaseIterable, Sendable {
  case next, previous
  case nextReel = "next-reel"
  case previousReel = "previous-reel"
  /// The current story once more.
  case restart
  /// To the end of all stories.
  case end
  case pause, quit
  case quitRemembering = "quit-remembering"
  /// Closes help and information.
  case close
  case help
  case seekBack = "seek-back"
  case seekForward = "seek-forward"
  case mute
  case volumeUp = "volume-up"
  case volumeDown = "volume-down"
  /// Opens or closes the strip of reactions that can be sent.
  case reactions
  /// Shows reactions over the picture, or hides them all.
  case showReactions = "show-reactions"
  case caption, info, mode, fit, link
  /// Saves the picture as a PNG file.
  case still
  case repaint

  /// What the help says of an action, and its usual keys.
  struct HelpLine {
    let meaning: String
    /// The meaning in a narrow help.
    let briefMeaning: String
    /// No two actions have the same key.
    let keys: [Key]

    init(_ meaning: String, brief: String? = nil, _ keys: Key...) {
      self.meaning = meaning
      briefMeaning = brief ?? meaning
      self.keys = keys
    }
  }

  var helpLine: HelpLine {
    switch self {
    case .next: HelpLine("next story", .right, .character("l"), .enter)
    case .previous: HelpLine("previous story", brief: "story before", .left, .character("h"))
    case .nextReel: HelpLine("next reel", .down, .character("J"), .tab)
    case .previousReel:
      HelpLine("previous reel", brief: "reel before", .up, .character("K"), .backTab)
    case .restart: HelpLine("restart the story", brief: "restart", .home)
    case .end: HelpLine("to the end", .end)
    case .pause: HelpLine("pause", .character(" "), .character("p"))
    case .quit: HelpLine("quit", .character("q"))
    case .quitRemembering:
      HelpLine("quit and remember the place", brief: "quit, keep place", .character("Q"))
    case .close: HelpLine("close this", .escape)
    case .help: HelpLine("this help", .character("?"), .f(1))
    case .seekBack: HelpLine("5 s back", .character(","))
    case .seekForward: HelpLine("5 s forward", .character("."))
    case .mute: HelpLine("sound off, on", .character("m"))
    case .volumeUp: HelpLine("louder", .character("+"), .character("="))
    case .volumeDown: HelpLine("softer", .character("-"))
    case .reactions: HelpLine("reactions: 1 to 9 send", brief: "reactions", .character("r"))
    case .showReactions:
      HelpLine("reactions shown or not", brief: "show reactions", .character("g"))
    case .caption: HelpLine("caption long, short, off", brief: "caption", .character("c"))
    case .info: HelpLine("what plays", .character("i"))
    case .mode: HelpLine("next picture mode", brief: "picture mode", .character("v"))
    case .fit: HelpLine("all of it, or fill the screen", brief: "all or fill", .character("f"))
    case .link: HelpLine("open the story's link", brief: "open link", .character("o"))
    case .still: HelpLine("save a still picture", brief: "save a still", .character("s"))
    case .repaint: HelpLine("repaint", .control("L"))
    }
  }
}

/// Which key does what.
public struct KeyTable: Sendable {
  /// Each key belongs to one action at most.
  private var keys: [Action: [Key]]

  /// The usual keys.
  public init() {
    keys = Dictionary(uniqueKeysWithValues: Action.allCases.map { ($0, $0.helpLine.keys) })
  }

  /// What a key does; nil for a key without meaning.
  public func action(for key: Key) -> Action? { keys.first { $0.value.contains(key) }?.key }

  /// Gives an action these keys instead of its own; keys that meant something else mean this now. Without
  /// any, the action cannot be chosen and is not in the help.
  public mutating func bind(_ action: Action, to keys: [Key]) {
    for other in Action.allCases { self.keys[other]?.removeAll(where: keys.contains) }
    self.keys[action] = keys
  }

  /// The name of an action's first key; nil where it has none.
  func name(of action: Action) -> String? { keys[action]?.first?.name }

  /// Names of the keys and what they do, for the help.
  var helpRows: [Overlays.Row] {
    Action.allCases.compactMap { action in
      guard let keys = keys[action], !keys.isEmpty else { return nil }
      return Overlays.Row(
        keys: keys.map(\.name).joined(separator: " "), meaning: action.helpLine.meaning,
        briefMeaning: action.helpLine.briefMeaning)
    }
  }
}
