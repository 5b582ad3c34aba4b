import Reactions
import Testing

/// Which reactions are in sight.
@Suite struct ReactionStripTests {
  private func inSight(_ strip: inout ReactionStrip, count: Int, room: Int) -> Range<Int> {
    strip.fit(count: count, room: room)
    return strip.inSight
  }

  @Test func selection_staysInSight_andWithinTheList() {
    var strip = ReactionStrip()
    #expect(inSight(&strip, count: 20, room: 5) == 0..<5)
    for _ in 0..<7 { strip.move(.right, count: 20) }
    #expect(strip.selection == 7)
    #expect(inSight(&strip, count: 20, room: 5) == 3..<8)
    strip.move(.left, count: 20)
    #expect(inSight(&strip, count: 20, room: 5) == 3..<8)
    strip.move(.first, count: 20)
    #expect(inSight(&strip, count: 20, room: 5) == 0..<5)
    strip.move(.left, count: 20)
    #expect(strip.selection == 0)
    strip.move(.last, count: 20)
    strip.move(.right, count: 20)
    #expect(inSight(&strip, count: 20, room: 5) == 15..<20)
    // The list became shorter.
    #expect(inSight(&strip, count: 3, room: 5) == 0..<3)
    #expect(strip.selection == 2)
    #expect(inSight(&strip, count: 0, room: 5) == 0..<0)
    strip.move(.right, count: 0)
    #expect(inSight(&strip, count: 2, room: 0) == 1..<2)
  }
}
