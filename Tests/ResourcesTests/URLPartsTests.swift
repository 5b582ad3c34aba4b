import Testing

@testable import Resources

@Suite struct URLPartsTests {
  /// Scheme, host, port, path, query, user and password; "-" for nil.
  private func text(_ parts: URLParts?) -> String? {
    parts.map { parts in
      [
        parts.scheme, parts.host, parts.port.map { String($0) } ?? "-", parts.path,
        parts.query ?? "-", parts.user ?? "-", parts.password ?? "-",
      ].joined(separator: " ")
    }
  }

  @Test(arguments: [
    ("http://h", "http h - / - - -"), ("HTTP://H.Example", "http h.example - / - - -"),
    ("https://h:8443/a/b?c=d&e#f", "https h 8443 /a/b c=d&e - -"),
    ("http://h?q", "http h - / q - -"),
    ("http://h:/a?", "http h - /a  - -"), ("http://u:p@h/", "http h - / - u p"),
    ("http://u%40x:p%3A@h:1/", "http h 1 / - u@x p:"), ("http://u@v@h/", "http h - / - u@v -"),
    ("http://u:p:q@h/", "http h - / - u p:q"), ("http://:@h/", "http h - / -  "),
    ("http://[::1]:80/a", "http [::1] 80 /a - - -"),
    ("http://[FE80::A]/", "http [fe80::a] - / - - -"),
    ("http://127.0.0.1/", "http 127.0.0.1 - / - - -"),
    ("http://h/a b/ü?x=\"y\"", "http h - /a%20b/%C3%BC x=%22y%22 - -"),
    ("http://h/%7Ea%2Fb", "http h - /%7Ea%2Fb - - -"),
    ("http://h/a/../b/./c", "http h - /b/c - - -"),
    ("http://h/../../a/..", "http h - / - - -"), ("http://h/%2e%2E/a/.%2e/", "http h - / - - -"),
    ("http://h/a;b=c,d:e@f!$&'()*+", "http h - /a;b=c,d:e@f!$&'()*+ - - -"),
    ("http://h/a?b/../c?d", "http h - /a b/../c?d - -"),
    ("http://bücher.example/", "http bücher.example - / - - -"),
    ("http://h/a\\b", "http h - /a%5Cb - - -"), ("http://h//a", "http h - //a - - -"),
    ("http://e.example\u{301}/x", "http e.example\u{301} - /x - - -"),
    ("http://good.example/\u{301}@h/", "http good.example - /%CC%81@h/ - - -"),
  ])
  func init_ofAnAbsoluteURL_takesItApart(url: String, expected: String) {
    #expect(text(URLParts(url)) == expected)
  }

  @Test(arguments: [
    "", "h", "/a", "//h/a", "http:", "http:/h", "http:///a", "http://", "http://:80/", "http://u@/",
    "http://h:0/", "http://h:65536/", "http://h:+8/", "http://h:8 0/", "http://h:x/", "http://h h/",
    "http://h%2e/", "http://h\\@o/", "http://[::1/", "http://[::1]x/", "http://[]/", "http://[x]/",
    "http://h\n/", "http://h/\r\nHost: o", "http://h/\u{0}", "http://h/\u{7f}", "http://%00@h/",
    "http://%zz@h/", "1http://h/", " http://h/", "http://h<o/", "http://h;o/",
  ])
  func init_ofWhatIsNone_isNil(url: String) {
    #expect(URLParts(url) == nil)
  }

  /// RFC 3986, section 5.4, but for the schemes of section 5.4.2 that this leaves out.
  @Test(arguments: [
    ("g", "/b/c/g -"), ("./g", "/b/c/g -"), ("g/", "/b/c/g/ -"), ("/g", "/g -"),
    ("?y", "/b/c/d;p y"),
    ("g?y", "/b/c/g y"), ("#s", "/b/c/d;p q"), ("g#s", "/b/c/g -"), ("g?y#s", "/b/c/g y"),
    (";x", "/b/c/;x -"), ("g;x", "/b/c/g;x -"), ("", "/b/c/d;p q"), (".", "/b/c/ -"),
    ("./", "/b/c/ -"),
    ("..", "/b/ -"), ("../", "/b/ -"), ("../g", "/b/g -"), ("../..", "/ -"), ("../../", "/ -"),
    ("../../g", "/g -"), ("../../../g", "/g -"), ("/./g", "/g -"), ("/../g", "/g -"),
    ("g.", "/b/c/g. -"),
    (".g", "/b/c/.g -"), ("g..", "/b/c/g.. -"), ("./../g", "/b/g -"), ("./g/.", "/b/c/g/ -"),
    ("g/./h", "/b/c/g/h -"), ("g/../h", "/b/c/h -"), ("g;x=1/../y", "/b/c/y -"),
    ("g?y/../x", "/b/c/g y/../x"), ("g#s/../x", "/b/c/g -"),
  ])
  func init_ofAReference_resolves(reference: String, expected: String) throws {
    let base = try #require(URLParts("http://u:p@a:81/b/c/d;p?q"))
    #expect(text(URLParts(reference, relativeTo: base)) == "http a 81 \(expected) u p")
    #expect(text(URLParts("//g", relativeTo: base)) == "http g - / - - -")
    #expect(text(URLParts("https://g/x", relativeTo: base)) == "https g - /x - - -")
    #expect(URLParts("mailto:x", relativeTo: base) == nil)
    #expect(URLParts("//", relativeTo: base) == nil)
  }
}
