import Testing

@testable import Resources

@Suite struct CookiesTests {
  private func cookies(_ set: [String], from url: String = "http://h.example/a/b") -> Cookies {
    var cookies = Cookies()
    let head = ResponseHead(["HTTP/1.1 302 x"] + set.map { "Set-Cookie: \($0)" } + [""])
    if let address = WebAddress(url) { cookies.take(head, from: address, now: 1_700_000_000) }
    return cookies
  }

  @Test(
    arguments: [
      // What is set at http://h.example/a/b, where it is wanted, and what is brought back there.
      (["x=1"], "http://h.example/a/c", "x=1"), (["x=1"], "http://h.example/a", "x=1"),
      (["x=1"], "http://h.example/", nil), (["x=1"], "http://h.example/ab", nil),
      (["x=1; path=/"], "http://h.example/", "x=1"),
      (["x=1; Path=/b"], "http://h.example/b/c", "x=1"),
      (["x=1; Path=/b"], "http://h.example/bc", nil),
      (["x=1; path=b"], "http://h.example/a/", "x=1"),
      // The port and the scheme do not matter, the host does.
      (["x=1"], "https://h.example:8443/a/", "x=1"), (["x=1"], "http://i.h.example/a/", nil),
      (["x=1; domain=h.example"], "http://i.h.example/a/", nil),
      (["x=1; domain=h.example"], "http://h.example/a/", "x=1"),
      (["x=1; Domain=.EXAMPLE"], "http://h.example/a/", "x=1"),
      (["x=1; domain=other.example"], "http://h.example/a/", nil),
      (["x=1; domain=other.example"], "http://other.example/a/", nil),
      (["x=1; Secure"], "http://h.example/a/", nil),
      (["x=1; secure"], "https://h.example/a/", "x=1"),
      // A later one of the same name stands for the earlier; an old one removes it.
      (["x=1", "x=2"], "http://h.example/a/", "x=2"),
      (["x=1", "x=2; max-age=0"], "http://h.example/a/", nil),
      (["x=1", "x=; expires=Thu, 01 Jan 1970 00:00:00 GMT"], "http://h.example/a/", nil),
      (["x=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=60"], "http://h.example/a/", "x=1"),
      (["x=1; expires=Fri, 01 Jan 2100 00:00:00 GMT"], "http://h.example/a/", "x=1"),
      (["y=1; path=/", "x=2; path=/a", "z=3; path=/"], "http://h.example/a/", "x=2; y=1; z=3"),
      ([" x = a=b ; HttpOnly"], "http://h.example/a/", "x=a=b"),
      (["x=\"q\""], "http://h.example/a/", "x=\"q\""),
      (["x"], "http://h.example/a/", nil), (["=x"], "http://h.example/a/", nil),
      ([""], "http://h.example/a/", nil),
      (["x=a\u{1}b"], "http://h.example/a/", nil),
    ] as [([String], String, String?)])
  func value_isByTheRulesOfHostAndPath(set: [String], url: String, expected: String?) throws {
    #expect(cookies(set).value(for: try #require(WebAddress(url))) == expected)
  }

  @Test func cookies_areFew() throws {
    let address = try #require(WebAddress("http://h.example/a/b"))
    let many = cookies((0..<500).map { "n\($0)=\(String(repeating: "x", count: 4000))" })
    #expect(try #require(many.value(for: address)).utf8.count < 50 * 4096)
    #expect(cookies(["x=" + String(repeating: "y", count: 4096)]).isEmpty)
  }

  @Test func fields_holdOneCookieField() throws {
    let address = try #require(WebAddress("http://h.example/a/b"))
    let set = cookies(["x=1"])
    #expect(set.added(to: ["A: b"], for: address) == ["A: b", "Cookie: x=1"])
    #expect(set.added(to: ["cookie: own=1"], for: address) == ["cookie: own=1; x=1"])
    #expect(Cookies().added(to: ["A: b"], for: address) == ["A: b"])
  }
}
