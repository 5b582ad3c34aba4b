import DecoderLink

/// Reads bytes in memory, without seeks.
final class MemoryStream: ByteStream {
  private var rest: ArraySlice<UInt8>
  let length: UInt64?
  let failure: DecodingError? = nil

  init(_ bytes: [UInt8]) {
    rest = bytes[...]
    length = UInt64(bytes.count)
  }

  func read(_ count: Int) throws(DecodingError) -> [UInt8] {
    let part = rest.prefix(count)
    rest = rest.dropFirst(count)
    return Array(part)
  }

  func move(to position: UInt64) -> Bool { false }
}

/// Reads a range of a resource as if it were all of it.
final class RangeStream: ByteStream {
  private let source: ResourceStream
  private let range: Range<UInt64>
  private var position: UInt64

  init(_ source: ResourceStream, _ range: Range<UInt64>) {
    self.source = source
    let end = min(range.upperBound, source.length ?? .max)
    self.range = min(range.lowerBound, end)..<end
    position = self.range.lowerBound
    source.move(to: position)
  }

  var length: UInt64? { range.upperBound - range.lowerBound }
  var failure: DecodingError? { source.failure }

  func read(_ count: Int) throws(DecodingError) -> [UInt8] {
    let most = min(UInt64(count), range.upperBound - position)
    guard most > 0 else { return [] }
    let bytes = try source.read(Int(most))
    position = min(range.upperBound, position + UInt64(bytes.count))
    return bytes
  }

  func move(to position: UInt64) -> Bool {
    guard position <= range.upperBound - range.lowerBound else { return false }
    self.position = range.lowerBound + position
    return source.move(to: self.position)
  }
}
