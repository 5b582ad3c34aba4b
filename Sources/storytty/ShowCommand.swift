import Glibc
import Pictures
import Player
import Resources
import Stories
import System
import Terminal

/// `storytty show`: writes one still picture of each source to standard output.
struct ShowCommand {
  let invocation: Invocation

  func run() -> Int32 {
    guard !invocation.sources.isEmpty else {
      complain("show needs a SOURCE; see storytty --help")
      return Status.failure
    }
    guard let pool = openPool(invocation.play) else { return Status.failure }
    guard let network = openNetwork(invocation.network) else { return Status.failure }
    defer { network.close() }
    let bytes = StoryBytes(network)
    var shown = 0
    for source in invocation.sources {
      guard let story = readFeed([source], network)?.reels.lazy.flatMap(\.stories).first else {
        continue
      }
      do {
        let lines = try still.lines(of: story, at: invocation.at, bytes: bytes, pool: pool)
        // Who reads no further needs no more.
        guard Output.write(lines) else { return Status.failure }
        shown += 1
      } catch {
        complain(error.description)
      }
    }
    if shown == invocation.sources.count { return Status.success }
    return shown == 0 ? Status.nothingPlayed : Status.repaired
  }

  private var still: StillRun {
    let environment = TerminalAbilities.currentEnvironment()
    let window = WindowSize(descriptor: STDOUT_FILENO)
    let abilities = window == nil ? nil : TerminalAbilities.detect()
    // A picture that goes to a file or a pipe is drawn as well as possible.
    let wantsNoColour = environment["NO_COLOR"]?.isEmpty == false
    let depth = abilities?.colour ?? (wantsNoColour ? .never : .trueColour)
    let own = window.map { (columns: max(1, $0.columns), rows: max(1, $0.rows - 1)) }
    let size = invocation.size ?? own ?? (80, 24)
    var still = StillRun(
      columns: size.columns, rows: size.rows, mode: invocation.play.mode,
      depth: invocation.play.colour ?? depth, fit: invocation.play.fit,
      unicode: abilities?.unicode ?? true, cellAspect: window?.cellAspect ?? 0.5)
    still.note = complain
    return still
  }
}
