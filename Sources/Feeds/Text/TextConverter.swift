import Glibc

/// Converts text to UTF-8 with iconv(3). Binding file: unsafe pointers, which iconv keeps for one
/// call.
final class TextConverter {
  /// The conversion descriptor of iconv; never nil.
  private let raw: iconv_t
  private let unitBytes: Int
  /// An incomplete character at the end of the bytes so far.
  private var rest: [UInt8] = []

  private static let replacement: [UInt8] = [0xEF, 0xBF, 0xBD]

  /// Nil where the C library does not know the encoding.
  init?(from name: String, unitBytes: Int) {
    let raw = iconv_open("UTF-8", name)
    // iconv_open fails with (iconv_t) -1.
    guard let raw, UInt(bitPattern: raw) != UInt.max else { return nil }
    self.raw = raw
    self.unitBytes = unitBytes
  }

  deinit { iconv_close(raw) }

  /// The text of the next bytes. Invalid ones become U+FFFD.
  ///
  /// - Parameters:
  ///   - isLast: whether these are the last bytes.
  ///   - replaced: is called with the place of each invalid character, in the bytes that were
  ///     given.
  func convert(_ bytes: [UInt8], isLast: Bool, _ replaced: (_ place: Int) -> Void) -> [UInt8] {
    let before = rest.count
    var source = rest + bytes
    rest = []
    var text: [UInt8] = []
    text.reserveCapacity(source.count + source.count / 2)
    var taken = 0
    while taken < source.count {
      let (code, consumed) = step(&source, from: taken, &text)
      taken += consumed
      switch code {
      case 0 where consumed > 0, E2BIG where !text.isEmpty: continue
      case EINVAL where !isLast && source.count - taken < 16:
        // A character continues in the next bytes.
        rest = Array(source[taken...])
        return text
      default:
        text += TextConverter.replacement
        replaced(max(0, taken - before))
        taken += min(unitBytes, source.count - taken)
      }
    }
    // Flushes what iconv holds back until it sees the next character.
    if isLast { _ = step(nil, &text) }
    return text
  }

  /// Calls iconv once for the remaining bytes: gives its error code, 0 for none, and how many bytes
  /// it took.
  private func step(
    _ source: inout [UInt8], from start: Int, _ text: inout [UInt8]
  ) -> (code: Int32, consumed: Int) {
    let count = source.count - start
    return source.withUnsafeMutableBytes { bytes in
      // The pointer stays within the bytes: iconv moves it by no more than the count it is given.
      var input = bytes.baseAddress?.advanced(by: start).assumingMemoryBound(to: CChar.self)
      var left = count
      let code = withUnsafeMutablePointer(to: &input) { input in
        withUnsafeMutablePointer(to: &left) { left in step((input, left), &text) }
      }
      return (code, count - left)
    }
  }

  private func step(
    _ input: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, UnsafeMutablePointer<Int>)?,
    _ text: inout [UInt8]
  ) -> Int32 {
    var part = [CChar](repeating: 0, count: 16 << 10)
    let size = part.count
    let (code, free) = part.withUnsafeMutableBufferPointer { target in
      var output = target.baseAddress
      var free = size
      let failed = iconv(raw, input?.0, input?.1, &output, &free) == -1
      return (failed ? errno : 0, free)
    }
    text += part[..<(size - free)].map { UInt8(bitPattern: $0) }
    return code
  }
}
