/// The escape sequences that switch the terminal's modes (xterm's names and numbers).
enum TerminalModes {
  /// Presses, releases and the wheel; with mode 1006, positions are decimal numbers without a limit.
  static let mouseOn = "\u{1B}[?1000h\u{1B}[?1006h"
  static let mouseOff = "\u{1B}[?1006l\u{1B}[?1000l"
  static let focusOn = "\u{1B}[?1004h"
  static let focusOff = "\u{1B}[?1004l"
  static let synchronizedOff = "\u{1B}[?2026l"
  /// Pasted text comes between `ESC [ 200 ~` and `ESC [ 201 ~`.
  static let pasteOn = "\u{1B}[?2004h"
  static let pasteOff = "\u{1B}[?2004l"
  private static let askName = "\u{1B}[>0q"
  private static let askSynchronized = "\u{1B}[?2026$p"
  static let plainStyle = "\u{1B}[m"
  /// Asks which program the terminal is (XTVERSION), and whether it supports mode 2026 (DECRQM); it
  /// answers in this order. Terminals that parse neither, such as Apple's, show the end of a question
  /// as text, so the row is emptied at once. ncurses' cursor stays where it is.
  static let questions = "\u{1B}7\u{1B}[H" + askName + askSynchronized + "\r\u{1B}[2K\u{1B}8"
  static let autowrapOn = "\u{1B}[?7h"
  static let cursorOn = "\u{1B}[?25h"

  /// Where the shell continues in terminals without an alternate screen.
  static let lastRow = "\u{1B}[9999;1H"

  /// The five answers to `askSynchronized`, by the value that they report: unknown, set, not set,
  /// permanently set, permanently not set.
  static let synchronizedAnswers = (0...4).map { "\u{1B}[?2026;\($0)$y" }

  /// Whether the value of an answer means that the mode can be used.
  static func isUsable(_ value: Int) -> Bool { (1...3).contains(value) }

  /// Empties one row without moving ncurses' cursor or changing its style. Rows count from 0.
  static func emptyRow(_ row: Int) -> String {
    "\u{1B}7\u{1B}[\(row + 1);1H\u{1B}[m\u{1B}[2K\u{1B}8"
  }
}
