/// Decodes a text to UTF-8, a piece at a time. Invalid bytes become U+FFFD.
struct TextDecoder {
  /// The place of the first invalid byte, in bytes from the start.
  private(set) var firstMistake: Int?
  /// How many invalid places there are.
  private(set) var mistakes = 0
  private let converter: TextConverter?
  /// An incomplete character at the end of the bytes so far.
  private var rest: [UInt8] = []
  private var given = 0

  private static let replacement: [UInt8] = [0xEF, 0xBF, 0xBD]

  init(_ encoding: TextEncoding) {
    if case .other(let name) = encoding {
      converter = TextConverter(from: name, unitBytes: encoding.unitBytes)
    } else {
      converter = nil
    }
  }

  /// The text of the next bytes; empty where they end within their first character.
  mutating func decode(_ piece: [UInt8], isLast: Bool) -> [UInt8] {
    defer { given += piece.count }
    if let converter {
      var places: [Int] = []
      let text = converter.convert(piece, isLast: isLast) { places.append($0) }
      for place in places { note(given + place) }
      return text
    }
    let start = given - rest.count
    var bytes = rest.isEmpty ? piece : rest + piece
    rest = []
    if !isLast {
      let count = TextDecoder.openEnd(bytes)
      rest = Array(bytes.suffix(count))
      bytes.removeLast(count)
    }
    // A fast path: nearly all texts are valid.
    if (try? UTF8Span(validating: bytes.span)) != nil { return bytes }
    return mended(bytes, start)
  }

  private mutating func mended(_ bytes: [UInt8], _ start: Int) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count + 64)
    var place = 0
    while place < bytes.count {
      do throws(UTF8.ValidationError) {
        _ = try UTF8Span(validating: bytes.span.extracting(place..<bytes.count))
        text += bytes[place...]
        place = bytes.count
      } catch {
        let wrong = error.byteOffsets
        text += bytes[place..<place + wrong.lowerBound]
        text += TextDecoder.replacement
        note(start + place + wrong.lowerBound)
        place += max(wrong.upperBound, wrong.lowerBound + 1)
      }
    }
    return text
  }

  private mutating func note(_ place: Int) {
    firstMistake = firstMistake ?? place
    mistakes += 1
  }

  /// How many bytes at the end are an incomplete character of UTF-8.
  private static func openEnd(_ bytes: [UInt8]) -> Int {
    for count in 1...3 where count <= bytes.count {
      let byte = bytes[bytes.count - count]
      if byte & 0xC0 == 0x80 { continue }
      let needed = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
      return needed > count ? count : 0
    }
    return 0
  }
}
