/// The decoded samples of one story that were not played yet, by their time in frames.
///
/// Everything from its start up to `end` is known; there is silence where no samples came.
package struct VoiceSamples {
  private struct Chunk {
    var start: Int
    var samples: [Int16]
    var end: Int { start + samples.count / 2 }
  }

  private var chunks: [Chunk] = []
  /// Its first frame.
  package let start: Int
  /// Everything before this frame is known.
  package private(set) var end: Int
  /// Nothing comes after `end`.
  package private(set) var isFinished = false

  /// The inexactness of timestamps, in frames.
  private static let tolerance = SoundFormat.rate / 1000

  /// - Parameter start: the first frame of the story.
  package init(from start: Int) {
    self.start = start
    end = start
  }

  /// Adds a run of samples at a time. An empty run says that there are none before that time; what is
  /// already known does not change.
  package mutating func append(_ samples: [Int16], at start: Int) {
    guard !isFinished else { return }
    let meets = abs(start - end) <= Self.tolerance
    let start = meets ? end : start
    var new = Chunk(start: max(start, end), samples: samples)
    if start < end { new.samples.removeFirst(min(samples.count, 2 * (end - start))) }
    if new.start > end { leaveSilence(before: &new) }
    if !new.samples.isEmpty { chunks.append(new) }
    end = max(end, new.end)
  }

  /// No more samples follow. There is silence up to `end` if that is later than the last sample.
  package mutating func finish(at end: Int) {
    isFinished = false
    append([], at: end)
    isFinished = true
  }

  /// Fades the samples on both sides of a hole where they would click.
  private mutating func leaveSilence(before chunk: inout Chunk) {
    if let last = chunks.indices.last, chunks[last].end == end,
      !Fade.meet(chunks[last].samples[...], [])
    {
      Fade.fadeOut(&chunks[last].samples[...])
    }
    if !Fade.meet([], chunk.samples[...]) { Fade.fadeIn(&chunk.samples[...]) }
  }

  /// The number of frames with samples (silence does not count) from a time on.
  package func stored(from position: Int) -> Int {
    chunks.reduce(0) { $0 + max(0, $1.end - max($1.start, position)) }
  }

  /// The samples of `frames` frames; silence where there are none.
  package func samples(from position: Int, frames: Int) -> [Int16] {
    var result = [Int16](repeating: 0, count: frames * 2)
    for chunk in chunks {
      let first = max(chunk.start, position)
      let last = min(chunk.end, position + frames)
      guard first < last else { continue }
      let source = (first - chunk.start) * 2..<(last - chunk.start) * 2
      let target = (first - position) * 2..<(last - position) * 2
      result.replaceSubrange(target, with: chunk.samples[source])
    }
    return result
  }

  /// Fades out the last frames.
  package mutating func fadeOutEnd() {
    guard let last = chunks.indices.last, chunks[last].end == end else { return }
    Fade.fadeOut(&chunks[last].samples[...])
  }

  /// Fades in the frames from a time on.
  package mutating func fadeIn(at position: Int) {
    guard let first = chunks.first, first.start == position else { return }
    Fade.fadeIn(&chunks[0].samples[...])
  }

  /// Drops samples before a time.
  package mutating func forget(before position: Int) {
    chunks.removeAll { $0.end <= position }
  }
}
