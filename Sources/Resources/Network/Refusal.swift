import System

/// What a server last said instead of giving bytes of some content.
struct Refusal {
  let error: FetchError
  /// Whether a reader has heard of it.
  var wasTold = false
  private let time: Instant

  init(_ error: FetchError, at time: Instant) {
    self.error = error
    self.time = time
  }

  /// Whether the server itself has spoken: that holds until the content is opened again.
  var isFinal: Bool { error.kind != .unreachable }

  /// Whether reads are answered with it. A server out of reach may be back after a rest; what was
  /// only fetched ahead did not tell anybody, so the next reader may try at once.
  func stands(at now: Instant) -> Bool { isFinal || (wasTold && now - time < Origins.rest) }
}

extension ResourceError {
  init(_ error: FetchError) {
    let isGone = error.kind == .refused(status: 404) || error.kind == .refused(status: 410)
    self.init(error.words, isGone: isGone)
  }
}
