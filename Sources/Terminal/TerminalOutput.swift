import Glibc
import System

/// Writes to the terminal without waiting long.
final class TerminalOutput {
  /// O_NONBLOCK is a flag of the open file description, which the shell shares; so the terminal is
  /// opened anew, where that is allowed.
  private let descriptor: Descriptor
  /// Whether it could not be opened anew, so that writing to it may block.
  private let isBlocking: Bool
  /// What could not be sent yet and must go before all else.
  private var pending: [UInt8] = []

  /// When poll says that a terminal is writable, so many bytes can be written without blocking.
  private static let portion = 256
  /// How long the player waits for a terminal that accepts nothing.
  private static let patience = Duration.milliseconds(100)

  /// Opens the terminal of a descriptor again.
  init(terminal number: Int32) throws(TerminalError) {
    let flags = O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
    let opened = open("/proc/self/fd/\(number)", flags)
    // After su or in a sandbox the terminal may belong to somebody else.
    isBlocking = opened < 0
    descriptor = opened >= 0 ? Descriptor(adopting: opened) : try Self.copy(number)
  }

  /// Valid as long as this object lives.
  var descriptorNumber: Int32 { descriptor.number }

  private static func copy(_ number: Int32) throws(TerminalError) -> Descriptor {
    let copy = fcntl(number, F_DUPFD_CLOEXEC, 3)
    guard copy >= 0 else { throw .system(SystemError(step: "open the terminal", code: errno)) }
    return Descriptor(adopting: copy)
  }

  /// Writes what the terminal accepts now.
  ///
  /// - Returns: how many bytes were taken, 0 when it would have to wait or there are none.
  func write(_ bytes: ArraySlice<UInt8>) throws(TerminalError) -> Int {
    guard !bytes.isEmpty, try sendPending() else { return 0 }
    return try writeOnce(bytes)
  }

  /// Sends all of the bytes, after those that are pending and before anything that is written later.
  /// What the terminal does not take soon is pending until a later call.
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

  /// Sends what is pending; true if nothing is left of it, or the terminal is gone.
  func flushPending() -> Bool { (try? sendPending()) ?? true }

  func dropPending() { pending = [] }

  private func sendPending() throws(TerminalError) -> Bool {
    while !pending.isEmpty {
      let count = try writeOnce(pending[...])
      if count == 0 { return false }
      pending.removeFirst(count)
    }
    return true
  }

  private func writeOnce(_ bytes: ArraySlice<UInt8>) throws(TerminalError) -> Int {
    if isBlocking, !awaitRoom(until: .now) { return 0 }
    let transfer: Descriptor.Transfer
    do {
      transfer = try descriptor.write(isBlocking ? bytes.prefix(Self.portion) : bytes)
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
    let interest = Interest(descriptor.number, reading: false, writing: true)
    let readiness = try? awaitReadiness(of: [interest], until: deadline)
    return readiness?.first?.writable == true
  }
}
