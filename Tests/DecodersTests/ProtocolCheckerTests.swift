import DecoderLink
import Testing

@testable import Decoders

/// What a decoder says of parts is used in sums.
@Suite struct ProtocolCheckerTests {
  @Test(
    arguments: [
      (0, nil, true), (0, 0, true), (7, 1 << 40, true), (1 << 50, nil, true), (1 << 50, 0, true),
      (1 << 49, 1 << 49, true), (1 << 50, 1, false), (0, (1 << 50) + 1, false),
      ((1 << 50) + 1, nil, false), (1, .max, false), (.max, nil, false), (.max, 1, false),
      (.max, .max, false),
    ] as [(UInt64, UInt64?, Bool)])
  func part_endsWhereAFileMay(offset: UInt64, length: UInt64?, expected: Bool) {
    var checker = ProtocolChecker(shape: PictureRequest(width: 8, height: 8), hasSound: false)
    let part = Lie.part(offset, length)
    let isNeeded = checker.isInTurn(.needs([part], reachesEnd: false), serial: 0)
    let isListed = checker.isInTurn(.parts([part], isLast: true), serial: 0)
    #expect(isNeeded == expected && isListed == expected)
  }

  @Test func parts_areNotEmpty_unlessTheyAreTheLast() {
    var checker = ProtocolChecker(shape: PictureRequest(width: 8, height: 8), hasSound: false)
    let more = checker.isInTurn(.parts([], isLast: false), serial: 0)
    let last = checker.isInTurn(.parts([], isLast: true), serial: 0)
    #expect(!more && last)
  }
}
