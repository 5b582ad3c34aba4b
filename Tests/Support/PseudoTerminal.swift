import Glibc
import System

/// A pseudo-terminal of a given size, a program on it, and the screen that its output makes.
///
/// The output is read on its own thread, which also answers the program's queries; the screen is
/// computed on the thread that asks for it.
public final class PseudoTerminal {
  /// One read of the program's output, and when it came.
  public struct Chunk: Sendable {
    public let arrival: Instant
    public let bytes: [UInt8]
  }

  /// The other end, as the program opens it.
  public let path: String
  /// An open descriptor of the other end, for a terminal program inside the test's own process.
  public let slave: Int32
  /// When the program was started.
  public private(set) var started: Instant?
  /// How the program ended, once `awaitEnd` saw it.
  public private(set) var ending: Ending?

  private let reader: TerminalReader
  private let attributesBefore: termios
  private let cell: (width: Int, height: Int)
  private var program: Spawned?
  private var currentScreen: TerminalScreen
  private var chunksFed = 0

  /// Makes the terminal. `cell` is the size of a character in pixels, 0 for a terminal that does
  /// not report it; `bytesPerSecond` makes it a slow line. `name` is its answer to XTVERSION, nil
  /// for a terminal that does not know the query.
  public init(
    columns: Int = 120, rows: Int = 40, cell: (width: Int, height: Int) = (10, 20),
    bytesPerSecond: Int? = nil, name: String? = nil
  ) throws {
    let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard master >= 0 else { throw SupportError("cannot open a pseudo terminal") }
    var unlock: Int32 = 0
    var number: UInt32 = 0
    guard ioctl(master, 0x4004_5431, &unlock) == 0, ioctl(master, 0x8004_5430, &number) == 0
    else { throw SupportError("cannot unlock a pseudo terminal") }
    path = "/dev/pts/\(number)"
    slave = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    var attributes = termios()
    guard slave >= 0, tcgetattr(slave, &attributes) == 0 else {
      throw SupportError("cannot open \(path)")
    }
    attributesBefore = attributes
    self.cell = cell
    currentScreen = TerminalScreen(columns: columns, rows: rows)
    reader = try TerminalReader(master: master, bytesPerSecond: bytesPerSecond, name: name)
    try setSize(columns: columns, rows: rows)
  }

  deinit {
    if let program, ending == nil {
      kill(-program.identifier, SIGKILL)
      while program.reap() == nil { usleep(1000) }
    }
    reader.stop()
    close(slave)
  }

  /// Starts a program that leads a session on this terminal.
  public func start(
    _ program: String, _ arguments: [String], environment: [String: String],
    directory: String? = nil
  ) throws {
    precondition(self.program == nil, "one program a terminal")
    started = .now
    self.program = try Spawned(
      program, arguments, environment: environment, directory: directory, terminal: path)
  }

  /// The program's process number.
  public var identifier: pid_t? { program?.identifier }

  /// Sends keys or mouse events.
  public func send(_ keys: String) { send(Array(keys.utf8)) }

  public func send(_ bytes: [UInt8]) { reader.send(bytes) }

  /// Sends a signal to the program alone.
  public func signal(_ number: Int32) {
    guard let program, ending == nil else { return }
    kill(program.identifier, number)
  }

  /// Closes the terminal, like a closed window or a lost line.
  public func hangUp() { reader.stop() }

  /// Changes the size; the kernel sends the program SIGWINCH.
  public func resize(columns: Int, rows: Int) throws {
    feedScreen()
    currentScreen.resize(columns: columns, rows: rows)
    try setSize(columns: columns, rows: rows)
  }

  private func setSize(columns: Int, rows: Int) throws {
    var size = winsize(
      ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: UInt16(columns * cell.width),
      ws_ypixel: UInt16(rows * cell.height))
    guard ioctl(slave, UInt(TIOCSWINSZ), &size) == 0 else {
      throw SupportError("cannot set the size of \(path)")
    }
  }

  // MARK: Output

  /// All reads so far.
  public var chunks: [Chunk] { reader.chunks(from: 0) }

  /// All bytes so far.
  public var output: [UInt8] { chunks.flatMap(\.bytes) }

  /// The screen after all bytes so far.
  public var screen: TerminalScreen {
    feedScreen()
    return currentScreen
  }

  private func feedScreen() {
    for chunk in reader.chunks(from: chunksFed) {
      chunksFed += 1
      currentScreen.feed(chunk.bytes)
    }
  }

  /// Waits until the screen satisfies a condition; false if the time runs out or the program ends
  /// before.
  public func waitUntil(
    within limit: Duration = .seconds(15), _ condition: (TerminalScreen) -> Bool
  ) -> Bool {
    let answer: Bool? = awaitValue(
      within: limit, pause: { reader.awaitOutput(past: chunksFed, milliseconds: 20) }
    ) {
      let ended = pollEnd()
      if ended { reader.drain() }
      feedScreen()
      return condition(currentScreen) ? true : ended ? false : nil
    }
    return answer ?? false
  }

  /// When the byte at `offset` of the output arrived.
  public func arrival(ofByte offset: Int) -> Instant? {
    var end = 0
    for chunk in chunks {
      end += chunk.bytes.count
      if end > offset { return chunk.arrival }
    }
    return nil
  }

  // MARK: The end

  /// Waits for the program's end and its last bytes; nil if it still runs.
  public func awaitEnd(within limit: Duration = .seconds(15)) -> Ending? {
    guard holds(within: limit, pollEnd) else { return nil }
    reader.drain()
    return ending
  }

  private func pollEnd() -> Bool {
    if ending == nil { ending = program?.reap() }
    return ending != nil
  }

  /// Whether the terminal's attributes are what they were before the program started.
  public var attributesUnchanged: Bool {
    var now = termios()
    guard tcgetattr(slave, &now) == 0 else { return false }
    return now.c_iflag == attributesBefore.c_iflag && now.c_oflag == attributesBefore.c_oflag
      && now.c_cflag == attributesBefore.c_cflag && now.c_lflag == attributesBefore.c_lflag
      && withUnsafeBytes(of: now.c_cc) { now in
        withUnsafeBytes(of: attributesBefore.c_cc) { now.elementsEqual($0) }
      }
  }
}
