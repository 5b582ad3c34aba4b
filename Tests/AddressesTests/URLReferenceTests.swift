import Addresses
import Testing

@Suite struct URLReferenceTests {
  /// RFC 3986, sections 5.4.1 and 5.4.2, in the strict variant.
  @Test(arguments: [
    ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
    ("/g", "http://a/g"), ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"),
    ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q#s"), ("g#s", "http://a/b/c/g#s"),
    ("g?y#s", "http://a/b/c/g?y#s"), (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"),
    ("g;x?y#s", "http://a/b/c/g;x?y#s"), ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"),
    ("./", "http://a/b/c/"), ("..", "http://a/b/"), ("../", "http://a/b/"),
    ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../", "http://a/"),
    ("../../g", "http://a/g"),
    ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"), ("/./g", "http://a/g"),
    ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"),
    ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"),
    ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"),
    ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"),
    ("g?y/./x", "http://a/b/c/g?y/./x"), ("g?y/../x", "http://a/b/c/g?y/../x"),
    ("g#s/./x", "http://a/b/c/g#s/./x"), ("g#s/../x", "http://a/b/c/g#s/../x"),
    ("http:g", "http:g"),
  ])
  func resolved_examplesOfTheStandard(reference: String, expected: String) {
    let base = URLReference("http://a/b/c/d;p?q")
    #expect(URLReference(reference).resolved(against: base).text == expected)
  }

  @Test(arguments: [
    ("x", "http://h", "http://h/x"), ("x", "http://h?q=/a/b", "http://h/x"),
    ("?y", "http://h", "http://h?y"), ("../x", "http://h", "http://h/x"),
    ("/a/../b", "http://h/c", "http://h/b"), ("//g/../x", "http://h/c", "http://g/x"),
    ("x", "urn:a", "urn:x"), ("x", "/a/b", "/a/x"), ("a//../b", "http://h/", "http://h/a/b"),
    ("%2e%2E/x", "http://h/a/b/c", "http://h/a/x"), (".%2e/x", "http://h/a/b/", "http://h/a/x"),
    ("%2e", "http://h/a/b", "http://h/a/"), ("...", "http://h/", "http://h/..."),
    ("%2f../x", "http://h/a/", "http://h/a/%2f../x"), ("%252e/x", "http://h/", "http://h/%252e/x"),
  ])
  func resolved_others(reference: String, base: String, expected: String) {
    let base = URLReference(base)
    #expect(URLReference(reference).resolved(against: base).text == expected)
  }

  @Test(arguments: [
    ("http://u:p@h:1/a?b?c#d#e", URLReference.of("http", "u:p@h:1", "/a", "b?c", "d#e")),
    ("mailto:a@b", .of("mailto", nil, "a@b", nil, nil)),
    ("//h", .of(nil, "h", "", nil, nil)), ("a:b", .of("a", nil, "b", nil, nil)),
    ("1a:b", .of(nil, nil, "1a:b", nil, nil)), ("a/b:c", .of(nil, nil, "a/b:c", nil, nil)),
    ("http://?#", .of("http", "", "", "", "")), (":", .of(nil, nil, ":", nil, nil)),
    // A combining mark does not hide the delimiter before it.
    ("http://h/\u{301}@o", .of("http", "h", "/\u{301}@o", nil, nil)),
    ("a?\u{301}b", .of(nil, nil, "a", "\u{301}b", nil)),
  ])
  func init_takesApart_andTextPutsTogether(text: String, expected: URLReference) {
    #expect(URLReference(text) == expected)
    #expect(URLReference(text).text.utf8.elementsEqual(text.utf8))
  }

  /// The first colon does not end a scheme if the caller says so.
  @Test func init_withoutScheme_takesAColonAsPartOfThePath() {
    #expect(URLReference("Song: live.mp3", scheme: nil).path == "Song: live.mp3")
  }
}

extension URLReference {
  fileprivate static func of(
    _ scheme: String?, _ authority: String?, _ path: String, _ query: String?, _ fragment: String?
  ) -> URLReference {
    var reference = URLReference(scheme: scheme, authority: authority, path: path, query: query)
    reference.fragment = fragment
    return reference
  }
}
