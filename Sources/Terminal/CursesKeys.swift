import CNcurses

extension Key {
  /// The key of ncurses' number; nil for keys that are ignored. A usual Enter or Backspace comes as a
  /// byte instead, as Tab and Esc do (`InputDecoder`).
  init?(cursesCode code: Int32) {
    switch code {
    case KEY_LEFT: self = .left
    case KEY_RIGHT: self = .right
    case KEY_UP: self = .up
    case KEY_DOWN: self = .down
    // Find and Select of a vt220 send what Home and End send elsewhere: `ESC [ 1 ~`, `ESC [ 4 ~`.
    case KEY_HOME, KEY_FIND: self = .home
    case KEY_END, KEY_SELECT: self = .end
    case KEY_PPAGE: self = .pageUp
    case KEY_NPAGE: self = .pageDown
    case KEY_BTAB: self = .backTab
    case KEY_ENTER: self = .enter
    case KEY_BACKSPACE: self = .backspace
    case KEY_F0 + 1...KEY_F0 + 63: self = .f(Int(code - KEY_F0))
    default: return nil
    }
  }
}
