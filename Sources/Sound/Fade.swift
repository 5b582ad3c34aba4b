/// Fades samples in and out where a cut would click.
package enum Fade {
  /// 5 ms.
  package static let frames = SoundFormat.rate / 200

  /// The first frames rise from silence.
  package static func fadeIn(_ samples: inout ArraySlice<Int16>) {
    let count = min(frames, samples.count / 2)
    for frame in 0..<count { scale(&samples, frame, by: frame, of: frames) }
  }

  /// The last frames fall to silence.
  package static func fadeOut(_ samples: inout ArraySlice<Int16>) {
    let count = samples.count / 2
    for left in 0..<min(frames, count) { scale(&samples, count - 1 - left, by: left, of: frames) }
  }

  private static func scale(_ samples: inout ArraySlice<Int16>, _ frame: Int, by: Int, of: Int) {
    let index = samples.startIndex + frame * 2
    samples[index] = Int16(Int(samples[index]) * by / of)
    samples[index + 1] = Int16(Int(samples[index + 1]) * by / of)
  }

  /// Whether two runs of samples can follow each other unchanged: the step between them is not much
  /// larger than the steps within 5 ms of it. An empty run is silence.
  package static func meet(_ tail: ArraySlice<Int16>, _ head: ArraySlice<Int16>) -> Bool {
    let end = tail.suffix(frames * 2)
    let start = head.prefix(frames * 2)
    return (0..<2).allSatisfy { channel in
      let last = end.count < 2 ? 0 : Int(end[end.endIndex - 2 + channel])
      let first = start.count < 2 ? 0 : Int(start[start.startIndex + channel])
      let usual = max(largestStep(end, channel), largestStep(start, channel))
      return abs(first - last) <= 2 * usual + inaudible
    }
  }

  /// A step of this size cannot be heard as a click (-42 dB).
  private static let inaudible = 256

  private static func largestStep(_ samples: ArraySlice<Int16>, _ channel: Int) -> Int {
    var largest = 0
    var index = samples.startIndex + channel
    while index + 2 < samples.endIndex {
      largest = max(largest, abs(Int(samples[index + 2]) - Int(samples[index])))
      index += 2
    }
    return largest
  }
}
