import Synchronization
import System
import Testing

@Suite struct LogTests {
  /// Collects lines.
  private final class Lines: Sendable {
    let all = Mutex<[String]>([])
    func log(_ categories: Set<Log.Category>) -> Log {
      Log(categories) { level, category, words in
        self.all.withLock { $0.append("\(level) \(category) \(words)") }
      }
    }
  }

  @Test func note_ofChosenCategories_comesWithItsLevel() {
    let lines = Lines()
    let log = lines.log([.http, .decoder])
    log.note(.http, "a")
    log.note(.playback, .error, "b")
    log.note(.decoder, .warning, "c")
    #expect(lines.all.withLock { $0 } == ["info http a", "warning decoder c"])
    #expect(log.isOn(.http) && !log.isOn(.playback))
  }

  @Test func note_thatNobodyReads_isNotEvaluated() {
    let lines = Lines()
    var made = 0
    func words() -> String {
      made += 1
      return "made"
    }
    for log in [Log.off, lines.log([.http]), lines.log([])] { log.note(.cache, words()) }
    #expect(made == 0)
    lines.log([.cache]).note(.cache, words())
    #expect(made == 1)
  }

  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (1_764_561_600_007, "2025-12-01T04:00:00.007Z"),
      (1_764_561_600_999, "2025-12-01T04:00:00.999Z"),
    ] as [(Int64, String)])
  func time_isWrittenToTheMillisecond(moment: Int64, text: String) {
    #expect(WallClock.text(millisecondsSince1970: moment) == text)
  }

  @Test func duration_isWrittenInWholeMilliseconds() {
    #expect(Duration.milliseconds(2_103.7).logged == "2103 ms")
    #expect(Duration.zero.logged == "0 ms")
  }
}
