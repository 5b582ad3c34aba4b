import Testing

@testable import Player

@Suite struct WakeUpsTests {
  @Test func tallies_areToldApart() {
    var wakeUps = WakeUps()
    wakeUps.add(1, in: .playing, over: .milliseconds(30))
    wakeUps.add(2, in: .playing, over: .milliseconds(20))
    wakeUps.add(1, in: .paused, over: .seconds(8))
    wakeUps.add(7, in: .other, over: .seconds(1))
    #expect(wakeUps.playing.count == 3 && wakeUps.playing.time == .milliseconds(50))
    #expect(wakeUps.playing.perSecond == 60)
    #expect(wakeUps.paused.count == 1 && wakeUps.paused.perSecond == 0.125)
  }

  @Test func words_sayWhatThereIs() {
    var wakeUps = WakeUps()
    #expect(wakeUps.words == nil && wakeUps.playing.perSecond == nil)
    wakeUps.add(5, in: .other, over: .seconds(1))
    #expect(wakeUps.words == nil)
    wakeUps.add(123, in: .playing, over: .seconds(2))
    #expect(wakeUps.words == "woke up 61.5 times a second while playing")
    wakeUps.add(1, in: .paused, over: .seconds(20))
    #expect(wakeUps.words == "woke up 61.5 times a second while playing, 0.05 while paused")
  }

  @Test func json_hasNullWhereNoTimeHasPassed() {
    var wakeUps = WakeUps()
    wakeUps.add(3, in: .playing, over: .milliseconds(1_500))
    #expect(
      wakeUps.json.description == """
        {
          "playing": {
            "count": 3,
            "seconds": 1.5,
            "perSecond": 2
          },
          "paused": {
            "count": 0,
            "seconds": 0,
            "perSecond": null
          }
        }
        """)
  }
}
