import System

/// A part of an array.
struct Part {
  let whole: [UInt8]
  let range: Range<Int>

  init(_ whole: [UInt8], _ range: Range<Int>? = nil) {
    self.whole = whole
    self.range = range ?? whole.indices
  }

  var count: Int { range.count }
  var slice: ArraySlice<UInt8> { whole[range] }
  /// Copies only if it is not the whole array.
  var bytes: [UInt8] { range.count == whole.count ? whole : Array(slice) }
}

/// The stored bytes of one entry. Each segment is checked before its first use.
struct StoredBytes {
  let content: StoredContent
  /// In order of their start.
  private var segments: [Segment] = []
  private(set) var extents = Extents()
  /// Bytes that were checked, or written by this process.
  private var checked = Extents()
  /// The segment that was checked last.
  private var recent: (start: UInt64, bytes: [UInt8])?

  init(_ content: StoredContent) {
    self.content = content
    add(content.segments)
  }

  /// Adds the segments that the index has; known ones stay checked.
  mutating func add(_ found: [Segment]) {
    let known = Set(segments)
    segments += found.filter { !known.contains($0) }
    segments.sort { ($0.start, $0.length) < ($1.start, $1.length) }
    extents = Extents(segments.map(\.range))
  }

  /// Adds a segment that this process has just written.
  mutating func addWritten(_ segment: Segment) {
    let index = segments.firstIndex { $0.start > segment.start } ?? segments.count
    segments.insert(segment, at: index)
    extents.insert(segment.range)
    checked.insert(segment.range)
  }

  /// Every segment has to be checked again.
  mutating func doubt() {
    checked = Extents()
    recent = nil
  }

  /// The result of reading from a position.
  enum Outcome {
    case bytes(Part)
    /// This segment was damaged; it has been removed here.
    case damaged(Segment)
    case hole
  }

  /// Reads from a position on, as far as one step reaches.
  mutating func read(from position: UInt64, upTo end: UInt64) -> Outcome {
    if let recent, position >= recent.start,
      position < recent.start + UInt64(recent.bytes.count)
    {
      let last = min(end, recent.start + UInt64(recent.bytes.count))
      return .bytes(
        Part(recent.bytes, Int(position - recent.start)..<Int(last - recent.start)))
    }
    let run = min(end, checked.end(from: position))
    if run > position {
      let bytes = try? content.blob.file.read(at: position, count: Int(run - position))
      if let bytes, bytes.count == Int(run - position) { return .bytes(Part(bytes)) }
      // The file was cut since.
      guard let segment = segment(at: position) else { return .hole }
      return forget(segment)
    }
    guard let segment = segment(at: position) else { return .hole }
    // The memory of the last segment is used again if it fits.
    var bytes = recent?.bytes ?? []
    recent = nil
    if bytes.count == segment.length {
      let isFilled = (try? content.blob.file.fill(&bytes, at: segment.start)) ?? false
      if !isFilled { bytes = [] }
    } else {
      bytes = (try? content.blob.file.read(at: segment.start, count: segment.length)) ?? []
    }
    guard bytes.count == segment.length, content.blob.hash(bytes, at: segment.start) == segment.hash
    else { return forget(segment) }
    checked.insert(segment.range)
    // A segment that was handed out whole is not read again soon.
    if position == segment.start, end >= segment.range.upperBound { return .bytes(Part(bytes)) }
    recent = (segment.start, bytes)
    let last = min(end, segment.range.upperBound)
    return .bytes(Part(bytes, Int(position - segment.start)..<Int(last - segment.start)))
  }

  private func segment(at position: UInt64) -> Segment? {
    var low = 0
    var high = segments.count
    while low < high {
      let middle = (low + high) / 2
      if segments[middle].start <= position { low = middle + 1 } else { high = middle }
    }
    // Overlapping segments are rare, and none is longer than the maximum.
    var index = low - 1
    while index >= 0, segments[index].start + UInt64(Segment.most) > position {
      if segments[index].range.contains(position) { return segments[index] }
      index -= 1
    }
    return nil
  }

  private mutating func forget(_ segment: Segment) -> Outcome {
    segments.removeAll { $0 == segment }
    extents = Extents(segments.map(\.range))
    // If the file was cut, later writes leave a hole that reads as zeros, so everything has to be
    // checked again.
    doubt()
    return .damaged(segment)
  }
}
