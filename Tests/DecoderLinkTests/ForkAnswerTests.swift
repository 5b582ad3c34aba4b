import Testing

@testable import DecoderLink

@Suite struct ForkAnswerTests {
  @Test(
    arguments: [
      (ForkAnswer.forked(1), [1, 0, 0, 0]), (.forked(0x0123_4567), [0x67, 0x45, 0x23, 0x01]),
      (.forked(.max), [0xFF, 0xFF, 0xFF, 0x7F]), (.failed(11), [0xF5, 0xFF, 0xFF, 0xFF]),
      (.failed(0), [0, 0, 0, 0]),
    ] as [(ForkAnswer, [UInt8])])
  func bytes_areTheNumberOrTheNegativeError(answer: ForkAnswer, bytes: [UInt8]) {
    #expect(answer.bytes == bytes)
    #expect(ForkAnswer(bytes[...]) == answer)
    #expect(ForkAnswer((bytes + [9, 9])[...]) == answer)
    #expect(ForkAnswer(bytes.dropLast()) == nil)
  }
}
