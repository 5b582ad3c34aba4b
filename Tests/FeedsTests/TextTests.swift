import Feeds
import Support
import Testing

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

@Suite struct NaturalOrderTests {
  @Test(arguments: [
    (["clip10", "clip2", "clip1"], ["clip1", "clip2", "clip10"]),
    (["b", "A", "a", "B"], ["A", "a", "B", "b"]),
    (["a 10.mp4", "a 9.mp4", "a.mp4"], ["a 9.mp4", "a 10.mp4", "a.mp4"]),
    (["1-10-2", "1-2-10", "1-2-9"], ["1-2-9", "1-2-10", "1-10-2"]),
    (["x07", "x7", "x007"], ["x007", "x07", "x7"]),
    (["0", "00", "1"], ["0", "00", "1"]),
    (["2026-12-01", "2026-2-1", "2026-11-30"], ["2026-2-1", "2026-11-30", "2026-12-01"]),
    (["Éa", "éb", "ez"], ["ez", "Éa", "éb"]),
    (
      ["99999999999999999999999999", "100000000000000000000000000"],
      ["99999999999999999999999999", "100000000000000000000000000"]
    ),
  ])
  func sorted_names(names: [String], expected: [String]) {
    #expect(NaturalOrder.sorted(names) == expected)
  }

  @Test func sorted_randomNames_asPairwiseComparisonDoes() {
    var random = SeededRandom(seed: 3)
    let alphabet = Array("ab019_. ")
    let names = (0..<600).map { _ in
      String(
        (0..<Int.random(in: 1...8, using: &random)).map { _ in
          alphabet.randomElement(using: &random) ?? "a"
        })
    }
    let sorted = NaturalOrder.sorted(names)
    for (left, right) in zip(sorted, sorted.dropFirst()) {
      #expect(!isBefore(right, left), "\(left) | \(right)")
    }
  }

  /// Token by token, digits as numbers: slow and obvious.
  private func isBefore(_ left: String, _ right: String) -> Bool {
    let (a, b) = (tokens(left), tokens(right))
    for (x, y) in zip(a, b) where x != y {
      if let m = Int(x), let n = Int(y) {
        if m != n { return m < n }
        continue
      }
      // A number stands where its digits stand among the characters.
      return (Int(x) == nil ? x : "0") < (Int(y) == nil ? y : "0")
    }
    return a.count == b.count ? left < right : a.count < b.count
  }

  private func tokens(_ name: String) -> [String] {
    var tokens: [String] = []
    for character in name {
      if character.isNumber, let last = tokens.last, Int(last) != nil {
        tokens[tokens.count - 1] = last + String(character)
      } else {
        tokens.append(String(character))
      }
    }
    return tokens
  }
}

@Suite struct URLTextTests {
  /// RFC 3986, section 5.4; a fragment is never sent and is cut.
  @Test(arguments: [
    ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
    ("/g", "http://a/g"), ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"),
    ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q"), ("g#s", "http://a/b/c/g"),
    (";x", "http://a/b/c/;x"), ("g;x?y#s", "http://a/b/c/g;x?y"), ("", "http://a/b/c/d;p?q"),
    (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"), ("../", "http://a/b/"),
    ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../", "http://a/"),
    ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("/./g", "http://a/g"),
    ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), ("..g", "http://a/b/c/..g"),
    ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"),
    ("g/../h", "http://a/b/c/h"), ("g?y/../x", "http://a/b/c/g?y/../x"),
  ])
  func resolve_examplesOfTheStandard(reference: String, expected: String) {
    #expect(URLText.resolve(reference, against: "http://a/b/c/d;p?q") == expected)
  }

  @Test(arguments: [
    ("x.mp4", "http://host", "http://host/x.mp4"),
    ("x.mp4", "http://host?q=/a/b", "http://host/x.mp4"),
    ("ä b.mp4", "https://h:8/f/", "https://h:8/f/ä b.mp4"),
  ])
  func resolve_againstBareHosts(reference: String, base: String, expected: String) {
    #expect(URLText.resolve(reference, against: base) == expected)
  }
}
