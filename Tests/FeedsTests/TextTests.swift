import Feeds
import Support
import Testing

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

  /// Compares token by token, digits as numbers: slow and obvious.
  private func isBefore(_ left: String, _ right: String) -> Bool {
    let (a, b) = (tokens(left), tokens(right))
    for (x, y) in zip(a, b) where x != y {
      if let m = Int(x), let n = Int(y) {
        if m != n { return m < n }
        continue
      }
      // A number sorts among characters where its digits do.
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
