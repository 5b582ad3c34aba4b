/// Samples that tests can distinguish.
enum Waves {
  /// Stereo frames that count, too soft to click: the right channel is the left one, negative.
  static func counting(_ frames: Int, from first: Int = 1) -> [Int16] {
    counted(first..<first + frames).flatMap { [Int16($0), -Int16($0)] }
  }

  /// The left channel of such frames.
  static func counted(_ range: Range<Int>) -> [Int] { range.map { 1 + ($0 - 1) % 250 } }

  /// The same value in every sample.
  static func level(_ value: Int16, _ frames: Int) -> [Int16] {
    [Int16](repeating: value, count: frames * 2)
  }

  /// A triangle of 480 frames a period: every step is 100, its peak is 12,000.
  static func triangle(_ frames: Int, from first: Int = 0) -> [Int16] {
    (0..<frames).flatMap { frame -> [Int16] in
      let phase = (frame + first) % 480
      let value = Int16(100 * (phase < 120 ? phase : phase < 360 ? 240 - phase : phase - 480))
      return [value, value]
    }
  }

  static func left(_ samples: [Int16]) -> [Int] {
    stride(from: 0, to: samples.count, by: 2).map { Int(samples[$0]) }
  }
}
