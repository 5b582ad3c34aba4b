import System
import Testing

@Suite struct PlaylistMarkTests {
  private static let cases: [(String, Bool?)] = [
    ("#EXTM3U\n#EXT-X-VERSION:3\n", true), ("#EXTM3U", true), ("#extm3u\r\na.ts\r\n", true),
    ("\u{FEFF}#EXTM3U\n", true), ("\n\r\n  #EXTM3U\n", true), ("# made by hand\n\n#EXTM3U\n", true),
    ("\u{FEFF}\n#EXTVLCOPT:x\r#EXTM3U\n", true), ("#EXTM3", nil), ("", nil), ("\u{FEFF}", nil),
    ("# comment", nil), ("\n\n\n\n\n\n\n", nil), ("#EXTINF:3,x\na.ts\n#EXTM3U\n", false),
    ("a.mp4\n#EXTM3U\n", false), ("{\"version\": 1}", false), ("<html>", false),
    ("ID3\u{4}", false),
  ]

  @Test(arguments: cases) func file_isAPlaylist_byItsFirstLine(head: String, expected: Bool?) {
    #expect(PlaylistMark.isPlaylist(Array(head.utf8)) == expected)
  }

  @Test func file_ofAnyBytes_isNone() {
    for byte in UInt8.min...UInt8.max where byte != UInt8(ascii: "#") {
      let head = [UInt8](repeating: byte, count: PlaylistMark.reach)
      let isBlank = byte == 0x20 || (0x09...0x0D).contains(byte)
      #expect(PlaylistMark.isPlaylist(head) == (isBlank ? nil : false))
    }
  }
}
