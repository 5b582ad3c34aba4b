import Pictures
import Server
import Stories
import System

/// `storytty serve`: serves a folder to other players, or with `--export` writes the same as files
/// for a web server.
struct ServeCommand {
  let invocation: Invocation

  func run() -> Int32 {
    guard let directory = invocation.sources.first, invocation.sources.count == 1 else {
      complain("serve needs one DIR; see storytty --help")
      return Status.failure
    }
    if Installation.decoder == nil {
      complain("storytty-decoder is missing: the feed will not say how long its media are")
    }
    do throws(ServerError) {
      if let target = invocation.serve.export { return try export(directory, to: target) }
      return try serve(directory)
    } catch {
      complain(error.description)
      return Status.failure
    }
  }

  private func serve(_ directory: String) throws(ServerError) -> Int32 {
    var options = ServeOptions(directory: directory)
    if let listen = invocation.serve.listen { options.listen = listen }
    options.tokenFile = invocation.serve.tokenFile
    options.decoder = Installation.decoder
    let signals: Signals
    do {
      // A HUP that nohup ignores stays ignored.
      signals = try Signals(except: Signals.ignored.contains(.hangUp) ? [.hangUp] : [])
    } catch {
      complain(error.description)
      return Status.failure
    }
    // Each client needs a connection and a file.
    OwnLimits.raiseDescriptors()
    let server = try FolderServer(options, accessLog: { Output.write($0) })
    ServeCommand.report(leftOut: server.skipped)
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
    guard Output.write(line) else { return Status.failure }
    try server.run(signals)
    return Status.success
  }

  private func export(_ directory: String, to target: String) throws(ServerError) -> Int32 {
    let outcome = try FolderExport.write(directory, to: target, decoder: Installation.decoder)
    ServeCommand.report(leftOut: outcome.skipped)
    let line =
      "exported \(ServeCommand.count(outcome.stories, "story", "stories")) and "
      + "\(ServeCommand.count(outcome.animations, "animation", "animations")) to "
      + "\(DisplayText.safe(target))\n"
    return Output.write(line) ? Status.success : Status.failure
  }

  private static func report(leftOut: [Skipped]) {
    complain(all: leftOut.map { "left out: \($0.source): \($0.reason)" })
  }

  private static func count(_ number: Int, _ one: String, _ many: String) -> String {
    "\(number) \(number == 1 ? one : many)"
  }
}
