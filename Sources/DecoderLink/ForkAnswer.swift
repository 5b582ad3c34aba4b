/// What is asked of the decoders' parent: the byte that comes with the socket of a new decoder.
public enum ForkRequest: UInt8, Sendable {
  /// A story waits for it.
  case now = 110
  /// It is for a later story: all that takes time is done first.
  case ahead = 97
}

/// What becomes of a request to fork a decoder: eight bytes, little-endian. The new process says itself
/// that it lives, so that once nobody can answer any more, all that live have answered.
public struct ForkAnswer: Equatable, Sendable {
  /// The number of the request, counted from 0 by both sides.
  public var request: UInt32
  public var outcome: Outcome

  public enum Outcome: Equatable, Sendable {
    /// The number of the new process, a child of the player.
    case forked(Int32)
    /// It could not be forked, with the value of errno.
    case failed(Int32)
  }

  /// The length of an answer in bytes.
  public static let length = 8

  public init(request: UInt32, _ outcome: Outcome) {
    self.request = request
    self.outcome = outcome
  }

  public var bytes: [UInt8] {
    let number =
      switch outcome {
      case .forked(let process): process
      case .failed(let code): -code
      }
    return [request, UInt32(bitPattern: number)].flatMap { word in
      (0..<4).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
    }
  }

  /// Reads the first bytes; nil where there are too few.
  public init?(_ bytes: ArraySlice<UInt8>) {
    guard bytes.count >= ForkAnswer.length else { return nil }
    func word(_ bytes: ArraySlice<UInt8>) -> UInt32 {
      bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
    request = word(bytes.prefix(4))
    let number = Int32(bitPattern: word(bytes.dropFirst(4).prefix(4)))
    outcome = number > 0 ? .forked(number) : .failed(0 &- number)
  }
}

/// What decoders may use.
public enum DecoderLimits {
  /// The processor time of a new decoder in seconds, before its player raises that.
  public static let processorSeconds: UInt64 = 20
}
