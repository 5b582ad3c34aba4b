/// The order in which stories are heard: one after another without a gap, in frames from where the
/// line began. Pure: it is told what the device took and what was heard.
package struct AudioTimeline {
  /// A story's place in the line.
  private struct Part {
    var voice: Int
    /// Where it begins in the line.
    var start: Int
    /// The story's own frame there.
    var offset: Int
    var isEndChecked = false
  }

  private var voices: [Int: VoiceSamples] = [:]
  /// Those that nobody adds to any longer: forgotten once they were heard.
  private var released: Set<Int> = []
  private var parts: [Part] = []
  /// The device has taken all before this frame.
  package private(set) var written = 0
  /// All before this frame was heard.
  package private(set) var heard = 0
  /// The next frame follows silence.
  private var isAtRest = true
  private var gain: Float = 1
  package var wantedGain: Float = 1

  package init() {}

  // MARK: - Voices

  /// Makes a voice, or makes it anew, whose samples begin at a frame of its story.
  package mutating func begin(_ voice: Int, at start: Int) {
    voices[voice] = VoiceSamples(from: start)
  }

  package mutating func append(_ samples: [Int16], at start: Int, to voice: Int) {
    voices[voice]?.append(samples, at: start)
  }

  /// Nothing more comes; silence up to `end` where that is later than what came, unless all of it
  /// was heard already.
  package mutating func finish(_ voice: Int, at end: Int) {
    if contains(voice), isOver { return }
    voices[voice]?.finish(at: end)
  }

  /// Whether a voice has nothing more at a frame of its story.
  package func isOver(_ voice: Int, at position: Int) -> Bool {
    voices[voice].map { $0.isFinished && $0.end <= position } ?? true
  }

  /// Nobody adds to a voice any more; what came of it is still heard where it is in the line.
  package mutating func release(_ voice: Int) {
    guard contains(voice), let end = voices[voice]?.end else {
      voices[voice] = nil
      return
    }
    voices[voice]?.finish(at: end)
    released.insert(voice)
  }

  /// Frames of its samples that the device was not given yet: from where it is in the line, else
  /// from a frame of its story.
  package func stored(_ voice: Int, from position: Int) -> Int {
    guard let samples = voices[voice] else { return 0 }
    guard let part = parts.first(where: { $0.voice == voice }) else {
      return samples.stored(from: position)
    }
    return samples.stored(from: max(0, written - part.start) + part.offset)
  }

  /// Lets go of what lies before a frame of a story that is not heard.
  package mutating func forget(_ voice: Int, before position: Int) {
    voices[voice]?.forget(before: position)
  }

  /// Whether all of a voice up to a frame is known.
  package func knows(_ voice: Int, upTo position: Int) -> Bool {
    voices[voice].map { $0.end >= position || $0.isFinished } ?? false
  }

  /// Whether nothing of a voice is still to be heard.
  package func wasHeard(_ voice: Int) -> Bool {
    guard let part = parts.first(where: { $0.voice == voice }) else { return true }
    return end(of: part).map { heard >= $0 } ?? false
  }

  // MARK: - The order

  package func contains(_ voice: Int) -> Bool { parts.contains { $0.voice == voice } }
  package var isEmpty: Bool { parts.isEmpty }

  /// Ends the line and begins a new one with a voice at a frame of its story.
  package mutating func play(_ voice: Int, from position: Int) {
    cut()
    parts = [Part(voice: voice, start: 0, offset: position)]
  }

  /// Whether all that is in the line was heard.
  package var isOver: Bool { isAllWritten && heard == written }

  /// Lets a voice begin right behind the last one; false while it is not known where that ends or
  /// how this begins.
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

  /// Ends the line: nothing more is heard of it.
  package mutating func cut() {
    parts = []
    for voice in released { voices[voice] = nil }
    released = []
    written = 0
    heard = 0
    isAtRest = true
  }

  /// Where a part ends in the line; nil while more of it may come.
  private func end(of part: Part) -> Int? {
    voices[part.voice].flatMap { $0.isFinished ? part.start + $0.end - part.offset : nil }
  }

  /// Whether the device has all that will come.
  package var isAllWritten: Bool {
    parts.last.flatMap(end(of:)).map { written >= $0 } ?? parts.isEmpty
  }

  /// The frame of its story that a voice has reached when a frame of the line is heard: before its
  /// first one while others are heard before it; nil where it is not in the line or over.
  package func position(of voice: Int, at frame: Int) -> Int? {
    guard let part = parts.first(where: { $0.voice == voice }) else { return nil }
    if let end = end(of: part), frame >= end { return nil }
    return frame - part.start + part.offset
  }

  // MARK: - What the device takes

  /// The next frames, at most `limit`, as they are to be heard. They count as written.
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

  /// A story that nothing follows must not break off with a click.
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

  /// Changes of the volume take 5 ms.
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

  /// The device did not take the last frames.
  package mutating func takeBack(_ frames: Int) { written = max(heard, written - frames) }

  /// All before this frame was heard; what was heard is forgotten.
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

  /// The device fell silent: it goes on with what was not heard, out of silence.
  package mutating func rewind() {
    written = heard
    isAtRest = true
  }
}
