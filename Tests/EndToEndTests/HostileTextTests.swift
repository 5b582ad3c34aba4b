import Support
import Testing

extension EndToEnd {
  /// Words of strangers.
  @Suite struct HostileTextTests {
    /// What would turn, hide or move what stands around it.
    private let forbidden: [ClosedRange<UInt32>] = [
      0x00...0x09, 0x0B...0x1F, 0x7F...0x9F, 0x61C...0x61C, 0x200B...0x200C, 0x200E...0x200F,
      0x2028...0x202E, 0x2060...0x2069, 0xFEFF...0xFEFF, 0xE0000...0xE007F,
    ]

    private func dangers(in text: String) -> [String] {
      text.unicodeScalars.filter { scalar in forbidden.contains { $0.contains(scalar.value) } }
        .map { String($0.value, radix: 16) }
    }

    private let evil = [
      "\u{1B}]0;owned\u{7}title", "a\u{1B}[2J\u{1B}[Hb", "c\u{9B}31md", "e\rf\nOVERWRITTEN\tg",
      "\u{202E}desrever\u{2066}x", "z\u{200B}e\u{200D}r\u{FEFF}o\u{2060}",
      "\u{8}\u{8}\u{8}bs\u{7F}",
      "\u{1B}P1;1|17/ab\u{1B}\\dcs", "日本語の長い長い長い題名 👩‍👩‍👧‍👦 👍🏽 e\u{301}\u{302}\u{303}\u{304}",
      String(repeating: "Ａ", count: 500), String(repeating: "e\u{301}", count: 500),
      "x" + String(repeating: "\u{300}", count: 3000),
    ]

    private func feed(in directory: TemporaryDirectory) throws -> String {
      try directory.write(makePNG(width: 9, height: 16) { _, _ in Colors.red }, to: "a.png")
      let items = evil.enumerated().map { index, text in
        let words = quoted(text)
        return """
          {"id": \(words), "authors": [{"name": \(words)}], "content_text": \(words),
           "title": \(words), "attachments": [{"url": "a.png", "mime_type": "image/png"}]}
          """
      }
      let text = """
        {"version": "https://jsonfeed.org/version/1.1", "title": \(quoted(evil.joined())),
         "items": [\(items.joined(separator: ",\n"))]}
        """
      return try directory.write(text, to: "feed.json")
    }

    private func quoted(_ text: String) -> String {
      "\""
        + text.utf16.map { unit in
          let digits = String(unit, radix: 16)
          return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined() + "\""
    }

    @Test(arguments: [(120, 40), (40, 12), (300, 90)])
    func feed_ofStrangers_neverMovesTheTerminal(columns: Int, rows: Int) throws {
      let directory = try TemporaryDirectory()
      let path = try feed(in: directory)
      let play = try Play(["--image-time", "60", path], columns: columns, rows: rows)
      for index in evil.indices {
        #expect(play.waitFor(color: Colors.red))
        play.watch(for: .milliseconds(index == 0 ? 300 : 120))
        let screen = play.terminal.screen
        #expect(screen.unknown == [])
        #expect(screen.titles == [])
        #expect(screen.bells == 0)
        #expect(dangers(in: screen.text.filter { $0 != "\n" }) == [])
        // The bar is where it was, the picture is not written over.
        #expect(!screen.text(row: rows / 2).contains("OVERWRITTEN"))
        if index % 4 == 1 {
          play.type("c")
          play.watch(for: .milliseconds(150))
          #expect(play.terminal.screen.unknown == [])
          #expect(dangers(in: play.terminal.screen.text.filter { $0 != "\n" }) == [])
          play.type("cc")
        }
        play.press(.right)
      }
      #expect(play.waitFor("That was all"))
      #expect(play.quit()?.shellStatus == 0)
      play.expectRestored()
    }

    @Test func list_ofStrangers_isHarmless() throws {
      let directory = try TemporaryDirectory()
      let path = try feed(in: directory)
      let text = try storytty(["list", path]).outputText
      #expect(dangers(in: text) == [])
      // JSON has its own way to write them; what comes out is ASCII-safe for a terminal too.
      let json = try storytty(["list", "--json", path])
      #expect(
        dangers(in: json.outputText).filter { Int($0, radix: 16).map { $0 < 0xA0 } ?? true } == [])
      let titles = try JSONValue(parsing: json.output)["reels"].elements.flatMap {
        $0["stories"].elements.map { $0["title"].text }
      }
      #expect(titles.count == evil.count)
    }

    @Test func fileNames_ofStrangers_areHarmless() throws {
      let directory = try TemporaryDirectory()
      let png = makePNG(width: 9, height: 16) { _, _ in Colors.red }
      for name in ["\u{1B}[31mred.png", "line\nbreak.png", "\u{202E}gnp.exe.png", "b\u{9B}2Jx.png"]
      {
        try directory.write(png, to: name)
        try directory.write("no picture", to: "bad-\(name)")
      }
      let listed = try storytty(["list", directory.path])
      #expect(dangers(in: listed.outputText) == [])
      #expect(dangers(in: listed.errorText) == [])
      let play = try Play(["--untimed"] + directoryEntries(directory.path).map(directory.path))
      #expect(play.terminal.awaitEnd()?.shellStatus == 3)
      play.expectRestored()
      #expect(play.terminal.screen.bells == 0)
      let last = String(decoding: play.terminal.output.suffix(2000), as: UTF8.self)
      #expect(last.contains("cannot play"))
    }

    @Test(.enabled(if: Media.isAvailable)) func corpus_escapeCodesInTitles_areHarmless() throws {
      let path = try Media.path("broken/feed_title_escape_codes.json")
      let listed = try storytty(["list", path])
      #expect(dangers(in: listed.outputText + listed.errorText) == [])
      let play = try Play([path])
      play.watch(for: .seconds(1))
      play.type("q")
      #expect(play.terminal.awaitEnd() != nil)
      play.expectRestored()
      #expect(dangers(in: play.terminal.screen.text.filter { $0 != "\n" }) == [])
    }
  }
}
