/// How far the terminal may be off while pictures move: as little as it takes in the time that each has.
///
/// On a slow line the tolerance rises first; and the higher it is, the more time a picture may take, so
/// that of a line for which there are too many, fewer are shown, which can still be recognised.
struct Coarseness: Equatable {
  /// Differences of colour that are not rewritten, of 255.
  static let tolerances = 2...24
  /// The time for a picture at the highest tolerance.
  private static let longest = Duration.milliseconds(80)
  private static let usualInterval = Duration.milliseconds(33)
  private static let intervals = Duration.milliseconds(8)...Duration.milliseconds(60)
  /// The largest step up after one frame.
  private static let largestStep = 4

  /// What a frame may leave as it is at present.
  private(set) var tolerance = Coarseness.tolerances.lowerBound
  private var interval = Coarseness.usualInterval
  /// How long frames took lately. What lies between may take some of them at once, and then none.
  private var usual = Duration.zero

  /// How long a picture stays before the next one; nil where that is not known.
  mutating func setInterval(_ time: Duration?) {
    let (least, most) = (Coarseness.intervals.lowerBound, Coarseness.intervals.upperBound)
    interval = time.map { min(max($0, least), most) } ?? Coarseness.usualInterval
  }

  /// The time that a frame may be on its way: a quarter less than the next one leaves, as frames differ,
  /// and more the coarser it is.
  var allowed: Duration {
    let range = Coarseness.tolerances
    let share = Double(tolerance - range.lowerBound) / Double(range.count - 1)
    let present = interval * 0.75
    return present + (Coarseness.longest - present) * share
  }

  /// The terminal has taken a whole frame.
  mutating func frameTook(_ time: Duration) {
    // One stop of the terminal is soon forgotten.
    usual += (min(time, allowed * 6) - usual) * 0.25
    let ratio = usual / allowed
    if ratio > 1 {
      raise(by: min(Coarseness.largestStep, 1 + Int(4 * (ratio - 1))))
    } else if ratio < 0.6 {
      tolerance = max(Coarseness.tolerances.lowerBound, tolerance - 1)
    }
  }

  /// A frame is still on its way after some time.
  mutating func frameTakes(_ time: Duration) {
    if time > max(.milliseconds(50), allowed) { raise(by: 1) }
  }

  private mutating func raise(by step: Int) {
    tolerance = min(Coarseness.tolerances.upperBound, tolerance + step)
  }
}
