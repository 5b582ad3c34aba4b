import Support
import System
import Testing

@testable import Player

@Suite struct RedrawPlanTests {
  private let start = Instant.now

  private func at(_ milliseconds: Int) -> Instant { start + .milliseconds(milliseconds) }

  private func facts(
    new: Bool = false, settled: Bool = true, sliding: Bool = false, still: Bool = false
  ) -> RedrawPlan.Facts {
    .init(hasNewOverlays: new, isSettled: settled, isSliding: sliding, isStill: still)
  }

  @Test func new_hasNothingToDo() {
    var plan = RedrawPlan()
    #expect(plan.takeLayout(at: start) == .valid)
    #expect(plan.takeReshape(at: start) == false)
    #expect(plan.takePaint(facts(), at: start) == nil)
    #expect(plan.reshapeDeadline == nil && plan.paintDeadline(isSettled: true, at: start) == nil)
  }

  @Test func layout_isTakenOnce_andPaintsAndReshapes() {
    var plan = RedrawPlan()
    plan.layoutChanged()
    #expect(plan.paintDeadline(isSettled: true, at: start) == start)
    #expect(plan.takeLayout(at: start) == .stale)
    #expect(plan.takeLayout(at: start) == .valid)
    #expect(plan.takePaint(facts(still: true), at: start) == .exactly)
    #expect(plan.takePaint(facts(still: true), at: start) == nil)
    #expect(plan.reshapeDeadline == at(60))
    #expect(plan.takeReshape(at: at(59)) == false)
    #expect(plan.takeReshape(at: at(60)) == true)
    #expect(plan.takeReshape(at: at(61)) == false)
    #expect(plan.reshapeDeadline == nil)
  }

  @Test func terminalThatIsUnknown_staysSo_whenItsSizeChangesToo() {
    var plan = RedrawPlan()
    plan.terminalChanged()
    plan.layoutChanged()
    #expect(plan.takeLayout(at: start) == .unknown)
    plan.layoutChanged()
    plan.terminalChanged()
    #expect(plan.takeLayout(at: start) == .unknown)
  }

  /// Somebody who drags the edge of a window changes its size in every moment.
  @Test func reshape_waitsUntilTheSizeHasStayed() {
    var plan = RedrawPlan()
    for moment in stride(from: 0, to: 400, by: 40) {
      plan.layoutChanged()
      _ = plan.takeLayout(at: at(moment))
      #expect(plan.takeReshape(at: at(moment + 39)) == false)
    }
    #expect(plan.reshapeDeadline == at(420))
    #expect(plan.takeReshape(at: at(420)) == true)
  }

  @Test(
    arguments: [
      // what is new, whether it is still, slides, and how it is painted
      (true, false, false, false, .roughly), (true, false, true, false, .exactly),
      (true, false, true, true, .roughly), (true, false, false, true, .roughly),
      (false, true, false, false, .roughly), (false, true, true, false, .exactly),
      (false, false, false, true, .roughly), (false, false, true, false, nil),
      (false, false, false, false, nil),
    ] as [(Bool, Bool, Bool, Bool, RedrawPlan.Paint?)])
  func paint_dependsOnWhatChanged(
    picture: Bool, overlays: Bool, still: Bool, sliding: Bool, expected: RedrawPlan.Paint?
  ) {
    var plan = RedrawPlan()
    if picture { plan.pictureChanged() }
    let facts = facts(new: overlays, sliding: sliding, still: still)
    #expect(plan.takePaint(facts, at: start) == expected)
  }

  @Test func roughPicture_settles_onceItHasStayed() {
    var plan = RedrawPlan()
    plan.pictureChanged()
    #expect(plan.takePaint(facts(settled: false), at: start) == .roughly)
    #expect(plan.paintDeadline(isSettled: false, at: at(1)) == at(120))
    #expect(plan.takePaint(facts(settled: false), at: at(119)) == nil)
    #expect(plan.takePaint(facts(settled: false), at: at(120)) == .exactly)
    // A picture that comes later than that, as on a slow line, is no reason to be exact.
    plan.pictureChanged()
    #expect(plan.takePaint(facts(settled: false), at: at(250)) == .roughly)
    #expect(plan.takePaint(facts(settled: false), at: at(369)) == nil)
    #expect(plan.takePaint(facts(settled: false), at: at(370)) == .exactly)
    #expect(plan.paintDeadline(isSettled: true, at: at(121)) == nil)
    #expect(plan.takePaint(facts(), at: at(500)) == nil)
  }

  @Test func movingPictures_areNotSettled() {
    var plan = RedrawPlan()
    for frame in 0..<30 {
      plan.pictureChanged()
      #expect(plan.takePaint(facts(settled: false), at: at(frame * 33)) == .roughly)
    }
  }

  @Test func slide_isPaintedRoughly_evenWhereItWouldSettle() {
    var plan = RedrawPlan()
    plan.pictureChanged()
    _ = plan.takePaint(facts(settled: false), at: start)
    #expect(plan.takePaint(facts(settled: false, sliding: true), at: at(130)) == .roughly)
  }

  /// What the plan says about when it wants to be asked must agree with what it does then: no deadline
  /// without a step, no step that waits for an event, and no deadline twice.
  @Test(arguments: 0..<200 as Range<UInt64>)
  func deadlines_andSteps_agree(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var plan = RedrawPlan()
    var now = 0
    var isSettled = true
    for _ in 0..<300 {
      switch Int.random(in: 0..<8, using: &random) {
      case 0: plan.layoutChanged()
      case 1: plan.terminalChanged()
      case 2, 3: plan.pictureChanged()
      default: break
      }
      let wanted = plan.paintDeadline(isSettled: isSettled, at: at(now))
      let hadLayout = plan.takeLayout(at: at(now)) != .valid
      let still = Bool.random(using: &random)
      let paint = plan.takePaint(facts(settled: isSettled, still: still), at: at(now))
      #expect((paint != nil) == (wanted.map { $0 <= at(now) } ?? false))
      if hadLayout { #expect(paint != nil && plan.reshapeDeadline == at(now + 60)) }
      if let paint { isSettled = paint == .exactly }
      let next = plan.paintDeadline(isSettled: isSettled, at: at(now))
      #expect(next.map { $0 > at(now) } ?? isSettled)
      now += Int.random(in: 0...90, using: &random)
      let due = plan.reshapeDeadline.map { $0 <= at(now) } ?? false
      #expect(plan.takeReshape(at: at(now)) == due)
    }
  }
}
