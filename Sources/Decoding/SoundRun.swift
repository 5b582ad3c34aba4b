/// Interleaved stereo samples.
package struct SoundRun: Equatable {
  package var time: Duration
  package var samples: [Int16]

  package init(time: Duration, samples: [Int16]) {
    self.time = time
    self.samples = samples
  }

  /// The number of frames: a sample for each of the two channels.
  var frames: Int { samples.count / 2 }

  /// How long it lasts.
  func length(rate: Int) -> Duration {
    .nanoseconds(Int64(frames) * 1_000_000_000 / Int64(rate))
  }

  /// Its first `frames` frames, and the rest, where there is one.
  package func cut(after frames: Int, rate: Int) -> (head: SoundRun, rest: SoundRun?) {
    guard frames < self.frames else { return (self, nil) }
    let head = SoundRun(time: time, samples: Array(samples.prefix(frames * 2)))
    let rest = SoundRun(
      time: time + head.length(rate: rate), samples: Array(samples.dropFirst(frames * 2)))
    return (head, rest)
  }
}
