import Glibc
import Support
import System
import Testing

@Suite struct HTTPDateTests {
  @Test func text_isWhatTheSystemSays_forAnyTime() {
    var random = SeededRandom(seed: 7)
    let times =
      [0, -1, 951_782_399, 951_782_400, 4_107_542_399, 4_107_542_400, 784_111_777]
      + (0..<3000).map { _ in Int64.random(in: -2_000_000_000...90_000_000_000, using: &random) }
    for time in times {
      var moment = time_t(time)
      var parts = tm()
      gmtime_r(&moment, &parts)
      var buffer = [CChar](repeating: 0, count: 64)
      strftime(&buffer, 64, "%a, %d %b %Y %H:%M:%S GMT", &parts)
      let expected = String(
        decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      #expect(HTTPDate.text(time) == expected)
      #expect(HTTPDate.seconds(expected) == time)
    }
  }

  @Test(
    arguments: [
      ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
      ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777), ("Sun Nov  6 08:49:37 1994", 784_111_777),
      ("Sun, 06 Nov 1994 08:49:37 CET", nil), ("Sun, 31 Feb 1994 08:49:37 GMT", nil),
      ("Sun, 06 Nov 1994 24:49:37 GMT", nil), ("Sun, 06 Nov 1994 08:49 GMT", nil),
      ("Sun, 06 Nix 1994 08:49:37 GMT", nil), ("784111777", nil), ("", nil),
      ("Sun, 06 Nov 99999 08:49:37 GMT", nil), ("Sun, 06 Nov 1994 +8:49:37 GMT", nil),
    ] as [(String, Int64?)])
  func seconds_ofEachForm(text: String, seconds: Int64?) {
    #expect(HTTPDate.seconds(text) == seconds)
  }

  /// Forms that servers send although they should not.
  @Test(
    arguments: [
      ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
      ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777), ("Sun Nov  6 08:49:37 1994", 784_111_777),
      ("Sun, 06 Nov 1994 09:49:37 CET", 784_111_777), ("06 Nov 1994 08:49:37", 784_111_777),
      ("Sun, 06-Nov-1994 08:49:37 GMT", 784_111_777),
      ("Sun, 06-Nov-94 08:49:37 UTC", 784_111_777),
      ("Sun, 06 Nov 1994 10:49:37 +0200", 784_111_777),
      ("Sun, 06 Nov 1994 08:49 GMT", 784_111_740), ("Thu, 01-Jan-1970 00:00:01 GMT", 1),
      ("Wed, 31 Dec 1969 23:59:59 GMT", -1), ("0", nil), ("-1", nil), ("", nil), ("never", nil),
    ] as [(String, Int64?)])
  func secondsLeniently_ofWhatIsSent(text: String, seconds: Int64?) {
    #expect(HTTPDate.secondsLeniently(text) == seconds)
  }
}

@Suite struct InternetDateTests {
  @Test(arguments: [
    ("1970-01-01T00:00:00Z", 0),
    ("2026-11-28T09:00:00Z", 1_795_856_400),
    ("2014-05-09T12:04:00-07:00", 1_399_662_240),
    ("2014-05-09T12:04:00+05:30", 1_399_617_240),
    ("2019-10-12T07:20:50.52Z", 1_570_864_850),
    ("2020-02-29t23:59:60z", 1_583_020_800),
    ("2020-02-29 23:59Z", 1_583_020_740),
    ("2000-02-29", 951_782_400),
    ("1969-12-31T23:59:59Z", -1),
    ("2026-11-28T09:00:00+0100", 1_795_852_800),
  ])
  func secondsSince1970_dates(text: String, expected: Int64) {
    #expect(InternetDate.secondsSince1970(text) == expected)
  }

  @Test(arguments: [
    "", "2026", "0000-01-01", "2026-13-01", "2026-00-01", "2026-02-29", "1900-02-29", "2026-11-31",
    "2026-11-28T24:00:00Z", "2026-11-28T09:60:00Z", "2026-11-28T09:00:61Z",
    "2026-11-28T09:00:00.Z", "2026-11-28T09:00:00Q", "2026-11-28T09:00:00Z ", "26-11-28",
    "Sat, 28 Nov 2026 09:00:00 GMT", "2026-11-28T09:00:00+24:00", "２０２６-11-28",
  ])
  func secondsSince1970_others_areNil(text: String) {
    #expect(InternetDate.secondsSince1970(text) == nil)
  }

  @Test func secondsSince1970_everyDayOf400Years_countsOn() {
    var expected: Int64 = 0
    for year in 1970..<2370 {
      for month in 1...12 {
        for day in 1...31 {
          let text = "\(year)-\(pad(month))-\(pad(day))"
          guard let seconds = InternetDate.secondsSince1970(text) else { continue }
          #expect(seconds == expected, "\(text)")
          expected += 86_400
        }
      }
    }
    #expect(expected == 146_097 * 86_400)
  }

  private func pad(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

@Suite struct MailDateTests {
  @Test(
    arguments: [
      ("Sat Nov 28 09:00:00 2026", 1_795_856_400), ("Sat Nov 28 04:00:00 EST 2026", 1_795_856_400),
      ("Sat, 28 Nov 2026 10:00:00 MET", 1_795_856_400),
      ("Sat, 28 Nov 2026 07:59:00 GMT-01:01", 1_795_856_400),
      ("Sat, 28 Nov 2026 10:00:00 UTC+0100", 1_795_856_400),
      ("Sat, 28 Nov 2026 11:00:00 CEST", 1_795_856_400), ("Sat Nov 28 2026", nil),
      ("Sat, 28 Nov 2026 09:00:00 GMT", 1_795_856_400), ("28 Nov 2026 10:00 +0100", 1_795_856_400),
      ("Sat, 28 Nov 26 04:00:00 EST", 1_795_856_400),
      ("Sat 28 November 2026 9:00:00 Z", 1_795_856_400),
      ("28 Nov 2026 02:30:00 -06:30", 1_795_856_400), ("28 Nov 2026", 1_795_824_000),
      ("1 Jan 70 00:00:00 UT", 0), ("31 Feb 2026 09:00:00 GMT", nil), ("28 Nov", nil), ("", nil),
      ("28 Xxx 2026 09:00:00 GMT", nil), ("28 Nov 2026 25:00:00 GMT", nil),
      ("28 Nov 2026 9:x:00 GMT", nil), ("28 Nov 2026 09:00:00 +1", nil),
    ] as [(String, Int64?)])
  func mailDate_isSecondsSince1970(text: String, expected: Int64?) {
    #expect(MailDate.secondsSince1970(text) == expected)
  }
}
