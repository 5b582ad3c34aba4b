import Glibc
import System

/// The terminal of the keyboard, opened because standard input is something else.
final class OpenedInput {
  private let descriptor: Descriptor
  var number: Int32 { descriptor.number }

  /// Nil if a descriptor is given or standard input is a terminal.
  init?(unless given: Int32?) throws(TerminalError) {
    if given != nil || isatty(STDIN_FILENO) == 1 { return nil }
    let opened = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard opened >= 0 else { throw .notATerminal }
    descriptor = Descriptor(adopting: opened)
  }
}
