import Resources
import Support
import Testing

@Suite struct SHA256Tests {
  /// The examples of FIPS 180-4's authors.
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
  ])
  func hex_ofKnownText_isTheKnownHash(_ text: String, _ hash: String) {
    #expect(SHA256.hex(of: Array(text.utf8)) == hash)
  }

  /// Lengths around the ends of blocks, added in parts, against coreutils.
  @Test func hex_ofAnyLengthInAnyParts_isThatOfSha256sum() throws {
    var random = SeededRandom(seed: 3)
    for length in [1, 54, 55, 56, 57, 63, 64, 65, 119, 120, 127, 128, 129, 1_000, 70_001] {
      let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
      let wanted = try run("/usr/bin/sha256sum", [], input: bytes).outputText.prefix(64)
      var hash = SHA256()
      var rest = bytes[...]
      while !rest.isEmpty {
        let part = rest.prefix(Int.random(in: 1...200, using: &random))
        hash.add(Array(part))
        rest = rest.dropFirst(part.count)
      }
      #expect(hash.hex() == wanted, "\(length)")
    }
  }
}
