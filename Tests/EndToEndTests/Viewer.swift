import Support
import Testing

/// A viewer who plays one feed again and again, with one state directory.
struct Viewer {
  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  var environment: [String: String?] { ["XDG_STATE_HOME": home.path("state")] }

  /// A picture of one colour, and its path.
  func picture(_ color: UInt32, _ name: String) throws -> String {
    try home.write(makePNG(width: 9, height: 16) { _, _ in color }, to: name)
  }

  /// A feed of pictures (id, colour, author) with what `_storytty` says of each.
  func feed(_ items: [(id: String, color: UInt32, author: String, additions: String)]) throws
    -> String
  {
    let entries = try items.map { item in
      _ = try picture(item.color, "\(item.id).png")
      return """
        {"id": "\(item.id)", "authors": [{"name": "\(item.author)"}], "title": "title \(item.id)",
         "attachments": [{"url": "\(item.id).png", "mime_type": "image/png"}],
         "_storytty": {\(item.additions)}}
        """
    }
    return try home.write(
      """
      {"version": "https://jsonfeed.org/version/1.1", "title": "f",
       "items": [\(entries.joined(separator: ","))]}
      """, to: "feed.json")
  }

  /// A folder of three reels of two pictures each; its path.
  func threeReels() throws -> String {
    for (name, color) in [("a", Colors.red), ("b", Colors.lime), ("c", Colors.blue)] {
      _ = try picture(color, "reels/\(name)/1.png")
      _ = try picture(color, "reels/\(name)/2.png")
    }
    return home.path("reels")
  }

  func play(_ arguments: [String]) throws -> Play { try Play(arguments, environment: environment) }

  /// Plays as fast as possible; the names of what was told, the status and all that was printed.
  func playAll(_ arguments: [String]) throws -> (names: [String], status: Int32?, text: String) {
    let play = try play(["--untimed"] + arguments)
    let status = play.terminal.awaitEnd()?.shellStatus
    let text = String(decoding: play.terminal.output, as: UTF8.self)
    return (try play.report().stories.map(\.name), status, text)
  }

  /// Watches all to the end, as a viewer does; the same of it.
  func watchAll(_ arguments: [String]) throws -> (names: [String], status: Int32?, text: String) {
    let play = try play(["--image-time", "0.3"] + arguments)
    #expect(play.waitFor("That was all"))
    let status = play.quit()?.shellStatus
    let text = String(decoding: play.terminal.output, as: UTF8.self)
    return (try play.report().stories.map(\.name), status, text)
  }

  func run(_ arguments: [String]) throws -> CommandResult {
    try storytty(arguments, environment: environment)
  }

  /// Source's last part, views and completions of every story in the history, by name.
  func history() throws -> [String] {
    let entries = try JSONValue(parsing: run(["history", "--json"]).output).elements
    return entries.map { entry in
      let name = entry["source"].text?.split(separator: "/").last.map(String.init) ?? "?"
      return "\(name) \(Int(entry["views"].number ?? -1)) \(Int(entry["completions"].number ?? -1))"
    }.sorted()
  }
}
