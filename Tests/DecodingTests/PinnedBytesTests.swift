import Testing

@testable import Decoding

@Suite struct PinnedBytesTests {
  @Test(arguments: [0, 1, 2, 15, 16, 17, 4_096, 100_001])
  func copy_hasAllBytesAndNoMore(_ count: Int) {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let pinned = PinnedBytes(copying: bytes)
    #expect(pinned.bytes.count == count)
    #expect(pinned.copied == bytes)
  }
}
