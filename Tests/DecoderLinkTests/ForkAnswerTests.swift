import Testing

@testable import DecoderLink

@Suite struct ForkAnswerTests {
  private static let cases: [(ForkAnswer, [UInt8])] = [
    (ForkAnswer(request: 0, .forked(1)), [0, 0, 0, 0, 1, 0, 0, 0]),
    (ForkAnswer(request: 258, .forked(0x0123_4567)), [2, 1, 0, 0, 0x67, 0x45, 0x23, 0x01]),
    (ForkAnswer(request: .max, .forked(.max)), [255, 255, 255, 255, 0xFF, 0xFF, 0xFF, 0x7F]),
    (ForkAnswer(request: 7, .failed(11)), [7, 0, 0, 0, 0xF5, 0xFF, 0xFF, 0xFF]),
    (ForkAnswer(request: 7, .failed(0)), [7, 0, 0, 0, 0, 0, 0, 0]),
  ]

  @Test(arguments: cases)
  func bytes_areTheRequestAndTheNumberOrTheNegativeError(answer: ForkAnswer, bytes: [UInt8]) {
    #expect(answer.bytes == bytes)
    #expect(ForkAnswer(bytes[...]) == answer)
    #expect(ForkAnswer(([9] + bytes + [9, 9])[1...]) == answer)
    #expect(ForkAnswer(bytes.dropLast()) == nil)
  }
}
