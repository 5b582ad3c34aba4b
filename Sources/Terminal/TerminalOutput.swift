import Glibc
import System

/// The ways to the terminal beside ncurses: the painter's, which takes what fits and never waits,
/// and one that waits, for the few bytes that switch modes.
final class TerminalOutput {
  /// Waiting or not belongs to the opening, not to the descriptor, and ncurses' opening must wait;
  /// so the painter's is one of its own.
  private let painter: Descriptor
  private let painterWaits: Bool
  private let waiting: Descriptor

  /// The most that is written at once where the painter has no opening of its own: a terminal that
  /// says it takes bytes takes so many.
  private static let portion = 256
  /// How long the terminal may take nothing before mode bytes are given up.
  private static let patience = Duration.seconds(2)

  /// Opens the terminal behind a descriptor anew.
  init(terminal number: Int32) throws(TerminalError) {
    waiting = try Self.copy(number)
    let flags = O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
    let opened = open("/proc/self/fd/\(number)", flags)
    painterWaits = opened < 0
    // After su or in a sandbox the terminal may belong to somebody else.
    painter = opened >= 0 ? Descriptor(adopting: opened) : try Self.copy(number)
  }

  private static func copy(_ number: Int32) throws(TerminalError) -> Descriptor {
    let copy = fcntl(number, F_DUPFD_CLOEXEC, 3)
    guard copy >= 0 else { throw .system(SystemError(step: "open the terminal", code: errno)) }
    return Descriptor(adopting: copy)
  }

  /// Writes what the terminal takes now.
  ///
  /// - Returns: how many bytes were taken, 0 when it would have to wait.
  func write(_ bytes: ArraySlice<UInt8>) throws(TerminalError) -> Int {
    guard !bytes.isEmpty else { return 0 }
    guard painterWaits else { return try write(bytes, to: painter) }
    guard awaitRoom(until: .now) else { return 0 }
    return try write(bytes.prefix(Self.portion), to: painter)
  }

  /// Writes all, waiting for room. A terminal that is gone, or stopped for good, gets nothing more.
  func tell(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      guard let count = try? write(rest, to: waiting) else { return }
      rest = rest.dropFirst(count)
      if count == 0, !awaitRoom(until: .now + Self.patience) { return }
    }
  }

  private func write(
    _ bytes: ArraySlice<UInt8>, to descriptor: borrowing Descriptor
  ) throws(TerminalError) -> Int {
    let transfer: Descriptor.Transfer
    do { transfer = try descriptor.write(bytes) } catch { throw .system(error) }
    switch transfer {
    case .bytes(let count): return count
    case .wouldBlock: return 0
    case .end: throw .hungUp
    }
  }

  private func awaitRoom(until deadline: Instant) -> Bool {
    let interest = Interest(waiting.number, reading: false, writing: true)
    let readiness = try? awaitReadiness(of: [interest], until: deadline)
    return readiness?.first?.writable == true
  }
}
