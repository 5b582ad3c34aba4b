import Player
import Stories
import Support
import System
import Testing

/// Which reaction is shown when.
@Suite struct ReactionsTests {
  private let start = Instant.now

  private func at(_ milliseconds: Int) -> Instant { start + .milliseconds(milliseconds) }

  private func wish(_ id: String, from sender: String = "", priority: Int = 0) -> Reactions.Wish {
    Reactions.Wish(id: id, title: id, sender: sender, priority: priority)
  }

  private func send(
    _ reactions: inout Reactions, _ wish: Reactions.Wish, at milliseconds: Int
  ) -> [Reactions.Effect] {
    reactions.handle(.sent(wish), at: at(milliseconds))
  }

  @Test func sent_whileNothingIsShown_isShown() {
    var reactions = Reactions()
    #expect(send(&reactions, wish("a"), at: 0) == [.show(ticket: 1, wish("a"))])
    #expect(reactions.activeTicket == 1)
    #expect(
      reactions.handle(.began(ticket: 1, length: .seconds(2)), at: at(100)) == [])
    #expect(reactions.handle(.ended(ticket: 1), at: at(2_100)) == [])
    #expect(reactions.activeTicket == nil)
  }

  @Test func sent_whileAnotherIsShown_waitsForItsEnd() {
    var reactions = Reactions()
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
    var reactions = Reactions()
    _ = send(&reactions, wish("a"), at: 0)
    _ = send(&reactions, wish("b"), at: 1)
    for event in [
      .ended(ticket: 2), .failed(ticket: 9), .began(ticket: 2, length: .seconds(1)),
    ] as [Reactions.Event] {
      #expect(reactions.handle(event, at: at(10)) == [])
      #expect(reactions.activeTicket == 1 && reactions.waitingCount == 1)
    }
  }

  @Test func priority_goesBeforeThoseThatWait_butNotBeforeTheOneShown() {
    var reactions = Reactions()
    var next = 0
    func send(_ id: String, _ priority: Int) -> [Reactions.Effect] {
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
    var reactions = Reactions()
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
    var reactions = Reactions()
    _ = send(&reactions, wish("heart"), at: 0)
    #expect(reactions.banner(at: at(0)) == "heart")
    _ = send(&reactions, wish("heart"), at: pause)
    #expect(reactions.banner(at: at(pause)) == (count == 2 ? "heart x2" : "heart"))
    #expect(reactions.waitingCount == (count == 2 ? 0 : 1))
  }

  @Test func repeats_oneAfterAnother_areCountedFromTheLast() {
    var reactions = Reactions()
    for number in 0..<10 { _ = send(&reactions, wish("heart"), at: number * 250) }
    #expect(reactions.banner(at: at(2_250)) == "heart x10")
    #expect(reactions.waitingCount == 0)
  }

  @Test func repeats_ofAnotherSender_areAnother() {
    var reactions = Reactions()
    _ = send(&reactions, wish("heart", from: "ben"), at: 0)
    #expect(reactions.banner(at: at(0)) == "ben: heart")
    _ = send(&reactions, wish("heart", from: "eve"), at: 10)
    #expect(reactions.banner(at: at(10)) == "eve: heart")
    _ = send(&reactions, wish("heart", from: "eve"), at: 20)
    #expect(reactions.banner(at: at(20)) == "eve: heart x2")
    #expect(reactions.waitingCount == 1)
  }

  @Test func banner_goesAfterThreeSeconds_evenOfOneThatFailed() {
    var reactions = Reactions()
    _ = send(&reactions, wish("heart"), at: 0)
    _ = reactions.handle(.failed(ticket: 1), at: at(5))
    #expect(reactions.nextMoment(at: at(5)) == at(3_000))
    #expect(reactions.banner(at: at(2_999)) == "heart")
    #expect(reactions.banner(at: at(3_000)) == nil)
    #expect(reactions.nextMoment(at: at(3_000)) == nil)
  }

  @Test func watchdog_endsWhatLastsTwoSecondsTooLong() {
    var reactions = Reactions()
    _ = send(&reactions, wish("a"), at: 0)
    _ = send(&reactions, wish("b"), at: 1_000)
    _ = reactions.handle(.began(ticket: 1, length: .seconds(4)), at: at(500))
    #expect(reactions.tick(at: at(6_499)) == [])
    #expect(reactions.nextMoment(at: at(6_000)) == at(6_500))
    #expect(reactions.tick(at: at(6_500)) == [.stop(ticket: 1), .show(ticket: 2, wish("b"))])
  }

  @Test func loading_forTenSeconds_isGivenUp() {
    var reactions = Reactions()
    _ = send(&reactions, wish("a"), at: 0)
    #expect(reactions.tick(at: at(9_999)) == [])
    #expect(reactions.tick(at: at(10_000)) == [.stop(ticket: 1)])
    #expect(reactions.handle(.began(ticket: 1, length: .seconds(1)), at: at(10_001)) == [])
    #expect(reactions.activeTicket == nil)
  }

  @Test func storyChange_dropsThoseThatWait() {
    var reactions = Reactions()
    _ = send(&reactions, wish("a"), at: 0)
    _ = send(&reactions, wish("b"), at: 1)
    #expect(reactions.handle(.storyChanged, at: at(2)) == [])
    #expect(reactions.waitingCount == 0 && reactions.activeTicket == 1)
    #expect(reactions.handle(.ended(ticket: 1), at: at(3)) == [])
  }

  /// Begun so long before or after the change of story, it is given up at the latest then.
  @Test(arguments: [(-1_500, 2_000), (-100, 2_000), (0, 2_000), (300, 2_000), (1_900, 2_000)])
  func storyChange_isOutlivedByNoMoreThanTheLength(_ began: Int, _ end: Int) {
    var reactions = Reactions()
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
    var reactions = Reactions()
    _ = send(&reactions, wish("a"), at: 0)
    _ = reactions.handle(.storyChanged, at: at(100))
    #expect(
      reactions.handle(.began(ticket: 1, length: .seconds(1)), at: at(1_100))
        == [.stop(ticket: 1)])
  }

  @Test func hidden_showsNothing_andForgetsWhatWaited() {
    var reactions = Reactions()
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
    var reactions = Reactions(isPossible: false)
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
    var reactions = Reactions()
    var shown: Set<Int> = []
    var active: Int?
    var now = 0
    for _ in 0..<400 {
      now += Int.random(in: 0...900, using: &random)
      let ticket =
        Bool.random(using: &random) ? active ?? 0 : Int.random(in: 0...60, using: &random)
      let events: [Reactions.Event] = [
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
      if let moment = reactions.nextMoment(at: at(now)), active != nil {
        #expect(moment > at(now))
      }
    }
  }
}

/// When the reactions that a story has received are shown.
@Suite struct ReactionCuesTests {
  private func cues(_ times: Double...) -> ReactionCues {
    ReactionCues(times.map { ReceivedReaction(atS: $0, id: "\($0)") })
  }

  private let start = Instant.now

  /// Looks at a media time; `look` is the time of day, by which the story may have run.
  private func due(
    _ cues: inout ReactionCues, _ milliseconds: Int, look: Int = 0, ran: Bool = true
  ) -> [String] {
    cues.due(
      at: .milliseconds(milliseconds), look: start + .milliseconds(look), ran: ran
    ).map(\.id)
  }

  @Test func running_givesEachAtItsMoment_once() {
    var cues = cues(1.5, 0, 0.04)
    #expect(due(&cues, 0) == ["0.0"])
    #expect(due(&cues, 33) == [])
    #expect(cues.next(after: .milliseconds(33)) == .milliseconds(40))
    #expect(due(&cues, 66) == ["0.04"])
    #expect(due(&cues, 1_000) == [])
    #expect(due(&cues, 1_499) == [])
    #expect(due(&cues, 1_500) == ["1.5"])
    #expect(due(&cues, 1_501) == [])
    #expect(cues.next(after: .zero) == nil)
  }

  @Test func jumps_passOver_andComeBack() {
    var cues = cues(1, 5, 9)
    #expect(due(&cues, 500) == [])
    // Over 1 and 5.
    #expect(due(&cues, 8_500) == [])
    #expect(due(&cues, 9_000) == ["9.0"])
    // Back to before 5: it was not shown yet, 9 was.
    #expect(due(&cues, 4_500) == [])
    #expect(due(&cues, 5_000) == ["5.0"])
    #expect(due(&cues, 9_100) == [])
    #expect(due(&cues, 8_900) == [])
    #expect(due(&cues, 9_100) == [])
    #expect(due(&cues, 0) == [])
    #expect(due(&cues, 900) == [])
    #expect(due(&cues, 1_700) == ["1.0"])
  }

  @Test(arguments: [1_001, 1_500, 8_000, 600_000])
  func sleptLong_overAPictureThatStays_givesWhatCameMeanwhile(_ slept: Int) {
    let moment = Double(slept) / 1_000
    var cues = cues(moment, moment + 0.5)
    #expect(due(&cues, 0) == [])
    #expect(due(&cues, slept + 2, look: slept + 3) == ["\(moment)"])
    #expect(due(&cues, slept + 600, look: slept + 601) == ["\(moment + 0.5)"])
  }

  @Test func jumps_afterALongSleep_passOver() {
    var cues = cues(3, 12, 14)
    #expect(due(&cues, 0) == [])
    // It ran for 2 s, and then was sent 10 s on.
    #expect(due(&cues, 13_000, look: 2_000) == [])
    #expect(due(&cues, 14_000, look: 3_000) == ["14.0"])
    // It stood still for a minute before it was sent back, and on.
    #expect(due(&cues, 1_000, look: 63_000, ran: false) == [])
    #expect(due(&cues, 6_000, look: 123_000, ran: false) == [])
    #expect(due(&cues, 11_500, look: 128_500) == [])
    #expect(due(&cues, 12_000, look: 129_000) == ["12.0"])
  }

  @Test func resumed_laterOn_doesNotShowWhatWasBefore() {
    var cues = cues(0, 1, 12)
    #expect(due(&cues, 11_800) == [])
    #expect(due(&cues, 12_050) == ["12.0"])
  }

  @Test func standing_givesNothing() {
    var cues = cues(1)
    #expect(due(&cues, 900) == [])
    #expect(due(&cues, 900) == [])
    #expect(due(&cues, 1_100) == ["1.0"])
    #expect(due(&cues, 1_100) == [])
  }
}

/// Which reactions are in sight.
@Suite struct ReactionStripTests {
  @Test func selection_staysInSight_andWithinTheList() {
    var strip = ReactionStrip()
    #expect(strip.visible(count: 20, room: 5) == 0..<5)
    for _ in 0..<7 { strip.move(.right, count: 20) }
    #expect(strip.selection == 7)
    #expect(strip.visible(count: 20, room: 5) == 3..<8)
    strip.move(.left, count: 20)
    #expect(strip.visible(count: 20, room: 5) == 3..<8)
    strip.move(.first, count: 20)
    #expect(strip.visible(count: 20, room: 5) == 0..<5)
    strip.move(.left, count: 20)
    #expect(strip.selection == 0)
    strip.move(.last, count: 20)
    strip.move(.right, count: 20)
    #expect(strip.visible(count: 20, room: 5) == 15..<20)
    // The list became shorter.
    #expect(strip.visible(count: 3, room: 5) == 0..<3)
    #expect(strip.selection == 2)
    #expect(strip.visible(count: 0, room: 5) == 0..<0)
    strip.move(.right, count: 0)
    #expect(strip.visible(count: 2, room: 0) == 1..<2)
  }
}
