import Decoding
import System
import Testing

@Suite struct HeadOfFileTests {
  private static func box(_ brands: String...) -> [UInt8] {
    let names = brands.flatMap { Array($0.utf8) }
    return [0, 0, 0, UInt8(12 + names.count)] + Array("ftyp".utf8) + Array(names.prefix(4))
      + [0, 0, 0, 0] + Array(names.dropFirst(4))
  }

  private static let cases: [([UInt8], HeadOfFile.Kind)] = [
    ([], .empty),
    (box("avif", "mif1", "miaf"), .heifStill), (box("heic", "mif1", "heic"), .heifStill),
    (box("mif1", "avif"), .heifStill), (box("avis", "avif", "mif1"), .unknown),
    (box("isom", "iso2", "avc1"), .unknown), (box("qt  ", "qt  "), .unknown),
    (Array("RIFF0000WEBPVP8X0000".utf8) + [2], .animatedWebP),
    (Array("RIFF0000WEBPVP8X0000".utf8) + [0x10], .unknown),
    (Array("RIFF0000WEBPVP8L000".utf8) + [0], .unknown),
    (Array("{\"v\":\"5.5\",\"fr\":30}".utf8), .animation),
    ([0xEF, 0xBB, 0xBF] + Array(" {\"layers\":[]}".utf8), .animation),
    // JSON is looked at as a whole: it may be an animation.
    (Array("{\"error\":1}".utf8), .animation), ([0x1F, 0x8B, 8], .animation),
    ([0x50, 0x4B, 3, 4, 20, 0], .animation),
    (Array("<!DOCTYPE html><p>".utf8), .page), (Array("\n <html>".utf8), .page),
    (Array("#EXTM3U\n".utf8), .text), ([0, 1, 2, 3], .unknown),
  ]

  @Test(arguments: cases)
  func kind_ofFirstBytes_isDetected(head: [UInt8], kind: HeadOfFile.Kind) {
    #expect(HeadOfFile.kind(of: head) == kind)
    // Else its library would not be loaded.
    if kind == .heifStill { #expect(HeifMark.mayBegin(head)) }
  }

  @Test func isProtected_findsTheScheme() {
    let scheme = Array("....schm....cbcs".utf8)
    #expect(HeadOfFile.isProtected(scheme))
    #expect(!HeadOfFile.isProtected(Array("....schm....none".utf8)))
    #expect(!HeadOfFile.isProtected(Array("schm".utf8)))
  }

  private static let sizes: [([UInt8], [Int]?)] = [
    (
      [0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10, 0, 0, 0, 13] + Array("IHDR".utf8)
        + [0, 0, 1, 0, 0, 0, 0, 9], [256, 9]
    ),
    (
      [0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10, 0, 0, 0, 13] + Array("IDAT".utf8)
        + [0, 0, 1, 0, 0, 0, 0, 9], nil
    ),
    (Array("GIF89a".utf8) + [2, 1, 3, 0], [258, 3]),
    ([0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 0, 0, 0xFF, 0xC2, 0, 17, 8, 0, 5, 1, 0, 3], [256, 5]),
    ([0xFF, 0xD8, 0xFF, 0xE0, 0xFF, 0xFF], nil),
    (
      Array("BM".utf8) + [UInt8](repeating: 0, count: 16) + [6, 0, 0, 0, 0xFA, 0xFF, 0xFF, 0xFF],
      [6, 6]
    ),
    ([], nil),
  ]

  @Test(arguments: sizes)
  func find_inAHeader_isTheDeclaredSize(bytes: [UInt8], size: [Int]?) {
    let found = bytes.withUnsafeBytes { DeclaredSize.find(in: $0) }
    #expect(found.map { [$0.width, $0.height] } == size)
  }
}
