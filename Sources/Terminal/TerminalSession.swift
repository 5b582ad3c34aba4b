import Glibc
import Pictures
import System

/// The terminal while stories play: the alternate screen, keys and mouse, the chrome (the rows around
/// the picture), and the way for the bytes of the painter (`FramePainter`, which draws the picture).
/// One at a time in a process, used on one thread.
///
/// The player's signal handlers must be installed before (`Signals`). However the session ends, the
/// terminal is restored: by `close`, by deinit, and by `TerminalGuard` after a fatal signal.
public final class TerminalSession {
  public struct Options: Sendable {
    /// Whether clicks and the wheel are reported; meanwhile the terminal's own selection is off.
    public var mouse = true
    /// The colours to use; nil for all that the terminal can show.
    public var colour: ColourDepth?
    /// The source of keys; nil for standard input, or for /dev/tty if that is not a terminal.
    public var input: Int32?
    public var output: Int32 = STDOUT_FILENO
    public var environment = TerminalAbilities.currentEnvironment()
    /// Columns and rows to use instead of the terminal's size.
    public var size: (columns: Int, rows: Int)?

    public init(
      mouse: Bool = true, colour: ColourDepth? = nil, size: (columns: Int, rows: Int)? = nil
    ) {
      self.mouse = mouse
      self.colour = colour
      self.size = size
    }
  }

  /// What the terminal can show; `synchronizedOutput` and `repeatCharacter` become true if it answers
  /// so.
  public private(set) var abilities: TerminalAbilities
  public private(set) var size: WindowSize
  /// Readable if there is something for `readInput`.
  public let inputDescriptor: Int32
  /// Writable when `write` and `draw` may be called.
  public let outputDescriptor: Int32

  private let options: Options
  private let openedInput: OpenedInput?
  private let output: TerminalOutput
  private var curses: Curses?
  /// Keeps messages of libraries off the screen, also while the session is suspended.
  private var quietErrors: QuietErrors?
  private var decoder = InputDecoder()
  /// When the terminal was asked for its abilities; nil after its answer.
  private var asked: Instant?
  private var isSuspended = false
  private var drawnChrome: Chrome?
  private var drawnLayout: ScreenLayout?
  private var drawnRows: [Int: ChromeRow] = [:]
  /// The times that a question and its answer take on usual lines and on slow ones.
  private static let usualRoundTrip = Duration.milliseconds(300)
  private static let longestRoundTrip = Duration.seconds(1)
  /// The least time that an answer is waited for, even if its usual time has passed.
  private static let shortestWait = Duration.milliseconds(100)
  /// Whether the chrome may use the terminal's palette.
  private let hasColour: Bool

  /// Enters the alternate screen.
  ///
  /// Throws, without having changed anything, if the terminal cannot be used.
  public init(_ options: Options = Options()) throws(TerminalError) {
    self.options = options
    outputDescriptor = options.output
    guard isatty(outputDescriptor) == 1 else { throw .notATerminal }
    openedInput = try OpenedInput.ifNeeded(given: options.input)
    inputDescriptor = openedInput?.number ?? options.input ?? STDIN_FILENO
    let environment = options.environment
    guard
      let found = TerminalAbilities.found(output: outputDescriptor, environment: environment)
    else { throw .unknownTerminal(name: environment["TERM"] ?? "") }
    abilities = found.abilities
    guard !abilities.isDumb else { throw .tooSimple(name: abilities.name) }
    if let colour = options.colour { abilities.colour = colour }
    if !Curses.setLocale(unicode: abilities.unicode) { abilities.unicode = false }
    output = try TerminalOutput(terminal: outputDescriptor)
    guard let size = WindowSize(descriptor: outputDescriptor),
      let modes = Curses.modes(of: outputDescriptor)
    else { throw .notATerminal }
    self.size = size
    guard
      let curses = Curses(
        name: found.terminfoName, input: inputDescriptor, output: outputDescriptor)
    else { throw .unknownTerminal(name: abilities.name) }
    self.curses = curses
    hasColour = abilities.colour != .never && curses.startColours()
    arm(curses, modes)
    // Mouse reports are put together by the decoder: ncurses reads the rest of one with a call that
    // waits, and speaks the old protocol, which ends at column 223, in tmux and screen.
    curses.passThrough("kmous")
    curses.recognise(TerminalModes.synchronizedAnswers)
    adoptSize()
    curses.resize(columns: self.size.columns, rows: self.size.rows)
    enter(curses)
    quietErrors = QuietErrors(screen: outputDescriptor)
    if !abilities.isLinuxConsole {
      output.send(Array(TerminalModes.questions.utf8))
      asked = .now
      decoder.expectAnswers(from: .now)
    }
  }

  deinit { close() }

  // MARK: Input

  /// Everything typed, clicked or answered since the last call.
  ///
  /// Does not wait, except 25 ms after an Esc, which must be alone to count as a key.
  public func readInput() -> [InputEvent] {
    guard let curses, !isSuspended else { return [] }
    var events: [InputEvent] = []
    let now = Instant.now
    // Bounded, so that a flood of input does not block the player.
    for _ in 0..<4096 {
      guard let input = curses.read() else {
        events += decoder.settle()
        break
      }
      if let code = Self.code(input) { events += decoder.take(code, at: now) }
    }
    for event in events { note(event) }
    return events
  }

  private func note(_ event: InputEvent) {
    switch event {
    case .synchronizedOutput(let isUsable):
      abilities.synchronizedOutput = isUsable
      // The answer to the second of two questions (`TerminalModes.questions`): the first was answered
      // before it, or never will be.
      asked = nil
      decoder.expectNoAnswers()
    case .program(let name):
      abilities.repeatCharacter = TerminalProgram(answer: name).repeatsCharacters
    default: break
    }
  }

  private static func code(_ input: Curses.Input) -> InputDecoder.Code? {
    switch input {
    case .byte(let byte): .byte(byte)
    case .key(let code): Key(cursesCode: code).map { .key($0) }
    case .recognised(let answer): .synchronizedOutput(TerminalModes.isUsable(answer))
    }
  }

  /// Whether the other side of the terminal was closed; no input will come any more.
  public var hasHungUp: Bool {
    var entry = pollfd(fd: inputDescriptor, events: 0, revents: 0)
    return poll(&entry, 1, 0) > 0 && Int32(entry.revents) & (POLLHUP | POLLERR | POLLNVAL) != 0
  }

  // MARK: Size

  /// Width over height of a character cell.
  public var cellAspect: Double { size.cellAspect }

  /// Adapts to a new size of the window. The next `draw` clears the screen; after it the whole picture
  /// must be painted.
  public func resize() {
    guard let curses, !isSuspended else { return }
    adoptSize()
    curses.resize(columns: size.columns, rows: size.rows)
    repaintAll()
  }

  private func adoptSize() {
    if let now = WindowSize(descriptor: outputDescriptor) { size = now }
    if let wanted = options.size {
      size.columns = wanted.columns
      size.rows = wanted.rows
      size.pixels = nil
    }
    guard size.columns == 0 || size.rows == 0, let curses else { return }
    // A serial line reports no size; ncurses then takes the description's.
    size.columns = curses.size.columns
    size.rows = curses.size.rows
  }

  // MARK: Output

  /// Makes the next `draw` clear the screen and draw the whole chrome; after it the whole picture must
  /// be painted.
  public func repaintAll() {
    guard let curses else { return }
    curses.makeWindows(rows: [], columns: 0)
    curses.blankAll()
    curses.clearOnFlush()
    drawnLayout = nil
    drawnRows = [:]
  }

  /// Draws what changed in the chrome. The picture's rows are not touched, but with a new layout the
  /// picture must be painted whole after it: callers get the layout from `ScreenLayout.layout` too.
  ///
  /// Call it only if no frame is half written and the terminal accepts bytes.
  public func draw(_ chrome: Chrome) {
    guard let curses, !isSuspended, chrome != drawnChrome || drawnLayout == nil,
      output.flushPending()
    else { return }
    let layout = ScreenLayout.layout(
      columns: size.columns, rows: size.rows, hidden: chrome.hidden)
    let drawsLines = abilities.unicode && !abilities.isLinuxConsole
    // Mostly only the bar has moved.
    let isBarAlone =
      layout == drawnLayout && !layout.isTooSmall && drawnChrome?.isSameBesidesBar(chrome) == true
    let rows =
      isBarAlone
      ? [chrome.barRow(layout, drawsLines: drawsLines)]
      : chrome.rows(layout, unicode: abilities.unicode, drawsLines: drawsLines)
    drawnChrome = chrome
    if layout != drawnLayout { layOut(curses, layout, rows: rows.map(\.row)) }
    let changed = rows.filter { drawnRows[$0.row] != $0 }
    guard !changed.isEmpty else { return }
    for row in changed {
      curses.blank(row: row.row, columns: layout.columns)
      for run in row.runs {
        curses.put(run.text, row: row.row, column: run.column, style: style(run.tone, curses))
      }
      curses.stage(row: row.row)
      drawnRows[row.row] = row
    }
    output.send(curses.flush())
  }

  /// Moves rows between chrome and picture.
  private func layOut(_ curses: Curses, _ layout: ScreenLayout, rows: [Int]) {
    for row in drawnRows.keys where !rows.contains(row) {
      curses.blank(row: row, columns: layout.columns)
      curses.stage(row: row)
      drawnRows[row] = nil
    }
    output.send(curses.flush())
    // ncurses holds these rows for blank, but the picture was there, unless the flush has cleared the
    // screen.
    if drawnLayout != nil {
      let fromPicture = rows.filter { drawnRows[$0] == nil }
      output.send(Array(fromPicture.map(TerminalModes.emptyRow).joined().utf8))
    }
    curses.makeWindows(rows: rows, columns: layout.columns)
    drawnRows = [:]
    drawnLayout = layout
  }

  private func style(_ tone: ChromeRow.Tone, _ curses: Curses) -> Curses.Style {
    switch tone {
    case .plain, .bar(.cached), .bar(.gap): return Curses.Style()
    case .bar(.played): return Curses.Style(isBold: true)
    case .bar(.current): return Curses.Style(pair: hasColour ? Curses.Pair.accent : 0)
    case .alarm:
      return hasColour ? Curses.Style(pair: Curses.Pair.alarm) : Curses.Style(isBold: true)
    case .quiet, .bar(.unplayed), .bar(.label):
      if curses.canDim { return Curses.Style(isDim: true) }
      return Curses.Style(pair: hasColour ? Curses.Pair.quiet : 0)
    }
  }

  /// Sends the painter's bytes to the terminal without waiting.
  ///
  /// - Returns: how many were accepted; 0 if it accepts none now.
  public func write(_ bytes: ArraySlice<UInt8>) throws(TerminalError) -> Int {
    guard curses != nil, !isSuspended else { return 0 }
    return try output.write(bytes)
  }

  // MARK: Life

  /// Leaves the alternate screen, as before the process stops. Keys that are typed meanwhile are lost.
  public func suspend() {
    guard let curses, !isSuspended else { return }
    // Not yet suspended: this still reads input.
    restoreTerminal()
    isSuspended = true
    curses.endScreen()
  }

  /// Enters it again. The next `draw` draws the chrome; after it the whole picture must be painted. The
  /// size may have changed: call `resize`, too.
  public func resume() {
    guard let curses, isSuspended, let modes = Curses.modes(of: outputDescriptor) else { return }
    isSuspended = false
    curses.takeLine()
    decoder = InputDecoder()
    arm(curses, modes)
    repaintAll()
    enter(curses)
  }

  /// Restores the terminal. Nothing can be drawn any more; further calls do nothing. Keys that are
  /// typed meanwhile are lost.
  public func close() {
    guard curses != nil else { return }
    if !isSuspended { restoreTerminal() }
    quietErrors?.close()
    curses = nil
  }

  private func restoreTerminal() {
    awaitAnswer()
    dropPaste()
    // Half a chrome may have been sent, or half a frame: `undoing` begins with what ends them.
    output.dropPending()
    TerminalGuard.restore()
  }

  /// An answer that comes after the end would become input of the shell. It is waited for a moment, and
  /// unread input is dropped.
  private func awaitAnswer() {
    guard let asked, Instant.now - asked < Self.longestRoundTrip else { return }
    let deadline = max(Instant.now + Self.shortestWait, asked + Self.usualRoundTrip)
    while self.asked != nil, !hasHungUp, Instant.now < deadline {
      let ready = try? awaitReadiness(of: [Interest(inputDescriptor)], until: deadline)
      if ready?.first?.readable != true { break }
      _ = readInput()
    }
    if self.asked != nil { tcflush(inputDescriptor, TCIFLUSH) }
    self.asked = nil
  }

  /// The rest of pasted text would become input of the shell, which would run it. It is read for a
  /// moment, and unread input is dropped.
  private func dropPaste() {
    guard decoder.isInPaste else { return }
    let deadline = Instant.now + Self.usualRoundTrip
    while decoder.isInPaste, !hasHungUp, Instant.now < deadline {
      let ready = try? awaitReadiness(of: [Interest(inputDescriptor)], until: deadline)
      if ready?.first?.readable != true { break }
      _ = readInput()
    }
    tcflush(inputDescriptor, TCIFLUSH)
  }

  private func enter(_ curses: Curses) {
    curses.blankAll()
    output.send(curses.flush())
    let modes =
      (options.mouse ? TerminalModes.mouseOn : "") + TerminalModes.focusOn + TerminalModes.pasteOn
    output.send(Array(modes.utf8))
  }

  /// What ncurses does not undo itself. The first byte ends whatever sequence was broken off.
  private var undoing: String {
    TerminalModes.synchronizedOff + TerminalModes.plainStyle + TerminalModes.mouseOff
      + TerminalModes.focusOff + TerminalModes.pasteOff + TerminalModes.autowrapOn
  }

  private func arm(_ curses: Curses, _ modes: termios) {
    let ending = ["rmkx", "op", "sgr0", "rmcup", "cnorm"].map { curses.string($0) ?? "" }.joined()
    let text = undoing + TerminalModes.lastRow + ending + TerminalModes.cursorOn + "\r"
    let bytes = Array(text.utf8)
    TerminalGuard.arm(descriptor: output.descriptorNumber, attributes: modes, bytes: bytes)
  }
}
