/// How loud: in steps as an ear hears them.
public struct Volume: Equatable, Sendable {
  /// 0 to 100.
  public private(set) var percent: Int
  public var isMuted: Bool

  public static let range = 0...100
  static let step = 5

  /// A percentage out of range is brought into it.
  public init(percent: Int = 100, isMuted: Bool = false) {
    self.percent = min(max(percent, Volume.range.lowerBound), Volume.range.upperBound)
    self.isMuted = isMuted
  }

  /// Turns it up or down by one step, to a whole one; what is turned up is heard.
  public mutating func turn(up: Bool) {
    let steps = up ? percent / Volume.step + 1 : (percent + Volume.step - 1) / Volume.step - 1
    self = Volume(percent: steps * Volume.step, isMuted: isMuted && !up)
  }

  /// What samples are multiplied with. The cube comes near to how loudness is heard: half of the
  /// way sounds half as loud (18 dB less).
  package var gain: Float {
    let share = Float(percent) / 100
    return isMuted ? 0 : share * share * share
  }
}
