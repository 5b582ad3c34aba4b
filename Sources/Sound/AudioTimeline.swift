/// The order in which stories are played, one after another without a gap, in frames from the start of
/// the timeline. Pure: it is given what the device accepted and what was played.
package struct AudioTimeline {
  /// A story's place in the timeline.
  private struct Part {
    var voice: Int
    /// Its start in the timeline.
    var start: Int
    /// The story's own frame at that start.
    var offset: Int
    var isEndChecked = false
  }

  private var voices: [Int: VoiceSamples] = [:]
  /// Voices that nobody adds to any more: removed once they were played.
  private var released: Set<Int> = []
  private var parts: [Part] = []
  /// The device has accepted everything before this frame.
  package private(set) var written = 0
  /// Everything before this frame was played.
  package private(set) var heard = 0
  /// The next frame follows silence.
  private var isAtRest = true
  private var gain: Float = 1
  package var wantedGain: Float = 1

  package init() {}

  // MARK: - Voices

  /// Adds a voice, or resets one; its samples begin at a frame of its story.
  package mutating func begin(_ voice: Int, at start: Int) {
    voices[voice] = VoiceSamples(from: start)
  }

  package mutating func append(_ samples: [Int16], at start: Int, to voice: Int) {
    voices[voice]?.append(samples, at: start)
  }

  /// No more samples follow. There is silence up to `end` if that is later than the last sample, unless
  /// everything was already played.
  package mutating func finish(_ voice: Int, at end: Int) {
    if contains(voice), isOver { return }
    voices[voice]?.finish(at: end)
  }

  /// Whether a voice has ended at a frame of its story.
  package func isOver(_ voice: Int, at position: Int) -> Bool {
    voices[voice].map { $0.isFinished && $0.end <= position } ?? true
  }

  /// Nobody adds to the voice any more; what it has is still played where it is in the timeline.
  package mutating func release(_ voice: Int) {
    guard contains(voice), let end = voices[voice]?.end else {
      voices[voice] = nil
      return
    }
    voices[voice]?.finish(at: end)
    released.insert(voice)
  }

  /// The number of its frames that were not written yet: from its place in the timeline, or else from a
  /// frame of its story.
  package func stored(_ voice: Int, from position: Int) -> Int {
    guard let samples = voices[voice] else { return 0 }
    guard let part = parts.first(where: { $0.voice == voice }) else {
      return samples.stored(from: position)
    }
    return samples.stored(from: max(0, written - part.start) + part.offset)
  }

  /// Drops samples before a frame of a story that is not played.
  package mutating func forget(_ voice: Int, before position: Int) {
    voices[voice]?.forget(before: position)
  }

  /// Whether a voice has everything up to a frame.
  package func knows(_ voice: Int, upTo position: Int) -> Bool {
    voices[voice].map { $0.end >= position || $0.isFinished } ?? false
  }

  /// Whether everything of a voice was played.
  package func wasHeard(_ voice: Int) -> Bool {
    guard let part = parts.first(where: { $0.voice == voice }) else { return true }
    return end(of: part).map { heard >= $0 } ?? false
  }

  // MARK: - The order

  package func contains(_ voice: Int) -> Bool { parts.contains { $0.voice == voice } }
  package var isEmpty: Bool { parts.isEmpty }

  /// Starts a new timeline with a voice at a frame of its story.
  package mutating func play(_ voice: Int, from position: Int) {
    cut()
    parts = [Part(voice: voice, start: 0, offset: position)]
  }

  /// Whether everything in the timeline was played.
  package var isOver: Bool { isAllWritten && heard == written }

  /// Appends a voice directly after the last one; false while the last one's end or this one's
  /// beginning is not known.
  package mutating func follow(with voice: Int) -> Bool {
    guard let last = parts.last, let end = end(of: last), let tail = voices[last.voice],
      let head = voices[voice], head.end > head.start, !contains(voice)
    else { return false }
    let before = tail.samples(from: tail.end - Fade.frames, frames: Fade.frames)
    let after = head.samples(from: head.start, frames: min(Fade.frames, head.end - head.start))
    if !Fade.meet(before[...], after[...]) {
      if written <= end - Fade.frames { voices[last.voice]?.fadeOutEnd() }
      voices[voice]?.fadeIn(at: head.start)
    }
    parts.append(Part(voice: voice, start: end, offset: head.start))
    return true
  }

  /// Empties the timeline: nothing more of it is played.
  package mutating func cut() {
    parts = []
    for voice in released { voices[voice] = nil }
    released = []
    written = 0
    heard = 0
    isAtRest = true
  }

  /// The end of a part in the timeline; nil while more of it may come.
  private func end(of part: Part) -> Int? {
    voices[part.voice].flatMap { $0.isFinished ? part.start + $0.end - part.offset : nil }
  }

  /// Whether everything was written and nothing more will come.
  package var isAllWritten: Bool {
    parts.last.flatMap(end(of:)).map { written >= $0 } ?? parts.isEmpty
  }

  /// The frame of its story that a voice has reached at a frame of the timeline. It is before the
  /// voice's first frame while earlier voices play, and nil if the voice is not in the timeline or has
  /// ended.
  package func position(of voice: Int, at frame: Int) -> Int? {
    guard let part = parts.first(where: { $0.voice == voice }) else { return nil }
    if let end = end(of: part), frame >= end { return nil }
    return frame - part.start + part.offset
  }

  // MARK: - What the device takes

  /// The next frames to write, at most `limit`. They count as written.
  package mutating func render(upTo limit: Int) -> [Int16] {
    var samples: [Int16] = []
    for index in parts.indices where samples.count / 2 < limit {
      checkEnd(of: index, within: limit)
      let part = parts[index]
      guard let voice = voices[part.voice], written >= part.start else { break }
      let end = part.start + voice.end - part.offset
      let count = min(end - written, limit - samples.count / 2)
      guard count > 0 else { continue }
      samples += voice.samples(from: written - part.start + part.offset, frames: count)
      written += count
    }
    if isAtRest, !samples.isEmpty {
      isAtRest = false
      gain = wantedGain
      if !Fade.meet([], samples[...]) { Fade.fadeIn(&samples[...]) }
    }
    amplify(&samples)
    return samples
  }

  /// A story that nothing follows must not end with a click.
  private mutating func checkEnd(of index: Int, within limit: Int) {
    guard index == parts.count - 1, !parts[index].isEndChecked, let end = end(of: parts[index]),
      written <= end - Fade.frames, written + limit > end - Fade.frames
    else { return }
    parts[index].isEndChecked = true
    let voice = parts[index].voice
    guard
      let tail = voices[voice]?.samples(
        from: end - parts[index].start + parts[index].offset - Fade.frames, frames: Fade.frames)
    else { return }
    if !Fade.meet(tail[...], []) { voices[voice]?.fadeOutEnd() }
  }

  /// Changes the volume gradually, within 5 ms.
  private mutating func amplify(_ samples: inout [Int16]) {
    guard gain != 1 || wantedGain != 1 else { return }
    let step = 1 / Float(Fade.frames)
    for frame in 0..<samples.count / 2 {
      if gain < wantedGain { gain = min(wantedGain, gain + step) }
      if gain > wantedGain { gain = max(wantedGain, gain - step) }
      for index in frame * 2...frame * 2 + 1 {
        samples[index] = Int16((Float(samples[index]) * gain).rounded())
      }
    }
  }

  /// The device did not accept the last frames.
  package mutating func takeBack(_ frames: Int) { written = max(heard, written - frames) }

  /// Everything before this frame was played, and is dropped.
  package mutating func noteHeard(_ frame: Int) {
    heard = min(max(heard, frame), written)
    for part in parts {
      voices[part.voice]?.forget(before: heard - part.start + part.offset)
    }
    while parts.count > 1, let end = end(of: parts[0]), end <= heard {
      let voice = parts.removeFirst().voice
      if released.remove(voice) != nil { voices[voice] = nil }
    }
  }

  /// The device was stopped: it will continue with what was not played, fading in.
  package mutating func rewind() {
    written = heard
    isAtRest = true
  }
}
