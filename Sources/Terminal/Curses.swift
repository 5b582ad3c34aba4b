import CNcurses
import Glibc
import Pictures
import System

/// The one place that calls ncurses. Owns its screen, windows and streams, and frees them once.
///
/// ncurses keeps its state in globals: one screen at a time, on one thread.
final class Curses {
  /// The style of a text.
  struct Style: Equatable {
    var isBold = false
    var isDim = false
    /// 0 for the default colours, or one of `Pair`.
    var pair: Int16 = 0
  }

  /// The colour pairs that are defined if the terminal has colours.
  enum Pair {
    static let accent: Int16 = 1
    static let alarm: Int16 = 2
    /// Grey, for terminals that cannot dim.
    static let quiet: Int16 = 3
  }

  /// What was read.
  enum Input: Equatable {
    case byte(UInt8)
    /// A key of the terminal's description, by its number in ncurses.
    case key(Int32)
    /// A string given to `recognise`, by its index.
    case recognised(Int)
  }

  private let screen: OpaquePointer
  /// The pipe that ncurses writes to. Writing to the terminal itself, ncurses would block on a terminal
  /// that accepts nothing, and with it the whole player.
  private let written: Descriptor
  private let output: UnsafeMutablePointer<FILE>
  private let input: UnsafeMutablePointer<FILE>
  /// Keys are read from a pad, since reading from a window may refresh it.
  private let keys: UnsafeMutablePointer<WINDOW>
  private var windows: [Int: UnsafeMutablePointer<WINDOW>] = [:]

  private let terminal: Int32
  /// The terminal's attributes while stories play.
  private var modes = termios()
  /// Whether the terminal can show dim text.
  let canDim: Bool

  /// The numbers of recognised strings begin here, beyond all numbers of keys in ncurses.
  private static let firstRecognised: Int32 = 0x4000

  /// Sets the terminal's attributes, and makes the first `flush` enter the alternate screen.
  ///
  /// - Returns: nil if ncurses does not know a terminal of that name.
  init?(name: String, input inputDescriptor: Int32, output outputDescriptor: Int32) {
    // Copies are used, since closing a stream closes its descriptor.
    guard let output = Self.stream(outputDescriptor, "w") else { return nil }
    guard let input = Self.stream(inputDescriptor, "r") else {
      fclose(output)
      return nil
    }
    // The size is read from the terminal and not from LINES and COLUMNS. A size too large for the
    // memory is replaced by that of the description until `resize`.
    let isSane = WindowSize(descriptor: outputDescriptor)?.isCut != true
    use_env(isSane)
    use_tioctl(isSane)
    let started = Self.keepingSignals { newterm(name, output, input) }
    cbreak()
    noecho()
    guard let screen = started, let keys = newpad(1, 1), let written = Self.divert(output) else {
      if let started {
        endwin()
        delscreen(started)
      }
      fclose(output)
      fclose(input)
      return nil
    }
    self.screen = screen
    self.output = output
    self.input = input
    self.keys = keys
    self.written = written
    // The name may be that of another terminal that mosh or screen run in.
    nc_never_repeat()
    terminal = outputDescriptor
    canDim = nc_can_show(nc_dim())
    tcgetattr(terminal, &modes)
    // ^S would stop the pictures, and not everybody knows ^Q.
    modes.c_iflag &= ~tcflag_t(IXON)
    takeLine()
    curs_set(0)
    set_escdelay(25)
    keypad(keys, true)
    nodelay(keys, true)
    // Drawing must not be interrupted by a key.
    typeahead(-1)
  }

  /// Frees everything; the terminal is restored by `TerminalGuard`.
  deinit {
    endwin()
    for window in windows.values { delwin(window) }
    delwin(keys)
    delscreen(screen)
    fclose(output)
    fclose(input)
  }

  private static func stream(_ descriptor: Int32, _ mode: String) -> UnsafeMutablePointer<FILE>? {
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
    guard copy >= 0 else { return nil }
    guard let stream = fdopen(copy, mode) else {
      close(copy)
      return nil
    }
    return stream
  }

  /// Redirects a stream's descriptor, which ncurses writes to, into a pipe.
  ///
  /// - Returns: the end of the pipe to read from.
  private static func divert(_ output: UnsafeMutablePointer<FILE>) -> Descriptor? {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    let writing = Descriptor(adopting: ends[1])
    let reading = Descriptor(adopting: ends[0])
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    // More than the chrome of the largest screen.
    _ = fcntl(ends[1], pipeSize, 1 << 20)
    guard dup2(writing.number, fileno(output)) >= 0 else { return nil }
    _ = fcntl(fileno(output), F_SETFD, FD_CLOEXEC)
    return reading
  }

  /// F_SETPIPE_SZ, which Glibc hides.
  private static let pipeSize: Int32 = 1031

  /// ncurses installs its own handlers for signals that have their default action.
  private static func keepingSignals<Result>(_ body: () -> Result) -> Result {
    let taken = [SIGINT, SIGTERM, SIGTSTP, SIGWINCH]
    let actions = taken.map { signal -> sigaction in
      var action = sigaction()
      sigaction(signal, nil, &action)
      return action
    }
    defer {
      for (signal, action) in zip(taken, actions) {
        var action = action
        sigaction(signal, &action, nil)
      }
    }
    return body()
  }

  /// A terminal's attributes; nil if it is not a terminal.
  static func modes(of descriptor: Int32) -> termios? {
    var modes = termios()
    return tcgetattr(descriptor, &modes) == 0 ? modes : nil
  }

  // MARK: The terminal's description

  /// A string of the description without delays; nil if it has none.
  func string(_ name: String) -> String? {
    guard let value = nc_string(name) else { return nil }
    var result = ""
    var rest = String(cString: value)[...]
    while let start = rest.firstRange(of: "$<") {
      result += rest[..<start.lowerBound]
      guard let end = rest[start.upperBound...].firstIndex(of: ">") else { break }
      rest = rest[rest.index(after: end)...]
    }
    return result + rest
  }

  /// Looks up the first of these terminals that has a description, without touching any.
  static func describe(
    _ names: [String], output: Int32
  ) -> (name: String, description: TerminalAbilities.Description)? {
    for name in names {
      var found = nc_description()
      guard nc_describe(name, output, &found) else { continue }
      let description = TerminalAbilities.Description(
        colours: found.colours < 0 ? nil : Int(found.colours),
        hasDirectColour: found.direct_colour, placesCursor: found.places_cursor)
      return (name, description)
    }
    return nil
  }

  /// Makes ncurses write UTF-8, or only ASCII; false if the machine cannot do the former.
  static func setLocale(unicode: Bool) -> Bool {
    guard unicode else { return setlocale(LC_CTYPE, "C") != nil }
    // The named locale may not be installed here, as after ssh; only its encoding matters.
    return setlocale(LC_CTYPE, "C.UTF-8") != nil || setlocale(LC_CTYPE, "") != nil
  }

  // MARK: Keys

  /// Makes `read` return these strings as single codes from now on.
  func recognise(_ strings: [String]) {
    for (index, string) in strings.enumerated() {
      define_key(string, Self.firstRecognised + Int32(index))
    }
  }

  /// Lets a string of the description come through byte by byte.
  func passThrough(_ name: String) {
    guard let value = nc_string(name) else { return }
    define_key(value, 0)
  }

  /// The next code; nil if there is none. Waits at most the 25 ms in which the rest of an escape
  /// sequence may come.
  func read() -> Input? {
    let code = wgetch(keys)
    switch code {
    case 0...0xFF: return .byte(UInt8(code))
    case Self.firstRecognised...: return .recognised(Int(code - Self.firstRecognised))
    case 0x100...: return .key(code)
    default: return nil
    }
  }

  // MARK: Drawing

  /// Defines the colours; false if the description has none. Without this call everything is
  /// monochrome.
  func startColours() -> Bool {
    guard has_colors(), start_color() == OK else { return false }
    use_default_colors()
    init_pair(Pair.accent, Int16(COLOR_CYAN), -1)
    init_pair(Pair.alarm, Int16(COLOR_RED), -1)
    let grey: Int16 = nc_colours() >= 16 ? 8 : -1
    init_pair(Pair.quiet, grey, -1)
    return true
  }

  /// Makes a blank window for each of these rows; other windows are deleted, and their rows stay as
  /// they are.
  func makeWindows(rows: [Int], columns: Int) {
    for window in windows.values { delwin(window) }
    windows = [:]
    for row in rows {
      guard let window = newwin(1, Int32(columns), Int32(row), 0) else { continue }
      idlok(window, false)
      scrollok(window, false)
      leaveok(window, true)
      windows[row] = window
    }
  }

  /// Blanks a row's window before it is written.
  ///
  /// Its last column gets an invisible space. If a row and all rows below were blank to ncurses, it
  /// would clear to the end of the screen, and with it the picture; such a space is not blank to it.
  func blank(row: Int, columns: Int) {
    guard let window = windows[row] else { return }
    werase(window)
    nc_style(window, nc_invisible(), 0)
    nc_put(window, Int32(columns - 1), " ")
    nc_style(window, 0, 0)
  }

  /// Writes into a row's window.
  func put(_ text: String, row: Int, column: Int, style: Style) {
    guard let window = windows[row] else { return }
    var attributes: attr_t = 0
    if style.isBold { attributes |= nc_bold() }
    if style.isDim { attributes |= nc_dim() }
    nc_style(window, attributes, style.pair)
    nc_put(window, Int32(column), Self.measurable(text))
  }

  /// The text with a question mark for each character whose width differs in ncurses and in the layout:
  /// those that are newer than the C library.
  private static func measurable(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
    var result = ""
    // The bar repeats a few characters over and over.
    var last: (scalar: Unicode.Scalar, shown: String)?
    for scalar in text.unicodeScalars {
      if last?.scalar != scalar { last = (scalar, measurable(scalar)) }
      result += last?.shown ?? ""
    }
    return result
  }

  private static func measurable(_ scalar: Unicode.Scalar) -> String {
    let text = String(scalar)
    let width = DisplayText.width(of: text)
    if Int(nc_width(scalar.value)) == width { return text }
    return width > 0 ? "?" + String(repeating: " ", count: width - 1) : ""
  }

  /// Marks a row's window for the next `flush`.
  func stage(row: Int) {
    guard let window = windows[row] else { return }
    wnoutrefresh(window)
  }

  /// The bytes that make the terminal show what was staged.
  func flush() -> [UInt8] {
    doupdate()
    return taken()
  }

  private func taken() -> [UInt8] {
    var bytes: [UInt8] = []
    while case .bytes? = try? written.read(upTo: 1 << 13, into: &bytes) {}
    return bytes
  }

  /// Makes the next `flush` clear the screen and draw all of the windows.
  func clearOnFlush() { clearok(nc_curscr(), true) }

  /// Blanks ncurses' image of the whole screen.
  func blankAll() {
    werase(nc_stdscr())
    leaveok(nc_stdscr(), true)
    wnoutrefresh(nc_stdscr())
  }

  // MARK: Life

  var size: (columns: Int, rows: Int) { (Int(nc_columns()), Int(nc_lines())) }

  /// "ncurses 6.4.20221231".
  static var version: String { curses_version().map { String(cString: $0) } ?? "ncurses" }

  /// Follows a change of size.
  func resize(columns: Int, rows: Int) { resizeterm(Int32(rows), Int32(columns)) }

  /// Makes the next `flush` enter the alternate screen again; the terminal has left it.
  func endScreen() {
    endwin()
    _ = taken()
  }

  /// Sets the terminal's attributes again.
  func takeLine() { tcsetattr(terminal, TCSANOW, &modes) }
}
