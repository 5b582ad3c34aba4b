import System

/// Counts for the log of one fetch, over all its requests.
struct FetchAccount {
  let began = Instant.now
  /// When the last request was sent.
  var asked = Instant.now
  var requests = 0
  var redirects = 0
  var retries = 0
  /// Bytes of bodies, also of those that were not used.
  var bytes: UInt64 = 0
}

// Log lines of requests and answers. A fetch has the same number in them as in the cache's lines.
// No secret is logged.
extension LoaderLoop {
  func logRequest(_ fetch: Fetch, _ spec: RequestSpec) {
    fetch.account.requests += 1
    fetch.account.asked = .now
    options.log.note(
      .http,
      "\(fetch.number) \(spec.methodAndBody?.method ?? "GET") \(fetch.plan.address.logged)"
        + (spec.hasRange ? " bytes \(spec.start)-\(spec.end.map { String($0 - 1) } ?? "")" : "")
        + (spec.revalidates ? " if changed" : ""))
  }

  func logHead(_ fetch: Fetch) {
    options.log.note(
      .http, .debug, "\(fetch.number) status \(fetch.head.status) \(since(fetch.account.asked))")
  }

  /// What follows a transfer that is not the last one of its fetch.
  func logNext(_ next: FetchPlan.Next, after outcome: TransferOutcome, _ fetch: Fetch) {
    let log = options.log
    let status = fetch.head.status
    switch next {
    case .send where (300..<400).contains(status):
      fetch.account.redirects += 1
      log.note(.http, "\(fetch.number) status \(status), goes on at \(fetch.plan.address.logged)")
    case .send: log.note(.http, "\(fetch.number) status \(status), asks again")
    case .wait(let milliseconds):
      fetch.account.retries += 1
      log.note(
        .http, .warning,
        "\(fetch.number) \(status == 0 ? "no answer" : "status \(status)") (\(outcome)), "
          + "tries again in \(milliseconds) ms")
    case .login: log.note(.http, "\(fetch.number) status \(status), a login is wanted")
    case .end, .fail: break
    }
  }

  func logEnd(_ fetch: Fetch, _ event: FetchEvent) {
    guard options.log.isOn(.http) else { return }
    var (level, words) = (Log.Level.info, "")
    switch event {
    case .ended(.complete): words = "done"
    case .ended(.notModified): words = "not modified"
    case .failed(let error) where error.kind == .cancelled: words = "cancelled"
    case .failed(let error): (level, words) = (.warning, "failed (\(error.words))")
    case .head, .bytes: return
    }
    let account = fetch.account
    words += ": status \(fetch.head.status), \(account.bytes) bytes \(since(account.began))"
    if account.requests > 1 { words += ", \(account.requests) requests" }
    if account.retries > 0 { words += ", \(account.retries) retries" }
    if account.redirects > 0 { words += ", \(account.redirects) redirects" }
    options.log.note(.http, level, "\(fetch.number) \(words)")
  }

  private func since(_ moment: Instant) -> String {
    "in \((Instant.now - moment).logged)"
  }
}

extension FetchNumber: CustomStringConvertible {
  /// Its name in lines of the log.
  var description: String { "#\(value)" }
}
