import Glibc
import Support
import System
import Testing

/// A state of the whole player, and how a viewer gets there.
private struct ShownState: CustomTestStringConvertible, Sendable {
  var name: String
  var columns = 80
  var rows = 24
  var arguments: [String] = []
  /// Pressed once the story is on the screen.
  var keys = ""
  /// What plays, of the fixture's folder.
  var sources = ["feed.json"]

  var testDescription: String { name }

  static let all = [
    ShownState(name: "playing"),
    ShownState(name: "playing-narrow", columns: 40, rows: 12),
    ShownState(name: "playing-wide", columns: 160, rows: 30),
    ShownState(name: "too-small", columns: 20, rows: 5),
    ShownState(name: "second-story", keys: "l"),
    ShownState(name: "paused", keys: " "),
    ShownState(name: "caption-long", keys: "llc"),
    ShownState(name: "caption-off", keys: "llcc"),
    ShownState(name: "help", keys: "?"),
    ShownState(name: "help-narrow", columns: 40, rows: 12, keys: "?"),
    ShownState(name: "volume", keys: " +"),
    ShownState(name: "muted", keys: " m"),
    ShownState(name: "reaction-strip", arguments: ["--animations", "animations"], keys: " r"),
    ShownState(
      name: "reaction-strip-narrow", columns: 40, rows: 12,
      arguments: ["--animations", "animations"], keys: " r"),
    ShownState(name: "error-card", sources: ["broken.png", "anna-1.png"]),
    ShownState(name: "end-card", arguments: ["--image-time", "0.2"]),
    ShownState(name: "end-card-narrow", columns: 40, rows: 12, arguments: ["--image-time", "0.2"]),
    ShownState(name: "ascii", arguments: ["--mode", "ascii"]),
    ShownState(name: "colours-256", arguments: ["--color", "256"]),
    ShownState(name: "colours-16", arguments: ["--color", "16"]),
    ShownState(name: "no-colour", arguments: ["--color", "never"]),
    ShownState(name: "cover", arguments: ["--fit", "cover"]),
    ShownState(name: "sound-ended", sources: ["tone.wav"]),
  ]
}

extension EndToEnd {
  /// The screens of whole player states, kept as text in the folder `Screens`, to be read in a diff.
  ///
  /// With `STORYTTY_RECORD` set they are written anew, and the tests fail: look at the diff.
  @Suite struct ScreenTests {
    private let folder: TemporaryDirectory

    init() throws {
      folder = try TemporaryDirectory()
      // Four colours, so that what is cut off, or turned, shows.
      let picture = makePNG(width: 36, height: 64) { x, y in
        y < 32 ? (x < 18 ? 0xC04040 : 0x40C040) : (x < 18 ? 0x4040C0 : 0xC0C040)
      }
      for name in ["anna-1", "anna-2", "ben-1"] {
        try folder.write(picture, to: "stories/\(name).png")
      }
      try folder.write(
        "\u{89}PNG\r\n\u{1A}\n, and then nothing of the kind", to: "stories/broken.png")
      try folder.write(makeWave(Array(repeating: 8000, count: 48_000 * 4)), to: "stories/tone.wav")
      for (name, colour) in [("heart", "[1,0,0,1]"), ("star", "[1,1,0,1]")] {
        let fill = #"{"ty":"fl","c":{"a":0,"k":\#(colour)},"o":{"a":0,"k":100}}"#
        let square =
          #"{"ty":"rc","d":1,"s":{"a":0,"k":[200,200]},"p":{"a":0,"k":[0,0]},"r":{"a":0,"k":0}}"#
        try folder.write(
          Lottie.text(layers: Lottie.layer(shapes: Lottie.group(square, fill), opacity: 100)),
          to: "animations/\(name).json")
      }
      try folder.write(
        """
        {"version": "https://jsonfeed.org/version/1.1", "title": "A week at sea", "items": [
         {"id": "1", "authors": [{"name": "anna"}], "title": "Low tide",
          "attachments": [{"url": "anna-1.png", "mime_type": "image/png"}]},
         {"id": "2", "authors": [{"name": "anna"}], "title": "Gulls at 日本海",
          "attachments": [{"url": "anna-2.png", "mime_type": "image/png"}]},
         {"id": "3", "authors": [{"name": "ben"}],
          "title": "\(String(repeating: "A long way home, by the harbour wall. ", count: 6))",
          "attachments": [{"url": "ben-1.png", "mime_type": "image/png"}]}]}
        """, to: "stories/feed.json")
    }

    @Test(arguments: ShownState.all)
    fileprivate func screen_ofAState_isTheRecordedOne(state: ShownState) throws {
      let file = "\(#filePath.dropLast("ScreenTests.swift".count))Screens/\(state.name).txt"
      var arguments = ["--no-history", "--image-time", "3600"]
      arguments += state.arguments.map { $0 == "animations" ? folder.path($0) : $0 }
      let play = try Play(
        arguments + state.sources.map { folder.path("stories/\($0)") }, columns: state.columns,
        rows: state.rows)
      for key in state.keys {
        // Each key meets a screen that has settled.
        try settle(play)
        play.type(String(key))
      }
      if getenv("STORYTTY_RECORD") != nil {
        try settle(play)
        _ = holds(within: .seconds(1)) { false }
        try writeFile(Array(play.terminal.screen.described.utf8), to: file)
        Issue.record("recorded: look at the diff")
      }
      let recorded = try readText(file)
      var shown = ""
      let isSame = play.terminal.waitUntil {
        shown = $0.described
        return shown == recorded
      }
      #expect(isSame, "\(state.name): \(TerminalScreen.difference(shown, recorded))")
      #expect(play.quit()?.shellStatus != nil)
      play.expectRestored()
    }

    @Test func screens_thatAreRecorded_areThoseOfTheStates() {
      let folder = String(#filePath.dropLast("ScreenTests.swift".count)) + "Screens"
      #expect(directoryEntries(folder) == ShownState.all.map { "\($0.name).txt" }.sorted())
    }

    /// Waits until the screen has not changed for a while, and shows something.
    private func settle(_ play: Play) throws {
      var last = ""
      var since = Instant.now
      try #require(
        play.terminal.waitUntil {
          if $0.described != last { (last, since) = ($0.described, .now) }
          return $0.text.contains { !$0.isWhitespace } && Instant.now - since > .milliseconds(300)
        })
    }
  }
}

extension TerminalScreen {
  /// The characters, then a letter for the look of each of them, then what the letters mean.
  fileprivate var described: String {
    let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
    var looks: [ScreenPen: Int] = [:]
    var styles: [String] = []
    var key: [String] = []
    for row in 0..<rows {
      var line = ""
      for column in 0..<columns {
        var pen = self[column, row].pen
        // A blank has no ink.
        if self[column, row].glyph == " ", !pen.reversed, !pen.underlined {
          pen.foreground = .standard
          pen.bold = false
          pen.dim = false
        }
        let number = looks[pen, default: looks.count]
        if looks.updateValue(number, forKey: pen) == nil {
          key.append("\(number < letters.count ? letters[number] : "?") \(pen.described)")
        }
        line.append(number < letters.count ? letters[number] : "?")
      }
      styles.append(line)
    }
    return text + "\n---\n" + styles.joined(separator: "\n") + "\n---\n"
      + key.joined(separator: "\n") + "\n"
  }

  /// The first lines in which two descriptions differ.
  fileprivate static func difference(_ shown: String, _ recorded: String) -> String {
    let lines = shown.split(separator: "\n", omittingEmptySubsequences: false)
    let others = recorded.split(separator: "\n", omittingEmptySubsequences: false)
    let pairs = zip(lines, others).filter { $0 != $1 }.prefix(4)
    return pairs.map { "\n  shown    \($0)\n  recorded \($1)" }.joined()
      + "\n(\(lines.count) lines shown, \(others.count) recorded)"
  }
}

extension ScreenPen {
  fileprivate var described: String {
    let marks = [
      (bold, "bold"), (dim, "dim"), (italic, "italic"), (underlined, "underlined"),
      (blinking, "blinking"), (reversed, "reversed"), (hidden, "hidden"), (struckOut, "struck out"),
    ]
    return
      (["\(foreground.described) on \(background.described)"]
      + marks.filter(\.0).map(\.1)).joined(separator: ", ")
  }
}

extension ScreenColor {
  fileprivate var described: String {
    switch self {
    case .standard: "standard"
    case .palette(let number): "colour \(number)"
    case .rgb(let red, let green, let blue): "\(red),\(green),\(blue)"
    }
  }
}
