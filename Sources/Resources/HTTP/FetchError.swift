/// Why a fetch failed, in words that hold no secret and follow "cannot play NAME: ".
struct FetchError: Error, Equatable, Sendable {
  enum Kind: Equatable, Sendable {
    /// The server cannot be reached or does not work: stored bytes may be shown instead.
    case unreachable
    case refused(status: Int)
    case wantsLogin
    case badAnswer
    /// The server has other bytes now.
    case changed
    /// Nobody wants it any more.
    case cancelled
  }

  var kind: Kind
  var words: String

  static func badAnswer(_ words: String) -> FetchError {
    FetchError(kind: .badAnswer, words: words)
  }
  static func unreachable(_ words: String) -> FetchError {
    FetchError(kind: .unreachable, words: words)
  }
  static func refused(_ status: Int, _ words: String) -> FetchError {
    FetchError(kind: .refused(status: status), words: words)
  }
}
