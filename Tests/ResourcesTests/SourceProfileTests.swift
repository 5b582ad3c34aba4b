import Testing

@testable import Resources

@Suite struct SourceProfileTests {
  private func address(_ url: String) throws -> WebAddress { try #require(WebAddress(url)) }

  private func profile(_ name: String) throws -> SourceProfile {
    try #require(SourceProfile.named(name))
  }

  @Test(arguments: [
    (
      "yandex", "https://cloud-api.yandex.net/Stories/low%20tide%20%26.mp4",
      "https://cloud-api.yandex.net/v1/disk/resources/download?path=%2FStories%2Flow%20tide%20%26.mp4"
    ),
    (
      "yandex", "https://cloud-api.yandex.net/Пляж.mp4",
      "https://cloud-api.yandex.net/v1/disk/resources/download?path=%2F%D0%9F%D0%BB%D1%8F%D0%B6.mp4"
    ),
    (
      "yandex", "http://127.0.0.1:81/a?b",
      "http://127.0.0.1:81/v1/disk/resources/download?path=%2Fa"
    ),
    ("box", "https://api.box.com/12345", "https://api.box.com/2.0/files/12345/content"),
    ("box", "https://api.box.com/12345/tide.mp4", "https://api.box.com/2.0/files/12345/content"),
    ("box", "https://api.box.com/..%2F1", "https://api.box.com/2.0/files/..%2F1/content"),
    (
      "dropbox", "https://content.dropboxapi.com/a.mp4",
      "https://content.dropboxapi.com/2/files/download"
    ),
    (
      "gdrive", "https://www.googleapis.com/1a-B_c/a.mp4",
      "https://www.googleapis.com/drive/v3/files/1a-B_c?alt=media"
    ),
    (
      "onedrive", "https://graph.microsoft.com/8A!12/a.mp4",
      "https://graph.microsoft.com/v1.0/me/drive/items/8A%2112/content"
    ),
    ("plain", "https://example.org/a.mp4", nil), ("webdav", "https://example.org/a/", nil),
  ])
  func question_ofAFile_isTheOneOfItsService(name: String, url: String, asked: String?) throws {
    #expect(try profile(name).question(for: address(url))?.address.url == asked)
  }

  @Test func question_ofDropbox_namesTheFileInAField() throws {
    let url = "https://content.dropboxapi.com/Stories/%22low%5C%22%20ti%C3%A9%F0%9F%8C%8A.mp4"
    #expect(
      try profile("dropbox").question(for: address(url))?.fields == [
        #"Dropbox-API-Arg: {"path":"/Stories/\"low\\\" ti\u00e9\ud83c\udf0a.mp4"}"#
      ])
  }

  @Test(arguments: [
    ("yandex", "https://cloud-api.yandex.net/"), ("yandex", "https://cloud-api.yandex.net/a/"),
    ("yandex", "https://cloud-api.yandex.net/%ff"), ("box", "https://api.box.com/"),
    ("box", "https://api.box.com/1/a/b"), ("gdrive", "https://www.googleapis.com/?alt=media"),
  ])
  func file_ofAnAddressThatNamesNone_isNil(name: String, url: String) throws {
    #expect(try profile(name).file(of: address(url)) == nil)
    #expect(try profile(name).question(for: address(url)) == nil)
  }

  @Test func identity_isServiceAccountAndFile() throws {
    let yandex = try profile("yandex")
    let plain = try address("https://h/a%20b.mp4?sig=1")
    #expect(yandex.identity(of: plain, account: nil) == "yandex @https://h:443 /a b.mp4")
    #expect(yandex.identity(of: plain, account: "anna") == "yandex anna@https://h:443 /a b.mp4")
    let box = try profile("box")
    for name in ["", "/a.mp4", "/b.mp4?x=1"] {
      #expect(
        box.identity(of: try address("https://ben@h/12" + name), account: "anna")
          == "box ben@https://h:443 12")
    }
  }

  @Test(arguments: [
    ("yandex:/Stories/a.mp4", "https://cloud-api.yandex.net/Stories/a.mp4"),
    ("yandex:Stories/a.mp4", "https://cloud-api.yandex.net/Stories/a.mp4"),
    ("box:123", "https://api.box.com/123"),
    ("dropbox:/a b.mp4", "https://content.dropboxapi.com/a%20b.mp4"),
    ("gdrive:1a/b.mp4", "https://www.googleapis.com/1a/b.mp4"),
    ("onedrive:8A!1", "https://graph.microsoft.com/8A!1"),
    ("yandex:", nil), ("yandex", nil), ("plain:/a", nil), ("webdav:/a", nil), ("Box:1", nil),
    ("box.mp4", nil),
  ])
  func expanding_aShortForm_givesItsAddress(short: String, url: String?) {
    #expect(SourceProfile.expanding(short)?.address.url == url)
  }

  @Test(arguments: [
    (#"{"href":"https://h/a","method":"GET"}"#, "https://h/a"),
    (
      #" { "method" : {"href": ["x", "}"]}, "n":-1.5e3, "href":"https:\/\/h\/a\u0026b" }"#,
      "https://h/a&b"
    ),
    (#"{"a":"\"href\":\"no\"","href":"\ud83c\udf0a"}"#, "🌊"),
    (#"{"href":null}"#, nil), (#"{"a":1}"#, nil), (#"{"href":"open"#, nil), ("", nil),
    (#"["href","x"]"#, nil), (#"{"a":{"href":"x"}}"#, nil), (#"{"href":"\u12"}"#, nil),
    (#"{"href" "x"}"#, nil),
  ])
  func member_ofAnAnswer_isItsText(text: String, expected: String?) {
    #expect(JSONMember.string("href", in: Array(text.utf8)) == expected)
  }

  @Test func revision_standsInForAStrongTag_andIsNotSent() {
    var head = ResponseHead(["HTTP/1.1 206 x", "X-Goog-Hash: crc32c=a==", ""])
    #expect(head.validator == Validator())
    head.revisionField = "x-goog-hash"
    let validator = head.validator
    #expect(validator.joinsParts)
    let known = RequestSpec.Known(length: 9, validator: validator)
    var spec = RequestSpec(start: 0, end: nil, hasRange: true, known: known)
    #expect(spec.headerFields == ["Range: bytes=0-"])
    spec.revalidates = true
    #expect(spec.headerFields == ["Range: bytes=0-"])
    var other = ResponseHead(["HTTP/1.1 206 x", "X-Goog-Hash: crc32c=b==", ""])
    other.revisionField = "x-goog-hash"
    #expect(!validator.joins(other.validator))
    // A strong tag is better.
    other = ResponseHead(["HTTP/1.1 206 x", "X-Goog-Hash: crc32c=b==", "ETag: \"1\"", ""])
    other.revisionField = "x-goog-hash"
    #expect(other.validator.entityTag == "\"1\"")
  }
}
