import Terminal
import Testing

@testable import Player

@Suite struct ActionsTests {
  @Test func keys_ofAllActions_areDifferent() {
    let keys = Action.allCases.flatMap(\.helpLine.keys)
    #expect(Set(keys).count == keys.count)
    let table = KeyTable()
    for action in Action.allCases {
      #expect(!action.helpLine.keys.isEmpty)
      for key in action.helpLine.keys { #expect(table.action(for: key) == action) }
    }
    #expect(table.action(for: .character("Z")) == nil && table.action(for: .f(12)) == nil)
  }

  /// Digits send reactions, and Enter on the end card plays again.
  @Test func digits_areNoKeysOfActions() {
    for digit in "0123456789" { #expect(KeyTable().action(for: .character(digit)) == nil) }
  }

  @Test func help_hasARowForEachAction_thatFitsANarrowScreen() {
    let rows = KeyTable().helpRows
    #expect(rows.count == Action.allCases.count)
    for row in rows {
      #expect(!row.keys.isEmpty && !row.meaning.isEmpty)
      let brief = row.briefMeaning ?? row.meaning
      #expect(brief.count <= row.meaning.count && brief.count <= 29)
    }
  }

  @Test func bound_keysMeanTheNewAction_andNothingElse() {
    var table = KeyTable()
    table.bind(.quit, to: [.character("x"), .right])
    #expect(table.action(for: .character("x")) == .quit && table.action(for: .right) == .quit)
    // It had this key, and Right was the first key of another action.
    #expect(table.action(for: .character("q")) == nil)
    #expect(table.name(of: .next) == "l" && table.name(of: .quit) == "x")
    #expect(table.helpRows.first { $0.meaning == "next story" }?.keys == "l Enter")
  }

  @Test func action_withoutKeys_isNotInTheHelp() {
    var table = KeyTable()
    table.bind(.info, to: [])
    #expect(table.name(of: .info) == nil)
    #expect(table.helpRows.count == Action.allCases.count - 1)
    #expect(!table.helpRows.contains { $0.meaning == Action.info.helpLine.meaning })
  }

  /// The configuration names actions so.
  @Test func names_areInLowerCaseWithHyphens() {
    for action in Action.allCases {
      #expect(action.rawValue.allSatisfy { $0.isLowercase || $0 == "-" })
      #expect(Action(rawValue: action.rawValue) == action)
    }
  }
}
