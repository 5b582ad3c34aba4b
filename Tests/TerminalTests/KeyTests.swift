import Terminal
import Testing

@Suite struct KeyTests {
  private static let spellings: [(String, Key)] = [
    ("Right", .right), ("right", .right), ("LEFT", .left), ("Up", .up), ("Down", .down),
    ("Home", .home), ("End", .end), ("PageUp", .pageUp), ("PgDn", .pageDown),
    ("Tab", .tab), ("S-Tab", .backTab), ("s-tab", .backTab), ("Enter", .enter),
    ("Return", .enter), ("Esc", .escape), ("Escape", .escape), ("Backspace", .backspace),
    ("Space", .character(" ")), (" ", .character(" ")),
    ("l", .character("l")), ("L", .character("L")), ("?", .character("?")), ("é", .character("é")),
    ("^", .character("^")), ("F", .character("F")), ("-", .character("-")),
    ("F1", .f(1)), ("f12", .f(12)), ("F63", .f(63)),
    ("^L", .control("L")), ("^l", .control("L")), ("C-l", .control("L")), ("C-L", .control("L")),
    ("^@", .control("@")), ("^]", .control("]")),
    // Keys that terminals cannot distinguish have one name.
    ("^I", .tab), ("^M", .enter), ("^J", .enter), ("^[", .escape), ("^H", .backspace),
  ]

  @Test(arguments: spellings)
  func init_knownSpelling_givesTheKey(name: String, expected: Key) {
    #expect(Key(name: name) == expected)
  }

  @Test(arguments: [
    "", "Rigth", "F0", "F64", "F01", "F+1", "^LL", "^é", "^1", "C-", "ab", "\u{1B}", "\n",
    "\u{200B}", "Shift-Tab",
  ])
  func init_anythingElse_isNil(name: String) {
    #expect(Key(name: name) == nil)
  }

  @Test(arguments: spellings)
  func name_readBack_givesTheSameKey(_: String, key: Key) {
    #expect(Key(name: key.name) == key)
  }

  @Test(arguments: [
    (Key.right, "Right"), (.character(" "), "Space"), (.character("q"), "q"), (.backTab, "S-Tab"),
    (.enter, "Enter"), (.escape, "Esc"), (.f(1), "F1"), (.control("L"), "^L"),
    (.pageUp, "PageUp"), (.backspace, "Backspace"),
  ])
  func name_isTheFirstSpelling(key: Key, expected: String) {
    #expect(key.name == expected)
  }
}
