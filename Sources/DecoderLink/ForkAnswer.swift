/// What a decoder that forks others answers to each request: four bytes, little-endian.
public enum ForkAnswer: Equatable, Sendable {
  /// The number of the new process, a child of the player.
  case forked(Int32)
  /// It could not fork, with the value of errno.
  case failed(Int32)

  /// The length of an answer in bytes.
  public static let length = 4
  /// How much processor time a forked decoder may use, in seconds, before its player raises that.
  public static let processorSeconds: UInt64 = 20

  public var bytes: [UInt8] {
    let number =
      switch self {
      case .forked(let process): process
      case .failed(let code): -code
      }
    return (0..<ForkAnswer.length).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }

  /// Reads the first four bytes; nil where there are fewer.
  public init?(_ bytes: ArraySlice<UInt8>) {
    guard bytes.count >= ForkAnswer.length else { return nil }
    let number = bytes.prefix(ForkAnswer.length).reversed().reduce(0) { $0 << 8 | Int32($1) }
    self = number > 0 ? .forked(number) : .failed(number == 0 ? 0 : 0 &- number)
  }
}
