import Synchronization
import System

/// Writes a line for each request in the common log format, on its own thread: a reader of the log
/// that stalls delays nobody.
final class AccessLog: Sendable {
  /// More lines than this are dropped while nobody reads.
  private static let mostWaiting = 10_000

  private struct State {
    var lines: [String] = []
    var isClosed = false
  }

  private let state = Mutex(State())
  /// How long `close` waits for a reader.
  private static let patience = Duration.seconds(1)

  private let waker: Waker
  private let ended: Waker

  /// - Parameter output: writes whole lines; returns false when nobody reads them any more.
  init(output: @escaping @Sendable (String) -> Bool) throws(SystemError) {
    waker = try Waker()
    ended = try Waker()
    _ = try WorkerThread { [self] in
      run(output)
      ended.wake()
    }
  }

  func write(_ access: Access) { write(line: AccessLog.line(access)) }

  func write(line: String) {
    state.withLock { state in
      if state.lines.count < AccessLog.mostWaiting { state.lines.append(line) }
    }
    waker.wake()
  }

  /// Writes what is left, unless nobody reads it.
  func close() {
    state.withLock { $0.isClosed = true }
    waker.wake()
    _ = try? awaitReadiness(of: [Interest(ended.number)], until: .now + AccessLog.patience)
  }

  private func run(_ output: (String) -> Bool) {
    while true {
      _ = try? awaitReadiness(of: [Interest(waker.number)], until: nil)
      waker.silence()
      let (lines, isClosed) = state.withLock { state in
        defer { state.lines.removeAll() }
        return (state.lines, state.isClosed)
      }
      let text = lines.map { $0 + "\n" }.joined()
      guard text.isEmpty || output(text), !isClosed else { return }
    }
  }

  /// `client - - [time] "request line" status bytes`. The query is left out: it may hold a secret.
  static func line(_ access: Access) -> String {
    let target = access.target.prefix { $0 != "?" }
    let head = [access.method, String(target), access.version].filter { !$0.isEmpty }
    let status = access.status.map(String.init) ?? "-"
    let bytes = access.bytes.map(String.init) ?? "-"
    return "\(access.client) - - [\(HTTPDate.logText(access.time))] "
      + "\"\(escaped(head.joined(separator: " ")))\" \(status) \(bytes)"
  }

  /// Text with everything but visible ASCII as `\xHH`, so that each request is one line and cannot
  /// affect a terminal.
  private static func escaped(_ text: String) -> String {
    var line = ""
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        line += "\\"
        line.unicodeScalars.append(Unicode.Scalar(byte))
      case 0x20...0x7E: line.unicodeScalars.append(Unicode.Scalar(byte))
      default: line += "\\x" + byte.padded(2, radix: 16)
      }
    }
    return line
  }
}
