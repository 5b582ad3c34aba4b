import Glibc
import System

/// The painter's way to the terminal: takes what fits and never waits.
///
/// It is an opening of its own, because waiting or not belongs to the opening, and ncurses' one must
/// wait.
final class TerminalOutput {
  private let descriptor: Descriptor
  private let waits: Bool

  /// The most that is written at once to an opening that waits; terminals that say they take bytes
  /// take so many.
  private static let portion = 256

  /// Opens the terminal behind a descriptor anew.
  init(terminal number: Int32) throws(TerminalError) {
    let flags = O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
    let opened = open("/proc/self/fd/\(number)", flags)
    if opened >= 0 {
      descriptor = Descriptor(adopting: opened)
      waits = false
      return
    }
    // After su or in a sandbox the terminal may belong to somebody else.
    let copy = fcntl(number, F_DUPFD_CLOEXEC, 3)
    guard copy >= 0 else {
      throw .system(SystemError(step: "open the terminal", code: errno))
    }
    descriptor = Descriptor(adopting: copy)
    waits = true
  }

  /// Writes what the terminal takes now.
  ///
  /// - Returns: how many bytes were taken, 0 when it would have to wait.
  func write(_ bytes: ArraySlice<UInt8>) throws(TerminalError) -> Int {
    guard !bytes.isEmpty else { return 0 }
    do {
      if waits {
        let interest = Interest(descriptor.number, reading: false, writing: true)
        guard try awaitReadiness(of: [interest], until: .now).first?.writable == true else {
          return 0
        }
      }
      switch try descriptor.write(waits ? bytes.prefix(Self.portion) : bytes) {
      case .bytes(let count): return count
      case .wouldBlock: return 0
      case .end: throw TerminalError.hungUp
      }
    } catch let error as SystemError {
      throw .system(error)
    } catch {
      throw .hungUp
    }
  }
}
