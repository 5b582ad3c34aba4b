/// The volume, in steps of equal perceived loudness.
public struct Volume: Equatable, Sendable {
  /// 0 to 100.
  public private(set) var percent: Int
  public var isMuted: Bool

  public static let range = 0...100
  static let step = 5

  /// - Parameter percent: clamped to 0 to 100.
  public init(percent: Int = 100, isMuted: Bool = false) {
    self.percent = min(max(percent, Volume.range.lowerBound), Volume.range.upperBound)
    self.isMuted = isMuted
  }

  /// Changes it by one step, to a whole step; turning it up unmutes it.
  public mutating func turn(up: Bool) {
    let steps = up ? percent / Volume.step + 1 : (percent + Volume.step - 1) / Volume.step - 1
    self = Volume(percent: steps * Volume.step, isMuted: isMuted && !up)
  }

  /// The factor for samples. The cube approximates perceived loudness: 50 % sounds half as loud (18 dB
  /// less).
  package var gain: Float {
    let share = Float(percent) / 100
    return isMuted ? 0 : share * share * share
  }
}
