import System

/// The last error of a server that did not give bytes of a content.
struct Refusal {
  let error: FetchError
  /// Whether a reader was given the error.
  var wasGiven = false
  private let time: Instant

  init(_ error: FetchError, at time: Instant) {
    self.error = error
    self.time = time
  }

  /// Whether the server itself refused: that holds until the content is opened again.
  var isFinal: Bool { error.kind != .unreachable }

  /// Whether reads are answered with it. A server out of reach may be back after a rest. If only a
  /// fetch ahead failed, no reader knows, so the next reader may try at once.
  func stands(at now: Instant) -> Bool { isFinal || (wasGiven && now - time < Origins.rest) }
}

extension ResourceError {
  init(_ error: FetchError) {
    let isGone = error.kind == .refused(status: 404) || error.kind == .refused(status: 410)
    self.init(error.words, isGone: isGone)
  }
}
