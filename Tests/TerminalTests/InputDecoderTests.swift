import Support
import System
import Terminal
import Testing

@Suite struct InputDecoderTests {
  private static let start = Instant.now

  /// What the bytes give when they are read in these portions, each followed by a pause of the
  /// reading but of no time.
  private static func events(_ portions: [[UInt8]]) -> [InputEvent] {
    var decoder = InputDecoder()
    var events: [InputEvent] = []
    for portion in portions {
      for byte in portion { events += decoder.take(.byte(byte), at: start) }
      events += decoder.settle()
    }
    return events
  }

  private static func events(_ text: String) -> [InputEvent] { events([Array(text.utf8)]) }

  private static let known: [(String, [InputEvent])] = [
    ("q", [.key(.character("q"))]), (" ", [.key(.character(" "))]),
    ("\u{1B}", [.key(.escape)]),
    ("\u{1B}q", [.key(.escape), .key(.character("q"))]),
    ("\u{1B}\u{1B}", [.key(.escape), .key(.escape)]),
    (
      "\t\r\n\u{7F}\u{08}",
      [.key(.tab), .key(.enter), .key(.enter), .key(.backspace), .key(.backspace)]
    ),
    ("\u{0C}\u{00}", [.key(.control("L")), .key(.control("@"))]),
    ("é漢🙂", [.key(.character("é")), .key(.character("漢")), .key(.character("🙂"))]),
    ("\u{1B}[C", [.key(.right)]), ("\u{1B}OC", [.key(.right)]), ("\u{1B}[1A", [.key(.up)]),
    ("\u{1B}[D\u{1B}[B", [.key(.left), .key(.down)]),
    ("\u{1B}[H\u{1B}[F\u{1B}[1~\u{1B}[4~", [.key(.home), .key(.end), .key(.home), .key(.end)]),
    ("\u{1B}[5~\u{1B}[6~", [.key(.pageUp), .key(.pageDown)]),
    ("\u{1B}[Z", [.key(.backTab)]), ("\u{1B}OM", [.key(.enter)]),
    ("\u{1B}OP\u{1B}[11~\u{1B}[[A", [.key(.f(1)), .key(.f(1)), .key(.f(1))]),
    ("\u{1B}[15~\u{1B}[17~\u{1B}[24~", [.key(.f(5)), .key(.f(6)), .key(.f(12))]),
    ("\u{1B}[<0;1;1M", [.press(row: 0, column: 0)]),
    ("\u{1B}[<0;300;90m", [.release(row: 89, column: 299)]),
    ("\u{1B}[<16;12;3M", [.press(row: 2, column: 11)]),
    ("\u{1B}[<64;5;5M\u{1B}[<65;5;5M", [.wheel(up: true), .wheel(up: false)]),
    ("\u{1B}[M !\"", [.press(row: 1, column: 0)]),
    ("\u{1B}[M#!\"", [.release(row: 1, column: 0)]),
    ("\u{1B}[M`!!", [.wheel(up: true)]),
    ("\u{1B}[I\u{1B}[O", [.focus(true), .focus(false)]),
    ("\u{1B}[?2026;0$y\u{1B}[?2026;1$y", [.synchronizedOutput(false), .synchronizedOutput(true)]),
    ("\u{1B}[?2026;2$y\u{1B}[?2026;3$y", [.synchronizedOutput(true), .synchronizedOutput(true)]),
    ("\u{1B}[?2026;4$y", [.synchronizedOutput(false)]),
    ("a\u{1B}[200~q\u{1B}[201~b", [.key(.character("a")), .key(.character("b"))]),
  ]

  @Test(arguments: known)
  func take_knownSequence_givesItsEvents(text: String, expected: [InputEvent]) {
    #expect(Self.events(text) == expected)
  }

  /// Sequences of many kinds that mean nothing here, each followed by a key that must survive.
  @Test(arguments: [
    "\u{1B}[?62;22c", "\u{1B}[>41;366;0c", "\u{1B}[12;40R", "\u{1B}[1;5C", "\u{1B}[1;2D",
    "\u{1B}[2~", "\u{1B}[3~", "\u{1B}[27;5;113~", "\u{1B}[113;5u", "\u{1B}[201~", "\u{1B}[?1;2$y",
    "\u{1B}[?2026;2;7$y", "\u{1B}[8;24;80t", "\u{1B}[<1;4;4M", "\u{1B}[<2;4;4m", "\u{1B}[<35;4;4M",
    "\u{1B}[<0;0;1M", "\u{1B}[<0;1M", "\u{1B}[<66;4;4M", "\u{1B}[<0;99999999999999999999;1M",
    "\u{1B}[999999999999999999999999~", "\u{1B}[ q", "\u{1B}[!p", "\u{1B}[[Z", "\u{1B}Oj",
    "\u{1B}]11;rgb:0000/0000/0000\u{07}", "\u{1B}]11;rgb:ffff/q/q\u{1B}\\",
    "\u{1B}P1$r0q\u{1B}\\", "\u{1B}_Gi=1;OK\u{1B}\\", "\u{1B}[M\u{01}\u{02}\u{03}",
    "\u{1B}[MC!!", "\u{1B}[1;2\u{18}", "\u{80}", "\u{FEFF}",
  ])
  func take_unknownSequence_isSwallowedWhole(text: String) {
    #expect(Self.events(text + "q") == [.key(.character("q"))])
  }

  @Test func take_malformedCharacters_areDropped() {
    let bytes: [UInt8] = [0xC3, 0x28, 0xFF, 0x80, 0xE0, 0x80, 0x80, 0xED, 0xA0, 0x80, 0xF5, 0x61]
    #expect(Self.events([bytes]) == [.key(.character("(")), .key(.character("a"))])
  }

  @Test(arguments: [
    ("\u{1B}P>|XTerm(379)\u{1B}\\", "XTerm(379)"), ("\u{1B}P>|q\u{07}", "q"),
    ("\u{1B}P>|\u{1B}\\", ""),
  ])
  func take_nameOfTheTerminal_isAnEvent(text: String, name: String) {
    #expect(Self.events(text + "q") == [.program(name), .key(.character("q"))])
  }

  /// Whatever stands in it, also what looks like its end.
  @Test(arguments: [
    "", "q", "\n\u{03}\u{1A}", "\u{1B}", "\u{1B}[", "\u{1B}[20", "\u{1B}[201", "\u{1B}[200~",
    "\u{1B}[C\u{1B}OC",
    "\u{1B}\u{1B}[\u{1B}[2\u{1B}[20\u{1B}[201", "\u{1B}P>|q", "\u{1B}[?2026;1$y", "é漢",
    "\u{FF}[201~",
  ])
  func take_paste_isDroppedWhole(text: String) {
    let bytes = Array("\u{1B}[200~\(text)\u{1B}[201~q".utf8)
    #expect(Self.events([bytes]) == [.key(.character("q"))])
    // Cut anywhere behind the first Esc, with pauses in which a usual sequence is given up.
    for cut in 2..<bytes.count {
      var decoder = InputDecoder()
      var events: [InputEvent] = []
      for (index, byte) in bytes.enumerated() {
        let pause = index < cut || cut < 6 ? Duration.zero : InputDecoder.pastePatience
        events += decoder.take(.byte(byte), at: Self.start + pause)
        if index == cut { events += decoder.settle() }
      }
      #expect(events == [.key(.character("q"))], "cut at \(cut)")
    }
  }

  @Test func take_longPaste_isDroppedWhole() {
    var decoder = InputDecoder()
    for byte in Array("\u{1B}[200~".utf8) { _ = decoder.take(.byte(byte), at: Self.start) }
    for index in 0..<300_000 {
      #expect(decoder.take(.byte(UInt8(index % 256)), at: Self.start) == [])
      if index % 999 == 0 {
        #expect(decoder.settle() == [] && decoder.take(.key(.right), at: Self.start) == [])
      }
    }
    for byte in Array("\u{1B}[201~".utf8) { _ = decoder.take(.byte(byte), at: Self.start) }
    #expect(decoder.take(.key(.right), at: Self.start) == [.key(.right)])
  }

  /// Its end mark was lost.
  @Test func take_pasteWithoutEnd_endsWithAPause() {
    var decoder = InputDecoder()
    for byte in Array("\u{1B}[200~q".utf8) { _ = decoder.take(.byte(byte), at: Self.start) }
    #expect(decoder.isInPaste)
    let soon = Self.start + InputDecoder.pastePatience
    #expect(decoder.take(.byte(UInt8(ascii: "q")), at: soon) == [])
    let later = soon + InputDecoder.pastePatience + .milliseconds(1)
    #expect(decoder.take(.byte(UInt8(ascii: "q")), at: later) == [.key(.character("q"))])
  }

  /// What was asked for may come late and in pieces: no part of it is a key, but an Esc that the
  /// line has cut off.
  @Test func take_awaitedAnswerInPieces_isNoKey() {
    let bytes = Array("\u{1B}P>|tmux 3.6q\u{1B}\\\u{1B}[?2026;2$y".utf8)
    for cut in 1..<bytes.count {
      var decoder = InputDecoder()
      decoder.expectAnswers(from: Self.start)
      var events: [InputEvent] = []
      for byte in bytes[..<cut] { events += decoder.take(.byte(byte), at: Self.start) }
      events += decoder.settle()
      let later = Self.start + .milliseconds(1500)
      for byte in bytes[cut...] { events += decoder.take(.byte(byte), at: later) }
      let isBehindEscape = bytes[cut - 1] == 0x1B
      #expect(
        events.filter { !isBehindEscape || $0 != .key(.escape) }
          == [.program("tmux 3.6q"), .synchronizedOutput(true)], "cut at \(cut)")
    }
  }

  /// A slow line may cut a sequence anywhere. Behind its Esc the Esc has been reported by then.
  @Test(arguments: known)
  func take_splitAnywhere_givesTheSame(text: String, expected: [InputEvent]) {
    let bytes = Array(text.utf8)
    for cut in 1..<max(2, bytes.count) where cut < bytes.count {
      let events = Self.events([Array(bytes[..<cut]), Array(bytes[cut...])])
      let isBehindEscape = bytes[cut - 1] == 0x1B
      let compared =
        isBehindEscape
        ? events.filter { $0 != .key(.escape) } : events
      let wanted = isBehindEscape ? expected.filter { $0 != .key(.escape) } : expected
      #expect(compared == wanted, "cut at \(cut)")
    }
  }

  @Test func take_afterPatience_unfinishedSequenceIsGivenUp() {
    var decoder = InputDecoder()
    for byte in Array("\u{1B}[1;".utf8) { #expect(decoder.take(.byte(byte), at: Self.start) == []) }
    let later = Self.start + InputDecoder.patience + .milliseconds(1)
    #expect(decoder.take(.byte(UInt8(ascii: "q")), at: later) == [.key(.character("q"))])
  }

  @Test func take_bracketLongAfterEscape_isAKey() {
    var decoder = InputDecoder()
    #expect(decoder.take(.byte(0x1B), at: Self.start) == [])
    #expect(decoder.settle() == [.key(.escape)])
    let later = Self.start + .seconds(1)
    #expect(decoder.take(.byte(UInt8(ascii: "[")), at: later) == [.key(.character("["))])
  }

  @Test func take_keyOfTheDescription_endsWhatWasPending() {
    var decoder = InputDecoder()
    #expect(decoder.take(.byte(0x1B), at: Self.start) == [])
    #expect(decoder.take(.key(.up), at: Self.start) == [.key(.escape), .key(.up)])
    #expect(
      decoder.take(.synchronizedOutput(true), at: Self.start) == [.synchronizedOutput(true)])
  }

  /// Random control sequences: whatever they say, no character of them is a key.
  @Test func take_randomControlSequences_neverTypeCharacters() {
    var random = SeededRandom(seed: 2026)
    for _ in 0..<5_000 {
      var bytes: [UInt8] = [0x1B, 0x5B]
      for _ in 0..<Int.random(in: 0...80, using: &random) {
        bytes.append(UInt8.random(in: 0x20...0x3F, using: &random))
      }
      bytes.append(UInt8.random(in: 0x40...0x7E, using: &random))
      // Those two announce further bytes.
      guard bytes != Array("\u{1B}[M".utf8), bytes != Array("\u{1B}[[".utf8) else { continue }
      for case .key(.character(let character)) in Self.events([bytes]) {
        Issue.record("\(bytes) typed \(character)")
      }
    }
  }

  @Test func take_randomBytes_neverStops() {
    var random = SeededRandom(seed: 7)
    var decoder = InputDecoder()
    for _ in 0..<100_000 {
      _ = decoder.take(.byte(UInt8.random(in: 0...255, using: &random)), at: Self.start)
    }
    let later = Self.start + .seconds(1)
    let last = later + .seconds(4)
    #expect(decoder.take(.byte(UInt8(ascii: "q")), at: later).count <= 1)
    #expect(decoder.take(.byte(UInt8(ascii: "q")), at: last) == [.key(.character("q"))])
  }
}
