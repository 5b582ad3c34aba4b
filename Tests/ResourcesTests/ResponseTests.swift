import Testing

@testable import Resources

@Suite struct ResponseHeadTests {
  @Test func take_ofAnInterimResponse_beginsAnew() {
    var head = ResponseHead()
    let lines = [
      "HTTP/1.1 103 Early Hints\r\n", "Link: x\r\n", "\r\n", "HTTP/1.1 206 Partial\r\n",
      "ETag:  \"a\" \r\n", "\r\n",
    ]
    #expect(lines.map { head.take($0) } == [false, false, false, false, false, true])
    #expect(head.status == 206)
    #expect(head["etag"] == "\"a\"")
    #expect(head["link"] == nil)
  }

  @Test(
    arguments: [
      ("bytes 0-99/1234", 0..<100, 1234), ("bytes 5-5/*", 5..<6, nil), ("bytes */77", nil, 77),
      ("Bytes 0-0/1", 0..<1, 1),
    ] as [(String, Range<UInt64>?, UInt64?)])
  func contentRange_ofGoodText_isRead(text: String, range: Range<UInt64>?, total: UInt64?) {
    let head = ResponseHead(["HTTP/1.1 206 x", "Content-Range: \(text)"])
    #expect(head.contentRange == ResponseHead.ContentRange(range: range, total: total))
  }

  @Test(arguments: [
    "", "bytes", "bytes 1-0/5", "bytes 0-/5", "items 0-1/5", "bytes 0-1", "bytes 0-1/x",
    "bytes -5/9", "bytes 0-18446744073709551615/*", "bytes 0-99999999999999999999/1",
  ])
  func contentRange_ofBadText_isNone(text: String) {
    #expect(ResponseHead(["HTTP/1.1 206 x", "Content-Range: \(text)"]).contentRange == nil)
  }

  @Test(
    arguments: [
      ("", false, nil), ("max-age=60", false, 60), ("private, max-age=\"60\"", false, 60),
      ("no-cache", false, 0), ("max-age=60, no-cache", false, 0), ("no-cache, max-age=9", false, 0),
      ("no-store", true, nil), ("max-age=junk", false, 0),
      ("max-age=99999999999", false, 31_536_000),
    ] as [(String, Bool, Int64?)])
  func storing_ofCacheControl(value: String, forbidden: Bool, fresh: Int64?) {
    let head = ResponseHead(["HTTP/1.1 200 x", "Cache-Control: \(value)"])
    #expect(head.storing == ResponseHead.Storing(isForbidden: forbidden, freshFor: fresh))
  }

  /// Expires counts where Cache-Control gives no age, Pragma where there is no Cache-Control.
  @Test(
    arguments: [
      (["Expires: 0"], 0), (["Expires: -1"], 0), (["Expires: never"], 0), (["Expires:"], 0),
      (["Expires: Thu, 01 Jan 1970 00:00:00 GMT"], 0),
      (["Expires: Mon, 02 Feb 2026 09:59:59 GMT"], 0),
      (["Expires: Mon, 02 Feb 2026 10:00:00 GMT"], 0),
      (["Expires: Mon, 02 Feb 2026 11:00:00 GMT"], 3_600),
      (["Expires: Mon, 02 Feb 2026 11:00:00 GMT", "Age: 600"], 3_000),
      (["Expires: Mon, 02 Feb 2026 10:01:00 GMT", "Age: 600"], 0),
      (["Expires: Mon, 02 Feb 2099 10:00:00 GMT"], 31_536_000),
      (["Cache-Control: max-age=60", "Expires: 0"], 60),
      (["Cache-Control: private", "Expires: 0"], 0), (["Pragma: no-cache"], 0),
      (["Pragma: x, No-Cache"], 0), (["Pragma: x"], nil),
      (["Pragma: no-cache", "Expires: Mon, 02 Feb 2026 11:00:00 GMT"], 0),
      (["Pragma: no-cache", "Cache-Control: max-age=60"], 60),
      (["Pragma: no-cache", "Cache-Control: public"], nil), ([], nil),
    ] as [([String], Int64?)])
  func storing_ofExpiresAndPragma(fields: [String], fresh: Int64?) {
    let lines = ["HTTP/1.1 200 x", "Date: Mon, 02 Feb 2026 10:00:00 GMT"] + fields
    #expect(ResponseHead(lines).storing == ResponseHead.Storing(freshFor: fresh))
  }

  @Test func storing_takesTheAgeOff() {
    let head = ResponseHead(["HTTP/1.1 200 x", "Cache-Control: max-age=60", "Age: 45"])
    #expect(head.storing.freshFor == 15)
  }

  @Test func validator_byDate_isStrongOnlyWhenOld() {
    let date = "Date: Mon, 02 Feb 2026 10:00:00 GMT"
    let old = ResponseHead(
      ["HTTP/1.1 200 x", date, "Last-Modified: Mon, 02 Feb 2026 09:59:00 GMT"]
    ).validator
    let young = ResponseHead(
      ["HTTP/1.1 200 x", date, "Last-Modified: Mon, 02 Feb 2026 09:59:01 GMT"]
    ).validator
    #expect(old.joinsParts && old.joins(old))
    #expect(!young.joinsParts && !young.joins(young))
  }

  @Test(
    arguments: [
      ("\"a\"", "\"a\"", true), ("\"a\"", "\"b\"", false), ("W/\"a\"", "W/\"a\"", false),
      ("\"a\"", "W/\"a\"", false), (nil, nil, false), ("\"a\"", nil, false),
    ] as [(String?, String?, Bool)])
  func joins_needsTheSameStrongTag(one: String?, other: String?, expected: Bool) {
    #expect(Validator(entityTag: one).joins(Validator(entityTag: other)) == expected)
  }
}

@Suite struct VerdictTests {
  private let address: WebAddress

  init() throws { address = try #require(WebAddress("http://example.org/a")) }

  private func judge(
    _ lines: [String], start: UInt64 = 100, end: UInt64? = 200, hasRange: Bool = true,
    known: RequestSpec.Known? = nil, revalidates: Bool = false
  ) -> Verdict {
    let spec = RequestSpec(
      start: start, end: end, hasRange: hasRange, known: known, revalidates: revalidates)
    return .judging(ResponseHead(lines), for: spec, host: address.visibleHost, now: 0)
  }

  private let known = RequestSpec.Known(length: 1000, validator: Validator(entityTag: "\"a\""))

  @Test(
    arguments: [
      ["Content-Range: bytes 100-199/1000"],
      ["Content-Range: bytes 100-199/1000", "Content-Length: 100"],
      ["Content-Range: bytes 100-199/1000", "ETag: \"a\""],
    ])
  func part_asAsked_isTaken(fields: [String]) {
    #expect(
      judge(["HTTP/1.1 206 x"] + fields, known: known)
        == .take(AcceptedBody(start: 100, end: 200, total: 1000)))
  }

  @Test(arguments: [
    ["Content-Range: bytes 99-198/1000"], ["Content-Range: bytes 101-199/1000"],
    ["Content-Range: bytes 100-198/1000"], ["Content-Range: bytes 100-200/1000"],
    ["Content-Range: bytes 100-199/150"], ["Content-Range: bytes */1000"], [],
    ["Content-Range: bytes 100-199/1000", "Content-Length: 99"],
  ])
  func part_notAsAsked_isBad(fields: [String]) {
    #expect(judge(["HTTP/1.1 206 x"] + fields) == .misfit)
  }

  @Test func part_shortenedByTheEnd_isTaken() {
    #expect(
      judge(["HTTP/1.1 206 x", "Content-Range: bytes 100-149/150"])
        == .take(AcceptedBody(start: 100, end: 150, total: 150)))
  }

  @Test(arguments: [
    ["Content-Range: bytes 100-199/1001"],
    ["Content-Range: bytes 100-199/1000", "ETag: \"b\""],
    ["Content-Range: bytes 100-199/1000", "ETag: W/\"a\""],
  ])
  func part_ofOtherBytes_isChanged(fields: [String]) {
    #expect(judge(["HTTP/1.1 206 x"] + fields, known: known) == .changed)
  }

  @Test func whole_forARange_isNoticed() {
    #expect(
      judge(["HTTP/1.1 200 x", "Content-Length: 1000"])
        == .take(AcceptedBody(start: 0, end: 1000, total: 1000, ignoresRange: true)))
    #expect(judge(["HTTP/1.1 200 x", "Content-Length: 1000"], known: known) == .changed)
  }

  @Test(
    arguments: [
      ("bytes */1000", 1000, nil, .pastEnd(total: 1000)), ("bytes */1000", 100, nil, .misfit),
      ("bytes */0", 0, nil, .pastEnd(total: 0)), (nil, 1000, 1000, .pastEnd(total: 1000)),
      (nil, 0, nil, .misfit), ("bytes */999", 1000, 1000, .changed), (nil, 10, 1000, .changed),
    ] as [(String?, UInt64, UInt64?, Verdict)])
  func unsatisfied(field: String?, start: UInt64, length: UInt64?, expected: Verdict) {
    let lines = ["HTTP/1.1 416 x"] + (field.map { ["Content-Range: \($0)"] } ?? [])
    let known = length.map {
      RequestSpec.Known(length: $0, validator: Validator(entityTag: "\"a\""))
    }
    #expect(judge(lines, start: start, end: nil, known: known) == expected)
  }

  @Test(arguments: [
    ("gzip", true), ("x-gzip", true), ("DEFLATE", true), ("br", true), ("odd", true),
    ("aws-chunked, gzip", true), ("identity", false), ("aws-chunked", false), ("none", false),
    ("binary", false), ("UTF-8", false), ("", false), ("identity, none", false),
  ])
  func encoding_isToldByItsName(name: String, isPacked: Bool) {
    let part = ["HTTP/1.1 206 x", "Content-Range: bytes 100-199/1000", "Content-Encoding: \(name)"]
    let whole = ["HTTP/1.1 200 x", "Content-Length: 1000", "Content-Encoding: \(name)"]
    #expect((judge(part) == .encoded) == isPacked)
    #expect((judge(whole) == .encoded) == isPacked)
    let spec = RequestSpec(start: 0, end: nil, hasRange: false, unpacks: true)
    let address = WebAddress("http://example.org/")!
    // The length is then that of what is sent.
    let length: UInt64? = isPacked ? nil : 1000
    #expect(
      Verdict.judging(ResponseHead(whole), for: spec, host: address.visibleHost, now: 0)
        == .take(AcceptedBody(start: 0, end: length, total: length)))
  }

  @Test(
    arguments: [
      (304, true, .notModified), (304, false, .misfit), (401, false, .wantsLogin),
      (412, false, .changed),
    ]
      + [
        408, 425, 429, 500, 502, 503, 504, 505, 506, 507, 508, 509, 510, 511, 520, 529, 530, 598,
        599,
      ]
      .map { ($0, false, .unavailable(retryAfter: nil)) } as [(Int, Bool, Verdict)])
  func statuses(status: Int, revalidates: Bool, expected: Verdict) {
    #expect(judge(["HTTP/1.1 \(status) x"], known: known, revalidates: revalidates) == expected)
  }

  /// A status that is not known means what the first of its class does (RFC 9110, section 15).
  @Test(arguments: [200, 201, 203, 207, 208, 218, 226, 250, 299])
  func success_ofAnyKind_bringsTheWhole(status: Int) {
    #expect(
      judge(["HTTP/1.1 \(status) x", "Content-Length: 1000"])
        == .take(AcceptedBody(start: 0, end: 1000, total: 1000, ignoresRange: true)))
  }

  @Test func fields_ofAnAsk() {
    let date = "Mon, 02 Feb 2026 09:00:00 GMT"
    let dated = RequestSpec.Known(
      length: 5, validator: Validator(lastModified: date, dateIsStrong: true))
    #expect(
      RequestSpec(start: 5, end: 10, hasRange: true, known: known).headerFields
        == ["Range: bytes=5-9", "If-Match: \"a\""])
    #expect(
      RequestSpec(start: 5, end: nil, hasRange: true, known: dated).headerFields
        == ["Range: bytes=5-", "If-Unmodified-Since: \(date)"])
    #expect(
      RequestSpec(start: 0, end: nil, hasRange: false, known: known, revalidates: true).headerFields
        == ["If-None-Match: \"a\""])
  }
}

@Suite struct WebAddressTests {
  @Test(arguments: [
    "ftp://example.org/", "file:///etc/passwd", "javascript:alert(1)", "/relative", "", "http://",
    "data:,x",
  ])
  func init_ofOtherThings_isNone(text: String) {
    #expect(WebAddress(text) == nil)
  }

  @Test func parts_hideSecrets() throws {
    let address = try #require(
      WebAddress("https://anna:s%40cret@Example.org:8443/a%20b?token=CANARY#f"))
    #expect(address.user == "anna" && address.password == "s@cret")
    #expect(address.visible == "https://example.org:8443/a%20b")
    #expect(address.origin == "https://example.org:8443")
    #expect(address.url == "https://example.org:8443/a%20b?token=CANARY")
  }

  @Test(
    arguments: [
      ("b", "http://h/x/b"), ("/b?c", "http://h/b?c"), ("../b", "http://h/b"),
      ("//o:81/b", "http://o:81/b"), ("https://u:p@o/b", "https://o/b"), ("?q", "http://h/x/a?q"),
    ])
  func init_ofReference_resolves(reference: String, expected: String) throws {
    let base = try #require(WebAddress("http://u:p@h/x/a"))
    let address = try #require(WebAddress(reference, relativeTo: base))
    #expect(address.url == expected)
    #expect(address.user == nil && address.password == nil)
  }

  @Test func identity_leavesSignaturesOut() {
    func identity(_ text: String) -> String? { WebAddress(text)?.identity() }
    #expect(
      identity("https://b.s3.example.org/a?v=2&X-Amz-Signature=aa&X-Amz-Date=1")
        == identity("https://b.s3.example.org/a?v=2&X-Amz-Signature=bb&X-Amz-Date=2"))
    #expect(identity("https://h/a?v=1") != identity("https://h/a?v=2"))
    #expect(
      identity("https://b.blob.example.org/a?sv=1&se=2&sp=r&sig=aa")
        == identity("https://b.blob.example.org/a?sv=1&se=3&sp=r&sig=bb"))
    #expect(
      identity("https://h/a?Expires=1&Signature=a&Key-Pair-Id=k")
        == identity("https://h/a?Expires=2&Signature=b&Key-Pair-Id=k"))
    // Without a signature they are names like any other.
    for name in ["st", "se", "sv", "expires", "policy", "x-amz-date", "sig"] {
      #expect(identity("https://h/a?\(name)=1") != identity("https://h/a?\(name)=2"))
    }
    #expect(identity("https://anna@h/a") != identity("https://h/a"))
    #expect(identity("https://anna:1@h/a") == identity("https://anna:2@h/a"))
  }
}

@Suite struct NetrcTests {
  @Test func logins_areFoundByMachine() {
    let netrc = Netrc(
      """
      # a comment
      machine One.example login anna password s3cret
      machine two.example
        login "b c" account x
        password "q\\"uote"
      macdef init
      machine never.example login no password no

      default login guest password none
      """)
    #expect(
      netrc.loginOrDefault(for: "one.example") == Netrc.Login(user: "anna", password: "s3cret"))
    #expect(
      netrc.loginOrDefault(for: "two.example") == Netrc.Login(user: "b c", password: "q\"uote"))
    #expect(
      netrc.loginOrDefault(for: "never.example") == Netrc.Login(user: "guest", password: "none"))
    #expect(Netrc("machine a login b").loginOrDefault(for: "c") == nil)
  }

  /// As files come from other systems: with other line breaks, and a mark at their beginning.
  @Test(arguments: ["\n", "\r\n", "\r"], ["", "\u{FEFF}"])
  func logins_ofAnyLineBreak_areRead(lineBreak: String, mark: String) {
    let lines = [
      "# a comment", "machine one.example login anna password s3cret", "macdef init",
      "machine never.example login no", "", "machine two.example", "login ben", "password x y", "",
    ]
    let netrc = Netrc(mark + lines.joined(separator: lineBreak))
    #expect(
      netrc.loginOrDefault(for: "one.example") == Netrc.Login(user: "anna", password: "s3cret"))
    #expect(netrc.loginOrDefault(for: "two.example") == Netrc.Login(user: "ben", password: "x"))
    #expect(netrc.loginOrDefault(for: "never.example") == nil)
  }
}

@Suite struct LoginsTests {
  private func logins(_ rules: [HostRule], netrc: String = "") -> Secrets {
    Secrets(rules: rules, netrc: netrc, environment: { $0 == "TOKEN" ? "Bearer t" : nil })
  }

  private let rule = HostRule(
    host: "dav.example.org", fields: [("Authorization", .environment("TOKEN"))])

  @Test(arguments: [
    ("https://dav.example.org/a", ["Authorization: Bearer t"]),
    ("HTTPS://Dav.Example.ORG:443/a", ["Authorization: Bearer t"]),
    ("http://dav.example.org/a", []), ("https://dav.example.org:8443/a", []),
    ("https://example.org/a", []),
    ("https://evil-dav.example.org/", []), ("https://dav.example.org.evil.example/", []),
  ])
  func fields_goToTheirOriginAlone(url: String, expected: [String]) throws {
    var logins = logins([rule])
    let address = try #require(WebAddress(url))
    #expect(
      logins.decide(for: address, requested: address) == .carry(Secrets.Carried(fields: expected)))
  }

  /// A section that names a port is for what that port speaks: for TLS where it says so or has
  /// certificates, where the port is that of https, or where it was asked securely before.
  @Test(
    arguments: [
      // The section, its certificates, what was asked before, what is asked, what it carries.
      ("nas:8080", nil, [], "http://nas:8080/a", ["X-Key: CANARY"]),
      ("nas:8443", nil, [], "https://nas:8443/a", ["X-Key: CANARY"]),
      ("nas:8443", "ca.pem", [], "https://nas:8443/a", ["X-Key: CANARY"]),
      ("nas:8443", "ca.pem", [], "http://nas:8443/a", []),
      ("nas:8443", nil, ["https://nas:8443/feed.json"], "http://nas:8443/a", []),
      ("nas:8443", nil, ["https://nas:8443/feed.json"], "https://nas:8443/a", ["X-Key: CANARY"]),
      ("nas:8080", nil, ["https://nas:8443/feed.json"], "http://nas:8080/a", ["X-Key: CANARY"]),
      ("nas:443", nil, [], "http://nas:443/a", []),
      ("nas:443", nil, [], "https://nas/a", ["X-Key: CANARY"]),
      ("nas", nil, [], "http://nas:443/a", []),
      ("https://nas:8443", nil, [], "https://nas:8443/a", ["X-Key: CANARY"]),
      ("https://nas:8443", nil, [], "http://nas:8443/a", []),
      ("https://nas", nil, [], "https://nas/a", ["X-Key: CANARY"]),
      ("https://nas", nil, [], "http://nas/a", []),
    ] as [(String, String?, [String], String, [String])])
  func fieldsOfASecurePort_neverGoThereInClear(
    host: String, certificates: String?, before: [String], url: String, expected: [String]
  ) throws {
    let isSecureOnly = host.hasPrefix("https://")
    var logins = logins([
      HostRule(
        host: isSecureOnly ? String(host.dropFirst(8)) : host, isSecureOnly: isSecureOnly,
        fields: [("X-Key", .literal("CANARY"))], certificates: certificates)
    ])
    for url in before {
      let address = try #require(WebAddress(url))
      _ = logins.decide(for: address, requested: address)
    }
    let address = try #require(WebAddress(url))
    #expect(
      logins.decide(for: address, requested: address) == .carry(Secrets.Carried(fields: expected)))
  }

  @Test func loginOfTheURL_goesToItsOriginAlone() throws {
    var logins = logins([])
    let source = try #require(WebAddress("http://anna:pw@a.example/x"))
    let other = try #require(WebAddress("http://b.example/x"))
    #expect(
      logins.decide(for: source, requested: source)
        == .carry(Secrets.Carried(login: Netrc.Login(user: "anna", password: "pw"))))
    #expect(logins.decide(for: other, requested: source) == .carry(Secrets.Carried()))
  }

  /// Who writes a feed may name any host, and one redirect follows another.
  @Test(
    arguments: [
      // Named by the viewer: also in clear, and at its port alone.
      ("http://a.example/x", "all"), ("http://a.example:80/y", "all"),
      ("http://a.example:8080/x", nil), ("https://a.example/x", nil),
      ("http://b.example:8080/x", "b"), ("http://b.example:8081/x", nil),
      ("https://b.example:8080/x", nil),
      // Named by others: at the usual secure port of a machine that the file names.
      ("https://b.example/x", "b"), ("https://B.example:443/x", "b"), ("http://b.example/x", nil),
      ("http://b.example:443/x", nil), ("https://c.example/x", nil), ("http://c.example/x", nil),
    ] as [(String, String?)])
  func loginsOfNetrc_goWhereTheViewerSaid(url: String, user: String?) throws {
    let text = "machine b.example login b password 1 default login all password 2"
    var logins = logins([], netrc: text)
    let source = try #require(WebAddress("http://a.example/feed"))
    logins.note(named: source)
    logins.note(named: try #require(WebAddress("http://b.example:8080/feed")))
    let address = try #require(WebAddress(url))
    guard case .carry(let carried) = logins.decide(for: address, requested: source) else {
      Issue.record("nothing has to be asked")
      return
    }
    #expect(carried.login?.user == user)
  }

  @Test func command_isAskedOnceAndRenewedOnce() throws {
    var logins = logins(
      [HostRule(host: "a.example", fields: [("Authorization", .command("pass x"))])])
    let address = try #require(WebAddress("https://a.example/x"))
    #expect(logins.decide(for: address, requested: address) == .ask(["pass x"]))
    logins.answer("pass x", "one", renewing: false)
    #expect(
      logins.decide(for: address, requested: address)
        == .carry(Secrets.Carried(fields: ["Authorization: one"])))
    #expect(logins.takeRenewable(for: address) == ["pass x"])
    #expect(logins.takeRenewable(for: address) == [])
    logins.answer("pass x", "three", renewing: true)
    #expect(logins.takeRenewable(for: address) == [])
    #expect(
      logins.decide(for: address, requested: address)
        == .carry(Secrets.Carried(fields: ["Authorization: three"])))
  }
}
