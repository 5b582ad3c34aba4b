import Testing

@testable import Resources

@Suite struct ChallengeTests {
  /// Each challenge as `scheme|token68|name=value|...`.
  private func text(_ field: String) -> [String] {
    Challenge.all(in: field).map { challenge in
      ([challenge.scheme, challenge.token68 ?? "-"]
        + challenge.parameters.map { "\($0.name)=\($0.value)" }).joined(separator: "|")
    }
  }

  @Test(
    arguments: [
      ("Basic realm=\"x\"", ["Basic|-|realm=x"]), ("Negotiate", ["Negotiate|-"]),
      ("", []), (" , ,, ", []), ("NTLM, Negotiate", ["NTLM|-", "Negotiate|-"]),
      ("Negotiate YII+/x-._~==", ["Negotiate|YII+/x-._~=="]),
      ("Negotiate a87=, Basic realm=y", ["Negotiate|a87=", "Basic|-|realm=y"]),
      (
        "Newauth realm=\"apps\", type=1, title=\"Login to \\\"apps\\\"\", Basic realm=\"simple\"",
        ["Newauth|-|realm=apps|type=1|title=Login to \"apps\"", "Basic|-|realm=simple"]
      ),
      (
        "Bearer realm=\"x, Basic realm=y, Digest nonce=z\"",
        ["Bearer|-|realm=x, Basic realm=y, Digest nonce=z"]
      ),
      ("Basic realm = \"x\" , Digest\tnonce=n", ["Basic|-|realm=x", "Digest|-|nonce=n"]),
      ("Digest nonce=\"n\" Realm=\"r\"", ["Digest|-|nonce=n|realm=r"]),
      // A scheme begins behind a comma alone.
      ("Bearer realm=my Basic realm=\"x\"", ["Bearer|-|realm=my"]),
      ("Bearer realm=\"a\"Basic, Digest a=b", ["Bearer|-|realm=a", "Digest|-|a=b"]),
      ("Bearer Basic realm=x", ["Bearer|-"]), ("\"Basic realm=x, Basic\", NTLM", ["NTLM|-"]),
      ("Basic realm=\"never ends, Digest nonce=n", ["Basic|-|realm=never ends, Digest nonce=n"]),
      ("Basic realm=\"x\\", ["Basic|-|realm=x\\"]), ("Basic realm=", ["Basic|realm="]),
      ("Basic =x, NTLM", ["Basic|-", "NTLM|-"]), ("bäsic, Basic", ["b|-", "Basic|-"]),
    ] as [(String, [String])])
  func all_ofAField(field: String, expected: [String]) {
    #expect(text(field) == expected)
  }

  /// However much a server sends, no more is read than anybody needs.
  @Test func all_ofVeryManyChallenges_isBounded() {
    let many = String(repeating: "Basic realm=x, ", count: 10_000)
    #expect(Challenge.all(in: many).count == 32)
    let long = "Digest " + String(repeating: "a=b, ", count: 10_000)
    #expect(Challenge.all(in: long).allSatisfy { $0.parameters.count <= 32 })
  }

  /// The scheme that is chosen, with the nonce of the challenge it answers; nil for none.
  @Test(
    arguments: [
      (["Basic realm=x"], "basic"), (["BASIC"], "basic"), (["Bearer, basic"], "basic"),
      (["Basic, Digest nonce=n"], "md5 n"), (["Digest nonce=n, Basic"], "md5 n"),
      (["Basic", "Digest nonce=n"], "md5 n"),
      (["Digest nonce=a, algorithm=MD5", "Digest nonce=b, algorithm=SHA-256"], "sha-256 b"),
      (["Digest nonce=a, algorithm=MD5, Digest nonce=b, algorithm=SHA-256"], "sha-256 b"),
      (["Digest nonce=a, Digest nonce=b"], "md5 a"),
      (["Digest nonce=a, algorithm=SHA-512-256", "Digest nonce=b, algorithm=md5"], "md5 b"),
      (["Digest nonce=a, algorithm=SHA-512-256, Basic"], "basic"),
      (["Digest nonce=a, algorithm=SHA-256-sess, qop=auth"], "sha-256-sess a"),
      (["Digest nonce=a, qop=\"auth-int\""], nil), (["Digest nonce=a, algorithm=MD5-sess"], nil),
      (["Digest nonce=a, qop=\"auth-int, auth\""], "md5 a"), (["Digest realm=x"], nil),
      (["Digest nonce=\"a\u{1}b\""], nil), (["Bearer", "NTLM"], nil), (["Negotiate"], nil),
      (["Bearer realm=\", Basic realm=x\""], nil), ([], nil),
    ] as [([String], String?)])
  func best_takesTheStrongestThatIsOffered(fields: [String], expected: String?) {
    let found: String? =
      switch LoginScheme.best(of: fields.flatMap { Challenge.all(in: $0) }) {
      case .basic: "basic"
      case .digest(let digest): "\(digest.algorithm.rawValue) \(digest.nonce)"
      case nil: nil
      }
    #expect(found == expected)
  }

  @Test(
    arguments: [
      ("NTLM", "NTLM"), ("NTLM, Negotiate", "NTLM or Negotiate"),
      ("a, b, A, a, c", "a, b, A or c"), ("a, b, c, d, e", "a, b, c or d"),
      ("an-endless-name-of-a-scheme-that-nobody-knows", "an-endless-name-of-a-sch"),
    ])
  func names_areFewAndShort(field: String, expected: String) {
    #expect(LoginScheme.names(of: Challenge.all(in: field)) == expected)
  }
}

@Suite struct DigestTests {
  private func digest(_ field: String) throws -> Digest {
    try #require(Challenge.all(in: field).first.flatMap(Digest.init))
  }

  /// Section 3.9.1 of RFC 7616.
  @Test(arguments: [
    ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
    ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
  ])
  func answer_ofTheStandardsExample(algorithm: String, response: String) throws {
    let nonce = "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v"
    let own = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"
    let opaque = "FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
    let answer = try digest(
      "Digest realm=\"http-auth@example.org\", qop=\"auth, auth-int\", algorithm=\(algorithm), "
        + "nonce=\"\(nonce)\", opaque=\"\(opaque)\""
    ).answer(
      user: "Mufasa", password: "Circle of Life", method: "GET", target: "/dir/index.html",
      count: 1, ownNonce: own)
    #expect(
      answer == "Digest username=\"Mufasa\", realm=\"http-auth@example.org\", nonce=\"\(nonce)\", "
        + "uri=\"/dir/index.html\", response=\"\(response)\", algorithm=\(algorithm), "
        + "opaque=\"\(opaque)\", qop=auth, nc=00000001, cnonce=\"\(own)\"")
  }

  /// What the RFC gives no example of, as another implementation answers it.
  @Test(
    arguments: [
      // As RFC 2069 has it.
      (
        "Digest realm=x, nonce=n", "GET", "/a?b=1", 7,
        "Digest username=\"anna\", realm=\"x\", nonce=\"n\", uri=\"/a?b=1\", "
          + "response=\"9c58ae510ba8cf61e123bd308b9e6d54\""
      ),
      (
        "Digest realm=x, nonce=n, qop=auth, algorithm=sha-256-SESS", "PROPFIND", "/a?b=1", 11,
        "Digest username=\"anna\", realm=\"x\", nonce=\"n\", uri=\"/a?b=1\", "
          + "response=\"790f46f78dc7de957841bbaa38c3097324fa822df2ce498cfe5516b073bf0e41\", "
          + "algorithm=sha-256-SESS, qop=auth, nc=0000000b, cnonce=\"own\""
      ),
      (
        "Digest realm=x, nonce=n, qop=auth, algorithm=SHA-256, userhash=true", "GET", "/a", 1,
        "Digest username=\"f6e45f57689305517d909e1934ea62c460ebe33947624572863c124b9de88693\", "
          + "realm=\"x\", nonce=\"n\", uri=\"/a\", "
          + "response=\"e5ebc664602348b2895347eb26f101aafb7c828314f5fa4dad4ff02981f56b58\", "
          + "algorithm=SHA-256, qop=auth, nc=00000001, cnonce=\"own\", userhash=true"
      ),
    ] as [(String, String, String, UInt32, String)])
  func answer_ofOtherKinds(
    field: String, method: String, target: String, count: UInt32, expected: String
  ) throws {
    let answer = try digest(field).answer(
      user: "anna", password: "secret", method: method, target: target, count: count,
      ownNonce: "own")
    #expect(answer == expected)
  }

  @Test func answer_quotesWhatItSendsBack() throws {
    let answer = try digest("Digest realm=\"x\\\"y\", nonce=n").answer(
      user: "a \"q\"\\", password: "p", method: "GET", target: "/a", count: 1, ownNonce: "own")
    #expect(
      answer == "Digest username=\"a \\\"q\\\"\\\\\", realm=\"x\\\"y\", nonce=\"n\", uri=\"/a\", "
        + "response=\"b0665e81cf313720197161ce2907217e\"")
  }

  /// Section A.5 of RFC 1321, and the lengths about the ends of blocks.
  @Test(arguments: [
    ("", "d41d8cd98f00b204e9800998ecf8427e"), ("a", "0cc175b9c0f1b6a831c399e269772661"),
    ("abc", "900150983cd24fb0d6963f7d28e17f72"),
    ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
    ("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
    (
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
      "d174ab98d277d9f5a5611c2c9f419d9f"
    ),
    (
      "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
      "57edf4a22be3c955ac49da2e2107b67a"
    ),
    (String(repeating: "x", count: 55), "04364420e25c512fd958a70738aa8f72"),
    (String(repeating: "x", count: 56), "668a72d5ba17f08e62dabcafad6db14b"),
    (String(repeating: "x", count: 64), "c1bb4f81d892b2d57947682aeb252456"),
  ])
  func md5_ofKnownTexts(text: String, expected: String) {
    #expect(MD5.hex(of: Array(text.utf8)) == expected)
  }
}
