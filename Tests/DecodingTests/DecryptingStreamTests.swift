import Decoding
import Testing

/// AES-128 in CBC mode with PKCS7 padding, by the vectors of NIST SP 800-38A, F.2.2.
@Suite struct DecryptingStreamTests {
  /// Bytes that come in pieces of a given size.
  private final class Pieces: ByteStream {
    private var bytes: [UInt8]
    private let size: Int
    let failure: DecodingError? = nil
    var length: UInt64? { nil }

    init(_ bytes: [UInt8], size: Int) {
      self.bytes = bytes
      self.size = size
    }

    func read(_ count: Int) throws(DecodingError) -> [UInt8] {
      defer { bytes.removeFirst(min(bytes.count, size, count)) }
      return Array(bytes.prefix(min(size, count)))
    }

    func move(to position: UInt64) -> Bool { false }
  }

  private func bytes(_ digits: String) -> [UInt8] {
    let values = digits.compactMap(\.hexDigitValue)
    return stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
  }

  private let key = "2b7e151628aed2a6abf7158809cf4f3c"
  private let vector = "000102030405060708090a0b0c0d0e0f"
  private let coded =
    "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2"
    + "73bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7"
  private let clear =
    "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
    + "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"

  @Test(arguments: [1, 7, 16, 1_000], [1, 16, 33, 4_096])
  func read_ofTheVectors_isInClear(piece: Int, wanted: Int) throws {
    let stream = try #require(
      DecryptingStream(Pieces(bytes(coded), size: piece), key: key, vector: vector))
    var all: [UInt8] = []
    while true {
      let part = try stream.read(wanted)
      if part.isEmpty { break }
      all += part
    }
    // 0x10 at the end counts as a block of padding.
    #expect(all == bytes(clear).dropLast(16))
  }

  @Test func init_withAKeyOfAnotherLength_isNil() {
    #expect(DecryptingStream(Pieces([], size: 1), key: "2b7e", vector: vector) == nil)
    #expect(DecryptingStream(Pieces([], size: 1), key: key, vector: "zz") == nil)
  }
}
