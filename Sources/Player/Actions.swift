import Terminal

/// What a key can do, in the order of the help. A new one is a case here and a row below; the compiler
/// then names the place where it is to be done (`PlayerInput`).
public enum Action: String, CaseIterable, Sendable {
  case next, previous
  case nextReel = "next-reel"
  case previousReel = "previous-reel"
  case restart, end, pause, quit
  case quitRemembering = "quit-remembering"
  case close, help
  case seekBack = "seek-back"
  case seekForward = "seek-forward"
  case mute
  case volumeUp = "volume-up"
  case volumeDown = "volume-down"
  case reactions
  case showReactions = "show-reactions"
  case caption, info, mode, fit, link, still, repaint

  /// What the help says of an action, and its usual keys.
  struct Row {
    let explanation: String
    /// What a narrow help says of it.
    let briefly: String
    let keys: [Key]

    init(_ explanation: String, briefly: String? = nil, _ keys: Key...) {
      self.explanation = explanation
      self.briefly = briefly ?? explanation
      self.keys = keys
    }
  }

  var row: Row {
    switch self {
    case .next: Row("next story", .right, .character("l"), .enter)
    case .previous: Row("previous story", briefly: "story before", .left, .character("h"))
    case .nextReel: Row("next reel", .down, .character("J"), .tab)
    case .previousReel:
      Row("previous reel", briefly: "reel before", .up, .character("K"), .backTab)
    case .restart: Row("restart the story", briefly: "restart", .home)
    case .end: Row("to the end", .end)
    case .pause: Row("pause", .character(" "), .character("p"))
    case .quit: Row("quit", .character("q"))
    case .quitRemembering:
      Row("quit and remember the place", briefly: "quit, keep place", .character("Q"))
    case .close: Row("close this", .escape)
    case .help: Row("this help", .character("?"), .f(1))
    case .seekBack: Row("5 s back", .character(","))
    case .seekForward: Row("5 s forward", .character("."))
    case .mute: Row("sound off, on", .character("m"))
    case .volumeUp: Row("louder", .character("+"), .character("="))
    case .volumeDown: Row("softer", .character("-"))
    case .reactions: Row("reactions: 1 to 9 send", briefly: "reactions", .character("r"))
    case .showReactions:
      Row("reactions shown or not", briefly: "show reactions", .character("g"))
    case .caption: Row("caption long, short, off", briefly: "caption", .character("c"))
    case .info: Row("what plays", .character("i"))
    case .mode: Row("next picture mode", briefly: "picture mode", .character("v"))
    case .fit: Row("all of it, or fill the screen", briefly: "all or fill", .character("f"))
    case .link: Row("open the story's link", briefly: "open link", .character("o"))
    case .still: Row("save a still picture", briefly: "save a still", .character("s"))
    case .repaint: Row("repaint", .control("L"))
    }
  }
}

/// Which key does what.
public struct KeyTable: Sendable {
  private var keys: [Action: [Key]]

  /// The usual keys.
  public init() {
    keys = Dictionary(uniqueKeysWithValues: Action.allCases.map { ($0, $0.row.keys) })
  }

  /// What a key does; nil for a key without meaning.
  public func action(for key: Key) -> Action? { keys.first { $0.value.contains(key) }?.key }

  /// Gives an action these keys instead of its own; keys that meant something else mean this now.
  public mutating func bind(_ action: Action, to keys: [Key]) {
    for other in Action.allCases { self.keys[other]?.removeAll(where: keys.contains) }
    self.keys[action] = keys
  }

  /// The name of an action's first key; nil where it has none.
  func name(of action: Action) -> String? { keys[action]?.first?.name }

  /// Names of the keys and what they do, for the help.
  var helpRows: [(keys: String, meaning: String, briefly: String)] {
    Action.allCases.compactMap { action in
      guard let keys = keys[action], !keys.isEmpty else { return nil }
      return (keys.map(\.name).joined(separator: " "), action.row.explanation, action.row.briefly)
    }
  }
}
