import Terminal

/// What a key can do.
public enum Action: String, CaseIterable, Sendable {
  case next, previous
  case nextReel = "next-reel"
  case previousReel = "previous-reel"
  case restart, end, pause
  case seekBack = "seek-back"
  case seekForward = "seek-forward"
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
      (.seekBack, [.character(",")]),
      (.seekForward, [.character(".")]),
      (.caption, [.character("c")]),
      (.info, [.character("i")]),
      (.mode, [.character("v")]),
      (.fit, [.character("f")]),
      (.link, [.character("o")]),
      (.still, [.character("s")]),
      (.help, [.character("?"), .f(1)]),
      (.repaint, [.control("L")]),
      (.close, [.escape]),
      (.quit, [.character("q")]),
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

  /// Names of the keys and what they do, for the help.
  var helpRows: [(keys: String, meaning: String)] {
    rows.filter { !$0.keys.isEmpty }.map {
      ($0.keys.map(\.name).joined(separator: " "), $0.action.explanation)
    }
  }
}
