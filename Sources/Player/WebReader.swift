import Feeds
import Glibc
import Resources
import Stories
import System

/// Reads what feeds and lists on the web hold, and waits for it: before the stories begin.
public struct WebReader: WebAccess {
  private let network: Network
  /// Called with what is waited for, at most ten times a second; nil when the waiting is over.
  private let waiting: (String?) -> Void
  private let patience: Patience

  /// How long is still waited for what a source needs.
  private final class Patience {
    let whole: Duration
    var left: Duration

    init(_ whole: Duration) { (self.whole, left) = (whole, whole) }
  }

  /// - Parameter patience: how long is waited for what one source needs, in all.
  public init(
    _ network: Network, patience: Duration = .seconds(300),
    waiting: @escaping (String?) -> Void = { _ in }
  ) {
    self.network = network
    self.waiting = waiting
    self.patience = Patience(patience)
  }

  public func head(of url: String, count: Int) throws(WebFailure) -> WebBytes {
    try read(url, count: count)
  }

  public func whole(of url: String, most: Int) throws(WebFailure) -> WebBytes {
    let text = try read(url, count: most + 1)
    guard text.bytes.count <= most else { throw WebFailure("it is larger than \(most >> 20) MiB") }
    return text
  }

  public func address(short source: String) throws(WebFailure) -> String? {
    do throws(ResourceError) {
      return try network.address(short: source)
    } catch {
      throw WebFailure(error.reason)
    }
  }

  public func beginSource() { patience.left = patience.whole }

  public func isFolder(_ url: String) -> Bool { network.isCollection(url) }

  public func listings(
    of urls: [String], namedBy folder: String?
  ) -> [Result<WebBytes, WebFailure>] {
    var answers = urls.map { _ in Result<WebBytes, WebFailure>.failure(.silence) }
    var missing = urls.count
    for (index, url) in urls.enumerated() {
      network.list(collection: url, namedBy: folder) { answer in
        answers[index] = answer.map { WebBytes($0.bytes, address: $0.address) }
          .mapError { WebFailure($0.reason) }
        missing -= 1
      }
    }
    let name = Story.Source.url(urls.first ?? "").visible.lastPart
    do throws(WebFailure) {
      try wait(while: { missing > 0 }, saying: { name })
    } catch {
      return urls.map { _ in .failure(error) }
    }
    return answers
  }

  private func read(_ url: String, count: Int) throws(WebFailure) -> WebBytes {
    var answer: Result<[UInt8], ResourceError>?
    let resource: CachedResource
    do {
      // The server is asked each time, as a feed changes.
      resource = try network.open(url, freshSeconds: 0)
    } catch {
      throw WebFailure(error.reason)
    }
    resource.read(offset: 0, length: count) { answer = $0 }
    try wait(
      while: { answer == nil },
      saying: { Format.waiting(for: Story.Source.url(url).visible.lastPart, resource.progress) })
    resource.cancel()
    switch answer {
    case .success(let bytes):
      return WebBytes(bytes, address: resource.answeredAt ?? url, charset: resource.charset)
    case .failure(let error): throw WebFailure(error.reason)
    case nil: throw .silence
    }
  }

  private func wait(while condition: () -> Bool, saying words: () -> String) throws(WebFailure) {
    let began = Instant.now
    var said = false
    defer { patience.left -= .now - began }
    while condition() {
      guard .now - began < patience.left else {
        if said { waiting(nil) }
        throw WebFailure(
          "it took more than \(patience.whole.components.seconds) s altogether")
      }
      do {
        let ready = try awaitReadiness(
          of: [Interest(network.descriptor)], until: .now + .milliseconds(100))
        if ready[0].readable { network.deliver() }
      } catch {
        throw WebFailure(error.reason)
      }
      if condition(), .now - began > View.loadingPatience {
        waiting(words())
        said = true
      }
    }
    if said { waiting(nil) }
  }
}

extension WebFailure {
  fileprivate static let silence = WebFailure("it does not answer")
}
