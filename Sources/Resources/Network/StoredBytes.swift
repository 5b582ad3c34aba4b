import System

/// Some bytes of an array.
struct Part {
  let whole: [UInt8]
  let range: Range<Int>

  init(_ whole: [UInt8], _ range: Range<Int>? = nil) {
    self.whole = whole
    self.range = range ?? whole.indices
  }

  var count: Int { range.count }
  var slice: ArraySlice<UInt8> { whole[range] }
  /// A copy only where it is not all of them.
  var bytes: [UInt8] { range.count == whole.count ? whole : Array(slice) }
}

/// The stored bytes of one entry, each segment checked before its first use.
struct StoredBytes {
  let content: StoredContent
  /// In order of their start.
  private var segments: [Segment] = []
  private(set) var extents = Extents()
  /// What was checked, or written by this process.
  private var checked = Extents()
  /// The segment that was checked last.
  private var recent: (start: UInt64, bytes: [UInt8])?

  init(_ content: StoredContent) {
    self.content = content
    add(content.segments)
  }

  /// Takes up what the index has; what is known already stays checked.
  mutating func add(_ found: [Segment]) {
    let known = Set(segments)
    segments += found.filter { !known.contains($0) }
    segments.sort { ($0.start, $0.length) < ($1.start, $1.length) }
    extents = Extents(segments.map(\.range))
  }

  /// Takes up a segment that this process has just written.
  mutating func addWritten(_ segment: Segment) {
    let index = segments.firstIndex { $0.start > segment.start } ?? segments.count
    segments.insert(segment, at: index)
    extents.insert(segment.range)
    checked.insert(segment.range)
  }

  /// Nothing counts as checked any more.
  mutating func doubt() {
    checked = Extents()
    recent = nil
  }

  /// What reading from a position gives.
  enum Outcome {
    case bytes(Part)
    /// This segment was damaged; it is forgotten here.
    case damaged(Segment)
    case hole
  }

  /// Reads from a position on, as far as it goes in one step.
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
    // The memory of the last segment serves again where it fits.
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
    // What is handed out whole is not read again soon.
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
    // Overlapping ones are rare; none is longer than the most that a segment holds.
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
    // Where the file was cut, what is written behind that leaves a hole, which reads as zeros: what
    // was true before has to be looked at again.
    doubt()
    return .damaged(segment)
  }
}
