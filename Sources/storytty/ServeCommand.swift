import Pictures
import Server
import Stories
import System

/// `storytty serve`: serves a folder to other players, or exports it for a web server.
struct ServeCommand {
  let invocation: Invocation

  func run() -> Int32 {
    guard let directory = invocation.sources.first, invocation.sources.count == 1 else {
      complain("serve needs one DIR; see storytty --help")
      return Status.usage
    }
    if Installation.decoder == nil {
      complain("storytty-decoder is missing: the feed will not say how long its media are")
    }
    do throws(ServerError) {
      if let target = invocation.serve.export { return try export(directory, to: target) }
      return try serve(directory)
    } catch {
      complain(error.description)
      return Status.usage
    }
  }

  private func serve(_ directory: String) throws(ServerError) -> Int32 {
    var options = ServeOptions(directory: directory)
    if let listen = invocation.serve.listen { options.listen = listen }
    options.tokenFile = invocation.serve.tokenFile
    options.decoder = Installation.decoder
    let signals: Signals
    do {
      signals = try Signals(except: Signals.ignored.filter { $0 == .hangUp })
    } catch {
      complain(error.description)
      return Status.usage
    }
    // Each client needs a connection and a file.
    OwnLimits.raiseDescriptors()
    let server = try FolderServer(options) { Output.write($0) }
    ServeCommand.name(leftOut: server.skipped)
    if server.isOpenWithoutToken {
      complain(
        "whoever can reach \(server.url) can see what is in \(directory): "
          + "--token-file asks for a token")
    }
    if !server.isWatching {
      complain("changes cannot be watched here: the folder is read again for each request")
    }
    let count = ServeCommand.count(server.storyCount, "story", "stories")
    let line =
      "serving \(DisplayText.safe(server.directory)) (\(count)) at \(server.url)/: "
      + "storytty \(server.url)/feed.json\n"
    guard Output.write(line) else { return Status.usage }
    try server.run(signals)
    return Status.well
  }

  private func export(_ directory: String, to target: String) throws(ServerError) -> Int32 {
    let outcome = try FolderExport.write(directory, to: target, decoder: Installation.decoder)
    ServeCommand.name(leftOut: outcome.skipped)
    let line =
      "exported \(ServeCommand.count(outcome.stories, "story", "stories")) and "
      + "\(ServeCommand.count(outcome.animations, "animation", "animations")) to "
      + "\(DisplayText.safe(target))\n"
    return Output.write(line) ? Status.well : Status.usage
  }

  private static func name(leftOut: [Skipped]) {
    complain(all: leftOut.map { "left out: \($0.source): \($0.reason)" })
  }

  private static func count(_ number: Int, _ one: String, _ many: String) -> String {
    "\(number) \(number == 1 ? one : many)"
  }
}
