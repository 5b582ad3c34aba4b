import Pictures
import Testing

@Suite struct DisplayTextTests {
  @Test(arguments: [
    ("plain text", "plain text"),
    ("two\nlines\r\nand\ta tab", "two lines and a tab"),
    ("next\u{85}line\u{2028}and\u{2029}paragraph", "next line and paragraph"),
    // Escapes and other controls show, but do nothing.
    ("\u{1B}[31mred", "\u{FFFD}[31mred"),
    ("\u{1B}]0;title\u{7}", "\u{FFFD}]0;title\u{FFFD}"),
    ("\u{9B}2J", "\u{FFFD}2J"),
    ("\u{90}q\u{9C}", "\u{FFFD}q\u{FFFD}"),
    ("nul\u{0}del\u{7F}bell\u{7}", "nul\u{FFFD}del\u{FFFD}bell\u{FFFD}"),
    ("a\u{8}\u{8}b", "a\u{FFFD}\u{FFFD}b"),
    // Bidirectional overrides, isolates and marks.
    ("gpj.\u{202E}exe", "gpj.exe"),
    ("\u{202A}\u{202B}\u{202C}\u{202D}a\u{2066}\u{2067}\u{2068}\u{2069}b", "ab"),
    ("a\u{200E}\u{200F}\u{61C}b", "ab"),
    // What cannot be seen.
    ("pay\u{200B}pal", "paypal"),
    ("a\u{200C}\u{200D}\u{2060}\u{FEFF}\u{AD}\u{34F}b", "ab"),
    ("a\u{115F}\u{1160}\u{3164}\u{FFA0}b", "ab"),
    ("tag\u{E0001}\u{E0041}", "tag"),
    ("a\u{FE0F}b\u{E0100}", "ab"),
    ("a\u{FFF9}b\u{FFFB}", "ab"),
    // Not characters at all.
    ("\u{FFFE}\u{378}", "\u{FFFD}\u{FFFD}"),
    // Spaces of every width are one column; the ideographic one is two.
    ("a\u{A0}b\u{2003}c\u{202F}d\u{3000}e", "a b c d\u{3000}e"),
    // Two marks are an accent, two hundred are vandalism; one without a letter has no place.
    ("e\u{301}\u{323}", "e\u{301}\u{323}"),
    ("e" + String(repeating: "\u{301}", count: 200), "e\u{301}\u{301}"),
    ("\u{301}a", "a"),
    // Emoji in the parts on whose width all terminals agree.
    ("👍🏽", "👍"), ("👩‍🚀", "👩🚀"), ("❤️", "❤"), ("🇩🇪", "🇩🇪"),
    ("名前 ñ Ωß שלום", "名前 ñ Ωß שלום"),
    ("", ""),
  ])
  func safe_strangersText_isHarmless(text: String, expected: String) {
    #expect(Array(DisplayText.safe(text).unicodeScalars) == Array(expected.unicodeScalars))
    #expect(DisplayText.safe(expected) == expected)
  }

  /// Emoji that belong together stay so; nothing else invisible does, wherever it stands.
  @Test(arguments: [
    ("👩‍👩‍👧‍👦", "👩‍👩‍👧‍👦"), ("👩🏽‍🚀 up", "👩🏽‍🚀 up"), ("❤️‍🔥", "❤️‍🔥"), ("🏳️‍🌈", "🏳️‍🌈"), ("👍🏽", "👍🏽"), ("❤️", "❤️"),
    ("pay\u{200D}pal", "paypal"), ("a\u{200D}👩", "a👩"), ("👩\u{200D}a", "👩a"), ("👩\u{200D}", "👩"),
    ("\u{200D}👩", "👩"), ("1\u{FE0F}\u{20E3}", "1\u{20E3}"), ("a\u{FE0F}\u{200D}👩", "a👩"),
    ("👩\u{200D}\u{200D}👩", "👩\u{200D}👩"), ("👩\u{FE0F}\u{FE0F}", "👩\u{FE0F}"), ("a🏽", "a"),
    ("👩\u{202E}\u{200B}👧", "👩👧"), ("\u{1B}[2J👩‍🚀", "\u{FFFD}[2J👩‍🚀"),
  ])
  func line_strangersText_isHarmless(text: String, expected: String) {
    #expect(Array(DisplayText.line(text).unicodeScalars) == Array(expected.unicodeScalars))
    #expect(DisplayText.line(expected) == expected)
  }

  @Test(arguments: [
    ("Größe", "Gr??e"), ("名前", "??"), ("e\u{301}", "e"), ("a\u{202E}b", "ab"),
    ("\u{1B}[2J", "?[2J"), ("plain ~", "plain ~"),
  ])
  func safe_withoutUnicode_isAscii(text: String, expected: String) {
    #expect(DisplayText.safe(text, unicode: false) == expected)
  }

  /// No scalar of all gets through that is a control or takes no place of its own.
  @Test func safe_everyScalar_leavesNothingActive() {
    for value in UInt32(0)...0x10FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      for kept in DisplayText.safe(String(scalar)).unicodeScalars {
        let category = kept.properties.generalCategory
        let isActive =
          kept.value < 0x20 || 0x7F..<0xA0 ~= kept.value || category == .format
          || category == .control || category == .lineSeparator
          || category == .paragraphSeparator
        if isActive { Issue.record("U+\(String(value, radix: 16))") }
      }
    }
  }

  @Test(arguments: [
    ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("海", 2), ("한국", 4), ("ﾃｽﾄ", 3),
    ("Ａ", 2), ("👍", 2), ("👍🏽", 2), ("👩‍👩‍👧", 2), ("🇩🇪", 2), ("❤", 1), ("❤️", 2), ("…", 1),
    ("█▀", 2), ("α", 1), ("\u{1100}\u{1161}\u{11A8}", 2), ("สวัสดี", 4), ("שלום", 4),
    ("\u{200B}", 0), ("\u{3000}", 2), ("\u{FFFD}", 1), ("①", 1), ("𠀀", 2), ("क्ष", 2),
  ])
  func width_ofText_isWhatTerminalsShow(text: String, columns: Int) {
    #expect(DisplayText.width(of: text) == columns)
  }

  @Test(arguments: [
    ("abcdef", 6, true, "abcdef"), ("abcdef", 5, true, "abcd…"), ("abcdef", 1, true, "…"),
    ("abcdef", 0, true, ""), ("abcdef", -1, true, ""), ("a", 1, true, "a"),
    ("abcdef", 5, false, "ab..."), ("abcdef", 2, false, ".."), ("abcdef", 6, false, "abcdef"),
    ("海海海", 6, true, "海海海"), ("海海海", 5, true, "海海…"), ("海海海", 4, true, "海…"),
    ("海海", 1, true, "…"), ("e\u{301}e\u{301}e\u{301}", 2, true, "e\u{301}…"), ("", 3, true, ""),
  ])
  func cut_toColumns_endsInAnEllipsis(
    text: String, columns: Int, unicode: Bool, expected: String
  ) {
    let cut = DisplayText.cut(text, to: columns, unicode: unicode)
    #expect(cut == expected)
    #expect(DisplayText.width(of: cut) <= max(0, columns))
  }

  @Test(arguments: [
    ("one two three", 7, 9, ["one two", "three"]),
    ("one two three", 13, 9, ["one two three"]),
    ("one two three", 6, 9, ["one", "two", "three"]),
    ("one two three", 7, 1, ["one tw…"]),
    ("abcdefgh", 3, 9, ["abc", "def", "gh"]),
    ("  spaces   between ", 7, 9, ["spaces", "between"]),
    ("海海海", 3, 9, ["海", "海", "海"]),
    ("海", 1, 9, ["海"]),
    ("", 5, 9, []), ("x", 0, 9, []), ("x", 5, 0, []), ("    ", 5, 9, []),
  ])
  func wrap_toColumns_breaksBetweenWords(
    text: String, columns: Int, limit: Int, expected: [String]
  ) {
    #expect(DisplayText.wrap(text, to: columns, limit: limit) == expected)
  }
}
