import Reactions
import Stories
import Support
import System
import Testing

/// Which reaction is shown when.
@Suite struct ReactionQueueTests {
  private let start = Instant.now

  private func at(_ milliseconds: Int) -> Instant { start + .milliseconds(milliseconds) }

  private func wish(_ id: String, from sender: String = "", priority: Int = 0) -> ReactionQueue.Wish
  {
    ReactionQueue.Wish(id: id, title: id, sender: sender, priority: priority)
  }

  private func send(
    _ reactions: inout ReactionQueue, _ wish: ReactionQueue.Wish, at milliseconds: Int
  ) -> [ReactionQueue.Effect] {
    reactions.handle(.sent(wish), at: at(milliseconds))
  }

  @Test func sent_whileNothingIsShown_isShown() {
    var reactions = ReactionQueue()
    #expect(send(&reactions, wish("a"), at: 0) == [.show(ticket: 1, wish("a"))])
    #expect(reactions.activeTicket == 1)
    #expect(
      reactions.handle(.began(ticket: 1, length: .seconds(2)), at: at(100)) == [])
    #expect(reactions.handle(.ended(ticket: 1), at: at(2_100)) == [])
    #expect(reactions.activeTicket == nil)
  }

  @Test func sent_whileAnotherIsShown_waitsForItsEnd() {
    var reactions = ReactionQueue()
    _ = send(&reactions, wish("a"), at: 0)
    #expect(send(&reactions, wish("b"), at: 1) == [])
    #expect(send(&reactions, wish("c"), at: 2) == [])
    #expect(reactions.waitingCount == 2)
    #expect(
      reactions.handle(.ended(ticket: 1), at: at(10)) == [.show(ticket: 2, wish("b"))])
    #expect(
      reactions.handle(.failed(ticket: 2), at: at(20)) == [.show(ticket: 3, wish("c"))])
    #expect(reactions.waitingCount == 0)
  }

  @Test func answers_ofOtherTickets_changeNothing() {
    var reactions = ReactionQueue()
    _ = send(&reactions, wish("a"), at: 0)
    _ = send(&reactions, wish("b"), at: 1)
    for event in [
      .ended(ticket: 2), .failed(ticket: 9), .began(ticket: 2, length: .seconds(1)),
    ] as [ReactionQueue.Event] {
      #expect(reactions.handle(event, at: at(10)) == [])
      #expect(reactions.activeTicket == 1 && reactions.waitingCount == 1)
    }
  }

  @Test func priority_goesBeforeThoseThatWait_butNotBeforeTheOneShown() {
    var reactions = ReactionQueue()
    var next = 0
    func send(_ id: String, _ priority: Int) -> [ReactionQueue.Effect] {
      next += 1_000
      return self.send(&reactions, wish(id, priority: priority), at: next)
    }
    _ = send("shown", 0)
    for (id, priority) in [("a", 0), ("b", 5), ("c", 0), ("d", 9), ("e", 5), ("f", -1)] {
      #expect(send(id, priority) == [])
    }
    var order: [String] = []
    var ticket = 1
    while case .show(let shown, let wish)? = reactions.handle(
      .failed(ticket: ticket), at: at(next)
    ).first {
      order.append(wish.id)
      ticket = shown
    }
    #expect(order == ["d", "b", "e", "a", "c", "f"])
  }

  @Test func queue_ofFifty_dropsTheOneThatWaitedLongest() {
    var reactions = ReactionQueue()
    for number in 0...60 { _ = send(&reactions, wish("\(number)"), at: number * 1_000) }
    #expect(reactions.waitingCount == 50)
    // 0 is shown; 1 to 10 were dropped, although some of the others are of higher priority.
    #expect(
      reactions.handle(.ended(ticket: 1), at: at(61_000)) == [.show(ticket: 12, wish("11"))])
    _ = send(&reactions, wish("x", priority: 1), at: 62_000)
    _ = send(&reactions, wish("y", priority: 1), at: 63_000)
    #expect(reactions.waitingCount == 50)
    #expect(
      reactions.handle(.ended(ticket: 12), at: at(64_000))
        == [.show(ticket: 62, wish("x", priority: 1))])
  }

  @Test(arguments: [(300, 2), (301, 1)])
  func repeats_within300Milliseconds_areCounted(_ pause: Int, _ count: Int) {
    var reactions = ReactionQueue()
    _ = send(&reactions, wish("heart"), at: 0)
    #expect(reactions.banner(at: at(0)) == "heart")
    _ = send(&reactions, wish("heart"), at: pause)
    #expect(reactions.banner(at: at(pause)) == (count == 2 ? "heart x2" : "heart"))
    #expect(reactions.waitingCount == (count == 2 ? 0 : 1))
  }

  @Test func repeats_oneAfterAnother_areCountedFromTheLast() {
    var reactions = ReactionQueue()
    for number in 0..<10 { _ = send(&reactions, wish("heart"), at: number * 250) }
    #expect(reactions.banner(at: at(2_250)) == "heart x10")
    #expect(reactions.waitingCount == 0)
  }

  @Test func repeats_ofAnotherSender_areAnother() {
    var reactions = ReactionQueue()
    _ = send(&reactions, wish("heart", from: "ben"), at: 0)
    #expect(reactions.banner(at: at(0)) == "ben: heart")
    _ = send(&reactions, wish("heart", from: "eve"), at: 10)
    #expect(reactions.banner(at: at(10)) == "eve: heart")
    _ = send(&reactions, wish("heart", from: "eve"), at: 20)
    #expect(reactions.banner(at: at(20)) == "eve: heart x2")
    #expect(reactions.waitingCount == 1)
  }

  @Test func banner_goesAfterThreeSeconds_evenOfOneThatFailed() {
    var reactions = ReactionQueue()
    _ = send(&reactions, wish("heart"), at: 0)
    _ = reactions.handle(.failed(ticket: 1), at: at(5))
    #expect(reactions.deadline(at: at(5)) == at(3_000))
    #expect(reactions.banner(at: at(2_999)) == "heart")
    #expect(reactions.banner(at: at(3_000)) == nil)
    #expect(reactions.deadline(at: at(3_000)) == nil)
  }

  @Test func watchdog_endsWhatLastsTwoSecondsTooLong() {
    var reactions = ReactionQueue()
    _ = send(&reactions, wish("a"), at: 0)
    _ = send(&reactions, wish("b"), at: 1_000)
    _ = reactions.handle(.began(ticket: 1, length: .seconds(4)), at: at(500))
    #expect(reactions.tick(at: at(6_499)) == [])
    #expect(reactions.deadline(at: at(6_000)) == at(6_500))
    #expect(reactions.tick(at: at(6_500)) == [.stop(ticket: 1), .show(ticket: 2, wish("b"))])
  }

  @Test func loading_forTenSeconds_isGivenUp() {
    var reactions = ReactionQueue()
    _ = send(&reactions, wish("a"), at: 0)
    #expect(reactions.tick(at: at(9_999)) == [])
    #expect(reactions.tick(at: at(10_000)) == [.stop(ticket: 1)])
    #expect(reactions.handle(.began(ticket: 1, length: .seconds(1)), at: at(10_001)) == [])
    #expect(reactions.activeTicket == nil)
  }

  @Test func storyChange_dropsThoseThatWait() {
    var reactions = ReactionQueue()
    _ = send(&reactions, wish("a"), at: 0)
    _ = send(&reactions, wish("b"), at: 1)
    #expect(reactions.handle(.storyChanged, at: at(2)) == [])
    #expect(reactions.waitingCount == 0 && reactions.activeTicket == 1)
    #expect(reactions.handle(.ended(ticket: 1), at: at(3)) == [])
  }

  /// Begun so long before or after the change of story, it is given up at the latest then.
  @Test(arguments: [(-1_500, 2_000), (-100, 2_000), (0, 2_000), (300, 2_000), (1_900, 2_000)])
  func storyChange_isOutlivedByNoMoreThanTheLength(_ began: Int, _ end: Int) {
    var reactions = ReactionQueue()
    _ = send(&reactions, wish("a"), at: -2_000)
    if began <= 0 {
      _ = reactions.handle(.began(ticket: 1, length: .seconds(2)), at: at(began))
    }
    _ = reactions.handle(.storyChanged, at: at(0))
    // A second change does not prolong it.
    _ = reactions.handle(.storyChanged, at: at(200))
    if began > 0 {
      _ = reactions.handle(.began(ticket: 1, length: .seconds(2)), at: at(began))
    }
    #expect(reactions.tick(at: at(end - 1)) == [])
    #expect(reactions.tick(at: at(end)) == [.stop(ticket: 1)])
  }

  @Test func beginning_tooLongAfterTheStory_isStoppedAtOnce() {
    var reactions = ReactionQueue()
    _ = send(&reactions, wish("a"), at: 0)
    _ = reactions.handle(.storyChanged, at: at(100))
    #expect(
      reactions.handle(.began(ticket: 1, length: .seconds(1)), at: at(1_100))
        == [.stop(ticket: 1)])
  }

  @Test func hidden_showsNothing_andForgetsWhatWaited() {
    var reactions = ReactionQueue()
    _ = send(&reactions, wish("a"), at: 0)
    _ = send(&reactions, wish("b"), at: 1)
    #expect(reactions.handle(.toggled, at: at(2)) == [.stop(ticket: 1)])
    #expect(!reactions.isShown && reactions.waitingCount == 0)
    #expect(reactions.banner(at: at(2)) == nil)
    #expect(send(&reactions, wish("c"), at: 3) == [])
    #expect(reactions.banner(at: at(3)) == nil)
    #expect(reactions.handle(.toggled, at: at(4)) == [])
    #expect(send(&reactions, wish("c"), at: 5) == [.show(ticket: 3, wish("c"))])
  }

  @Test func impossible_staysSo() {
    var reactions = ReactionQueue(isPossible: false)
    #expect(send(&reactions, wish("a"), at: 0) == [])
    #expect(reactions.handle(.toggled, at: at(1)) == [])
    #expect(send(&reactions, wish("a"), at: 400) == [])
    #expect(reactions.banner(at: at(400)) == nil && !reactions.isShown)
  }

  /// Whatever happens in whatever order: one at most is shown, no ticket twice, the queue is bounded,
  /// and something that has begun is over when it must be.
  @Test(arguments: 0..<40 as Range<UInt64>)
  func anyEvents_keepTheRules(_ seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var reactions = ReactionQueue()
    var shown: Set<Int> = []
    var active: Int?
    var now = 0
    for _ in 0..<400 {
      now += Int.random(in: 0...900, using: &random)
      let ticket =
        Bool.random(using: &random) ? active ?? 0 : Int.random(in: 0...60, using: &random)
      let events: [ReactionQueue.Event] = [
        .sent(wish(["a", "b", "c"].randomElement(using: &random) ?? "a")),
        .sent(wish("d", priority: Int.random(in: -2...2, using: &random))),
        .began(ticket: ticket, length: .milliseconds(Int.random(in: 0...3_000, using: &random))),
        .ended(ticket: ticket), .failed(ticket: ticket), .storyChanged, .toggled,
      ]
      let event = events.randomElement(using: &random) ?? .storyChanged
      if event == .ended(ticket: ticket) || event == .failed(ticket: ticket), ticket == active {
        active = nil
      }
      let effects =
        reactions.handle(event, at: at(now)) + reactions.tick(at: at(now))
      for effect in effects {
        switch effect {
        case .show(let ticket, _):
          #expect(active == nil && shown.insert(ticket).inserted)
          active = ticket
        case .stop(let ticket):
          #expect(ticket == active)
          active = nil
        }
      }
      #expect(reactions.activeTicket == active)
      #expect(reactions.waitingCount <= 50)
      #expect(active != nil || reactions.waitingCount == 0)
      if let moment = reactions.deadline(at: at(now)), active != nil {
        #expect(moment > at(now))
      }
    }
  }
}
