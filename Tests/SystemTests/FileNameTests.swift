import Glibc
import Support
import System
import Testing

@Suite struct FileNameTests {
  @Test(
    arguments: [
      ("beach.mp4", Array("beach.mp4".utf8), "beach.mp4"),
      ("café 漢 🙂", Array("café 漢 🙂".utf8), "café 漢 🙂"),
      ("caf\u{10FEE9}.mp4", [0x63, 0x61, 0x66, 0xE9, 0x2E, 0x6D, 0x70, 0x34], "caf\u{FFFD}.mp4"),
      // An incomplete character, an overlong one, a surrogate, and one beyond the last.
      ("\u{10FEE2}\u{10FE82}a", [0xE2, 0x82, 0x61], "\u{FFFD}\u{FFFD}a"),
      ("\u{10FEC0}\u{10FEAF}", [0xC0, 0xAF], "\u{FFFD}\u{FFFD}"),
      ("\u{10FEED}\u{10FEA0}\u{10FE80}", [0xED, 0xA0, 0x80], "\u{FFFD}\u{FFFD}\u{FFFD}"),
      (
        "\u{10FEF4}\u{10FE90}\u{10FE80}\u{10FE80}", [0xF4, 0x90, 0x80, 0x80],
        "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"
      ),
      // One of the private characters itself.
      (
        "\u{10FEF4}\u{10FE8F}\u{10FEBB}\u{10FEA9}", [0xF4, 0x8F, 0xBB, 0xA9],
        "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"
      ),
      ("\u{10FE7F}\u{10FF00}", Array("\u{10FE7F}\u{10FF00}".utf8), "\u{10FE7F}\u{10FF00}"),
    ] as [(String, [UInt8], String)])
  func name_becomesTextAndBytesAgain(text: String, bytes: [UInt8], shown: String) {
    #expect(FileName.text(bytes) == text)
    #expect(FileName.bytes(text) == bytes)
    #expect(FileName.shown(text) == shown)
  }

  @Test func anyBytes_areKept() {
    var random = SeededRandom(seed: 11)
    var seen: [String: [UInt8]] = [:]
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0...6, using: &random)).map { _ in
        [0x2F, 0x61, 0x8F, 0xA9, 0xBB, 0xE9, 0xF4, UInt8.random(in: 0...255, using: &random)]
          .randomElement(using: &random) ?? 0
      }
      let text = FileName.text(bytes)
      #expect(FileName.bytes(text) == bytes)
      #expect(seen[text] ?? bytes == bytes)
      seen[text] = bytes
      // No byte becomes a separator or a NUL.
      #expect(text.utf8.count { $0 == 0x2F } == bytes.count { $0 == 0x2F })
    }
  }

  @Test func files_areFoundByTheirBytes() throws {
    let directory = try TemporaryDirectory()
    let name = FileName.text([0x61, 0xE9])
    try directory.write("one", to: "plain")
    let bytes = FileName.bytes(directory.path(name)).map { CChar(bitPattern: $0) } + [0]
    #expect(rename(directory.path("plain"), bytes) == 0)
    defer { unlink(bytes) }
    let entries = try DirectoryEntry.all(in: directory.path, limit: 10)
    #expect(entries.map(\.name) == [name])
    #expect(entries.map(\.isExact) == [false])
    #expect(Paths.canonical(directory.path(name)) == directory.path(name))
    #expect(try FileStatus(of: directory.path(name)).sizeBytes == 3)
    #expect(
      try Descriptor.open(reading: directory.path(name)).read(at: 0, count: 9) == Array("one".utf8))
    #expect(Paths.canonical(directory.path("a\u{FFFD}")) == nil)
  }

  @Test(arguments: [
    ("/a/b.TGA", "tga"), ("b.tar.gz", "gz"), ("/a.b/c", ""), ("", ""), (".", ""), ("a.", ""),
    ("a.longerthaneight", ""), ("/x.12345678", "12345678"), ("a/.tga", "tga"),
  ])
  func fileExtension_ofAPath_isWhatFollowsItsLastDot(path: String, expected: String) {
    #expect(FileName.fileExtension(of: path) == expected)
  }
}
