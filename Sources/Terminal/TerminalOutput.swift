import Glibc
import System

/// Writes to the terminal without waiting long.
final class TerminalOutput {
  /// A non-blocking opening of the terminal of its own, where possible. The flag belongs to the opening
  /// and not to the descriptor, and the shell's must stay blocking.
  private let own: Descriptor
  private let waits: Bool
  /// Bytes that were not sent yet and must be sent first.
  private var pending: [UInt8] = []

  /// The most that is written at once without an opening of its own: a terminal that is writable
  /// accepts so many bytes.
  private static let portion = 256
  /// How long the player waits for a terminal that accepts nothing.
  private static let patience = Duration.milliseconds(100)

  /// Opens the terminal of a descriptor again.
  init(terminal number: Int32) throws(TerminalError) {
    let flags = O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
    let opened = open("/proc/self/fd/\(number)", flags)
    waits = opened < 0
    // After su or in a sandbox the terminal may belong to another user.
    own = opened >= 0 ? Descriptor(adopting: opened) : try Self.copy(number)
  }

  /// A descriptor of the terminal, valid while this object lives.
  var descriptor: Int32 { own.number }

  private static func copy(_ number: Int32) throws(TerminalError) -> Descriptor {
    let copy = fcntl(number, F_DUPFD_CLOEXEC, 3)
    guard copy >= 0 else { throw .system(SystemError(step: "open the terminal", code: errno)) }
    return Descriptor(adopting: copy)
  }

  /// Writes what the terminal accepts now.
  ///
  /// - Returns: how many bytes were accepted; 0 if it would block.
  func write(_ bytes: ArraySlice<UInt8>) throws(TerminalError) -> Int {
    guard !bytes.isEmpty, try sendPending() else { return 0 }
    return try send(bytes)
  }

  /// Writes all bytes before any others; those that the terminal does not accept soon are sent by a
  /// later call.
  func send(_ bytes: [UInt8]) {
    pending += bytes
    let deadline = Instant.now + Self.patience
    do {
      while try !sendPending(), awaitRoom(until: deadline) {}
    } catch {
      // The terminal is gone, which the player notices by its input.
      pending = []
    }
  }

  /// Whether the terminal has accepted everything.
  func isClear() -> Bool { (try? sendPending()) ?? true }

  /// Drops what was not sent.
  func forget() { pending = [] }

  private func sendPending() throws(TerminalError) -> Bool {
    while !pending.isEmpty {
      let count = try send(pending[...])
      if count == 0 { return false }
      pending.removeFirst(count)
    }
    return true
  }

  private func send(_ bytes: ArraySlice<UInt8>) throws(TerminalError) -> Int {
    if waits, !awaitRoom(until: .now) { return 0 }
    let transfer: Descriptor.Transfer
    do {
      transfer = try own.write(waits ? bytes.prefix(Self.portion) : bytes)
    } catch {
      throw .system(error)
    }
    switch transfer {
    case .bytes(let count): return count
    case .wouldBlock: return 0
    case .end: throw .hungUp
    }
  }

  private func awaitRoom(until deadline: Instant) -> Bool {
    let interest = Interest(own.number, reading: false, writing: true)
    let readiness = try? awaitReadiness(of: [interest], until: deadline)
    return readiness?.first?.writable == true
  }
}
