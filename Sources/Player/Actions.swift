import Terminal

/// What a key can do.
public enum Action: String, CaseIterable, Sendable {
  case next, previous
  case nextReel = "next-reel"
  case previousReel = "previous-reel"
  case restart, end, pause
  case seekBack = "seek-back"
  case seekForward = "seek-forward"
  case mute
  case volumeUp = "volume-up"
  case volumeDown = "volume-down"
  case reactions
  case showReactions = "show-reactions"
  case caption, mode, fit, link, still, help, info, repaint, close, quit
  case quitRemembering = "quit-remembering"

  /// What the help says of it.
  var explanation: String {
    switch self {
    case .next: "next story"
    case .previous: "previous story"
    case .nextReel: "next reel"
    case .previousReel: "previous reel"
    case .restart: "restart the story"
    case .end: "to the end"
    case .pause: "pause"
    case .seekBack: "5 s back"
    case .seekForward: "5 s forward"
    case .mute: "sound off, on"
    case .volumeUp: "louder"
    case .volumeDown: "softer"
    case .reactions: "reactions: 1 to 9 send"
    case .showReactions: "reactions shown or not"
    case .caption: "caption long, short, off"
    case .mode: "next picture mode"
    case .fit: "all of it, or fill the screen"
    case .link: "open the story's link"
    case .still: "save a still picture"
    case .help: "this help"
    case .info: "what plays"
    case .repaint: "repaint"
    case .close: "close this"
    case .quit: "quit"
    case .quitRemembering: "quit and remember the place"
    }
  }
}

extension Action {
  /// What a narrow help says of it.
  var briefly: String {
    switch self {
    case .previous: "story before"
    case .previousReel: "reel before"
    case .restart: "restart"
    case .reactions: "reactions"
    case .showReactions: "show reactions"
    case .caption: "caption"
    case .mode: "picture mode"
    case .fit: "all or fill"
    case .link: "open link"
    case .still: "save a still"
    case .quitRemembering: "quit, keep place"
    default: explanation
    }
  }
}

/// Which key does what.
public struct KeyTable: Sendable {
  /// In the order of the help: an action and its keys.
  private var rows: [(action: Action, keys: [Key])]

  /// The usual keys.
  public init() {
    rows = [
      (.next, [.right, .character("l"), .enter]),
      (.previous, [.left, .character("h")]),
      (.nextReel, [.down, .character("J"), .tab]),
      (.previousReel, [.up, .character("K"), .backTab]),
      (.restart, [.home]),
      (.end, [.end]),
      (.pause, [.character(" "), .character("p")]),
      (.quit, [.character("q")]),
      (.quitRemembering, [.character("Q")]),
      (.close, [.escape]),
      (.help, [.character("?"), .f(1)]),
      (.seekBack, [.character(",")]),
      (.seekForward, [.character(".")]),
      (.mute, [.character("m")]),
      (.volumeUp, [.character("+"), .character("=")]),
      (.volumeDown, [.character("-")]),
      (.reactions, [.character("r")]),
      (.showReactions, [.character("g")]),
      (.caption, [.character("c")]),
      (.info, [.character("i")]),
      (.mode, [.character("v")]),
      (.fit, [.character("f")]),
      (.link, [.character("o")]),
      (.still, [.character("s")]),
      (.repaint, [.control("L")]),
    ]
  }

  /// What a key does; nil for a key without meaning.
  public func action(for key: Key) -> Action? {
    rows.first { $0.keys.contains(key) }?.action
  }

  /// Gives an action these keys instead of its own; keys that meant something else mean this now.
  public mutating func bind(_ action: Action, to keys: [Key]) {
    for index in rows.indices {
      if rows[index].action == action {
        rows[index].keys = keys
      } else {
        rows[index].keys.removeAll(where: keys.contains)
      }
    }
  }

  /// The name of an action's first key; nil where it has none.
  func name(of action: Action) -> String? {
    rows.first { $0.action == action }?.keys.first?.name
  }

  /// Names of the keys and what they do, for the help.
  var helpRows: [(keys: String, meaning: String, briefly: String)] {
    rows.filter { !$0.keys.isEmpty }.map {
      ($0.keys.map(\.name).joined(separator: " "), $0.action.explanation, $0.action.briefly)
    }
  }
}
