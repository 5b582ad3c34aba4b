import Decoders
import Glibc
import Pictures
import System
import Terminal

/// Says what this terminal and this machine can do.
struct DoctorCommand {
  let invocation: Invocation

  func run() -> Int32 {
    print("storytty \(Program.version)")
    terminal()
    let isWell = decoder()
    return isWell ? Status.well : Status.usage
  }
  private func terminal() {
  }
  private func decoder() -> Bool { true }
}
