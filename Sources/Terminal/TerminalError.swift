import System

/// Why a terminal can't be used.
public enum TerminalError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The output, or the source of keys, is not a terminal.
  case notATerminal
  /// `TERM` names a terminal that cannot place its cursor.
  case tooSimple(name: String)
  /// ncurses knows neither this terminal nor any that it might resemble.
  case unknownTerminal(name: String)
  /// The terminal is gone: its window was closed or the connection was lost.
  case hungUp
  case system(SystemError)

  public var description: String {
    switch self {
    case .notATerminal: "not a terminal: run it in one, or use 'show' or 'list'"
    case .tooSimple(let name): "the terminal '\(name)' cannot place a cursor: use '--text'"
    case .unknownTerminal(let name):
      "no description of the terminal '\(name)': install ncurses-term or set TERM"
    case .hungUp: "the terminal is gone"
    case .system(let error): error.description
    }
  }
}
