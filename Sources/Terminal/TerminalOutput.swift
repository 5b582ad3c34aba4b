import Glibc
import System

/// The way to the terminal: it takes what fits and never waits long.
final class TerminalOutput {
  /// Waiting or not belongs to the opening, not to the descriptor, and the shell's must wait; so
  /// this is one of its own, where that can be.
  private let own: Descriptor
  private let waits: Bool
  /// What could not be sent yet and must go before all else.
  private var pending: [UInt8] = []

  /// The most that is written at once where there is no opening of its own: a terminal that says
  /// it takes bytes takes so many.
  private static let portion = 256
  /// How long a terminal that takes nothing may hold up the player.
  private static let patience = Duration.milliseconds(100)

  /// Opens the terminal behind a descriptor anew.
  init(terminal number: Int32) throws(TerminalError) {
    let flags = O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
    let opened = open("/proc/self/fd/\(number)", flags)
    waits = opened < 0
    // After su or in a sandbox the terminal may belong to somebody else.
    own = opened >= 0 ? Descriptor(adopting: opened) : try Self.copy(number)
  }

  /// What leads to the terminal as long as this object lives.
  var descriptor: Int32 { own.number }

  private static func copy(_ number: Int32) throws(TerminalError) -> Descriptor {
    let copy = fcntl(number, F_DUPFD_CLOEXEC, 3)
    guard copy >= 0 else { throw .system(SystemError(step: "open the terminal", code: errno)) }
    return Descriptor(adopting: copy)
  }

  /// Writes what the terminal takes now.
  ///
  /// - Returns: how many bytes were taken, 0 when it would have to wait.
  func write(_ bytes: ArraySlice<UInt8>) throws(TerminalError) -> Int {
    guard !bytes.isEmpty, try sendPending() else { return 0 }
    return try send(bytes)
  }

  /// Writes all, before anything else; what the terminal does not take soon waits for a later call.
  func tell(_ bytes: [UInt8]) {
    pending += bytes
    let deadline = Instant.now + Self.patience
    do {
      while try !sendPending(), awaitRoom(until: deadline) {}
    } catch {
      // It is gone: the player learns that from its input.
      pending = []
    }
  }

  /// Whether the terminal has taken all that it was told.
  func isClear() -> Bool { (try? sendPending()) ?? true }

  /// Forgets what was not sent.
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
