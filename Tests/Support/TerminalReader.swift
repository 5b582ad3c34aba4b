import Glibc
import Synchronization
import System

/// The thread that reads a pseudo-terminal's master and answers the program's queries.
///
/// The thread keeps the reader alive until `stop`.
final class TerminalReader: Sendable {
  private struct State {
    var chunks: [PseudoTerminal.Chunk] = []
    /// Set when the master has been closed.
    var closed = false
    /// The last bytes of the previous chunk, in which a query may have begun.
    var tail: [UInt8] = []
  }

  private let master: Int32
  private let bytesPerSecond: Int?
  private let name: String?
  private let stopWaker: Waker
  private let state = Mutex(State())

  init(master: Int32, bytesPerSecond: Int?, name: String?) throws {
    self.master = master
    self.name = name
    self.bytesPerSecond = bytesPerSecond
    stopWaker = try Waker()
    let own = Unmanaged.passRetained(self)
    var thread = pthread_t()
    let code = pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        Unmanaged<TerminalReader>.fromOpaque(context).takeRetainedValue().run()
        return nil
      }, own.toOpaque())
    guard code == 0 else {
      own.release()
      throw SupportError("cannot start a thread")
    }
    pthread_detach(thread)
  }

  /// Closes the master, which hangs the terminal up, and ends the thread.
  func stop() {
    stopWaker.wake()
    while !state.withLock({ $0.closed }) { usleep(500) }
  }

  func chunks(from index: Int) -> [PseudoTerminal.Chunk] {
    state.withLock { Array($0.chunks[min(index, $0.chunks.count)...]) }
  }

  /// Waits until there are more than `count` chunks, or for so long.
  func awaitOutput(past count: Int, milliseconds: Int) {
    _ = holds(within: .milliseconds(milliseconds), pause: { usleep(500) }) {
      state.withLock { $0.chunks.count > count }
    }
  }

  /// Waits until nothing more comes. The program must have ended.
  func drain() {
    var quiet = 0
    while quiet < 5 {
      var entry = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
      let closed = state.withLock { $0.closed }
      quiet = closed || poll(&entry, 1, 0) <= 0 ? quiet + 1 : 0
      usleep(1000)
    }
  }

  func send(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty, !state.withLock({ $0.closed }) {
      let count = rest.withUnsafeBytes { write(master, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  private func run() {
    let burst = bytesPerSecond.map { max(64, $0 / 100) } ?? 1 << 16
    var buffer = [UInt8](repeating: 0, count: burst)
    while true {
      var entries = [
        pollfd(fd: stopWaker.number, events: Int16(POLLIN), revents: 0),
        pollfd(fd: master, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&entries, 2, -1) > 0 else { continue }
      if entries[0].revents != 0 { break }
      let count = read(master, &buffer, burst)
      // EIO would mean that nobody holds the other end open; the test itself does.
      guard count > 0 else {
        usleep(1000)
        continue
      }
      take(Array(buffer[..<count]))
      if let bytesPerSecond { usleep(UInt32(count * 1_000_000 / bytesPerSecond)) }
    }
    state.withLock {
      $0.closed = true
      close(master)
    }
  }

  private func take(_ bytes: [UInt8]) {
    let answers = state.withLock { state in
      state.chunks.append(PseudoTerminal.Chunk(arrival: .now, bytes: bytes))
      let searched = state.tail + bytes
      state.tail = searched.suffix(16)
      return Self.answers(to: searched, newFrom: searched.count - bytes.count, name: name)
    }
    if !answers.isEmpty { send(answers) }
  }

  /// The answers of a terminal that knows synchronized updates to queries whose last byte is new.
  static func answers(to bytes: [UInt8], newFrom start: Int, name: String? = nil) -> [UInt8] {
    var answers: [UInt8] = []
    for index in start..<bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "p") where index >= 5 && bytes[index - 1] == UInt8(ascii: "$"):
        let digits = bytes[..<(index - 1)].reversed().prefix { 0x30...0x39 ~= $0 }.reversed()
        let head = bytes[..<(index - 1 - digits.count)].suffix(3)
        guard head.elementsEqual([0x1B, UInt8(ascii: "["), UInt8(ascii: "?")]) else { continue }
        let mode = String(decoding: Array(digits), as: UTF8.self)
        answers += Array("\u{1B}[?\(mode);\(mode == "2026" ? 2 : 0)$y".utf8)
      case UInt8(ascii: "q"):
        guard let name, bytes[..<index].suffix(4).elementsEqual("\u{1B}[>0".utf8) else { continue }
        answers += Array("\u{1B}P>|\(name)\u{1B}\\".utf8)
      case UInt8(ascii: "c") where index >= 2:
        let head = bytes[..<index].suffix(3)
        guard
          head.suffix(2).elementsEqual([0x1B, UInt8(ascii: "[")])
            || head.elementsEqual([0x1B, UInt8(ascii: "["), UInt8(ascii: "0")])
        else { continue }
        answers += Array("\u{1B}[?62;22c".utf8)
      // Queries for the colours of text and background, which some programs wait for.
      case UInt8(ascii: "?") where index >= 5 && bytes[index - 1] == UInt8(ascii: ";"):
        let head = String(decoding: bytes[(index - 5)..<index], as: UTF8.self)
        guard head == "\u{1B}]11;" || head == "\u{1B}]10;" else { continue }
        let color = head.contains("11") ? "0000/0000/0000" : "ffff/ffff/ffff"
        answers += Array("\(head)rgb:\(color)\u{1B}\\".utf8)
      default: continue
      }
    }
    return answers
  }
}
