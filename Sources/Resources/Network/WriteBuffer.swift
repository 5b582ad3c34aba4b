/// Bytes in memory that are not written to the disk yet, or will not be.
struct WriteBuffer {
  /// Pieces end at multiples of this, so that segments meet without overlapping.
  static let grain: UInt64 = 256 << 10

  private struct Piece {
    let start: UInt64
    var bytes: [UInt8]
    var isComplete = false
    /// When it was last used; counts up.
    var touched: UInt64

    var range: Range<UInt64> { start..<start + UInt64(bytes.count) }
  }

  /// In order of their starts; they may overlap.
  private var pieces: [Piece] = []
  private var touches: UInt64 = 0

  var extents: Extents { Extents(pieces.map(\.range)) }
  var byteCount: Int { pieces.reduce(0) { $0 + $1.bytes.count } }
  /// Bytes of pieces that only wait for the disk.
  var completeByteCount: Int { pieces.reduce(0) { $0 + ($1.isComplete ? $1.bytes.count : 0) } }

  /// Adds bytes to the piece that ends there, or to a new one.
  ///
  /// - Returns: the starts of the pieces that are complete now.
  mutating func append(_ bytes: [UInt8], at offset: UInt64) -> [UInt64] {
    var complete: [UInt64] = []
    var position = offset
    var rest = bytes[...]
    touches += 1
    while !rest.isEmpty {
      let room = WriteBuffer.grain - position % WriteBuffer.grain
      let part = rest.prefix(Int(min(room, UInt64(rest.count))))
      let index = piece(endingAt: position) ?? insert(at: position)
      pieces[index].bytes += part
      pieces[index].touched = touches
      position += UInt64(part.count)
      rest = rest.dropFirst(part.count)
      if position % WriteBuffer.grain == 0 {
        pieces[index].isComplete = true
        complete.append(pieces[index].start)
      }
    }
    return complete
  }

  /// Completes the piece that ends here; no more bytes follow.
  mutating func complete(at end: UInt64) -> UInt64? {
    guard let index = piece(endingAt: end) else { return nil }
    pieces[index].isComplete = true
    return pieces[index].start
  }

  /// The starts of all complete pieces.
  var completeStarts: [UInt64] { pieces.filter(\.isComplete).map(\.start) }

  /// The bytes of a complete piece.
  func bytes(at start: UInt64) -> [UInt8]? {
    pieces.first { $0.start == start && $0.isComplete }?.bytes
  }

  mutating func remove(at start: UInt64) {
    pieces.removeAll { $0.start == start && $0.isComplete }
  }

  /// Removes the complete pieces that were used longest ago, until at most this many bytes are
  /// left.
  mutating func trim(to most: Int) {
    var held = byteCount
    while held > most,
      let oldest = pieces.indices.filter({ pieces[$0].isComplete })
        .min(by: { pieces[$0].touched < pieces[$1].touched })
    {
      held -= pieces[oldest].bytes.count
      pieces.remove(at: oldest)
    }
  }

  /// The bytes from a position on, as far as one piece has them.
  mutating func read(from position: UInt64, upTo end: UInt64) -> Part? {
    guard let index = pieces.firstIndex(where: { $0.range.contains(position) }) else { return nil }
    touches += 1
    pieces[index].touched = touches
    let first = Int(position - pieces[index].start)
    let last = Int(min(end, pieces[index].range.upperBound) - pieces[index].start)
    return Part(pieces[index].bytes, first..<last)
  }

  private func piece(endingAt position: UInt64) -> Int? {
    pieces.firstIndex { !$0.isComplete && $0.range.upperBound == position }
  }

  private mutating func insert(at position: UInt64) -> Int {
    let index = pieces.firstIndex { $0.start > position } ?? pieces.count
    pieces.insert(Piece(start: position, bytes: [], touched: touches), at: index)
    pieces[index].bytes.reserveCapacity(Int(WriteBuffer.grain - position % WriteBuffer.grain))
    return index
  }
}
