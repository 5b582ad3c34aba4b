import Feeds
import Glibc
import Resources
import Stories
import System

/// Reads what feeds and lists on the web hold, and waits for it: before the stories begin.
public struct WebReader: WebAccess {
  private let network: Network
  /// Told what is waited for, at most ten times a second; nil when the waiting is over.
  private let waiting: (String?) -> Void

  public init(_ network: Network, waiting: @escaping (String?) -> Void = { _ in }) {
    self.network = network
    self.waiting = waiting
  }

  public func head(of url: String, count: Int) throws(WebFailure) -> [UInt8] {
    try read(url, count: count)
  }

  public func whole(of url: String, most: Int) throws(WebFailure) -> [UInt8] {
    let bytes = try read(url, count: most + 1)
    guard bytes.count <= most else { throw WebFailure("it is larger than \(most >> 20) MiB") }
    return bytes
  }

  private func read(_ url: String, count: Int) throws(WebFailure) -> [UInt8] {
    var answer: Result<[UInt8], ResourceError>?
    do {
      // A feed says what is new: its server is asked each time.
      let resource = try network.open(url, freshSeconds: 0)
      resource.read(offset: 0, length: count) { answer = $0 }
      let began = Instant.now
      var said = false
      while answer == nil {
        let ready = try awaitReadiness(
          of: [Interest(network.descriptor)], until: .now + .milliseconds(100))
        if ready[0].readable { network.deliver() }
        if answer == nil, .now - began > View.loadingPatience {
          waiting(Words.waiting(for: Story.Source.url(url).visible.lastPart, resource.progress))
          said = true
        }
      }
      if said { waiting(nil) }
      resource.cancel()
    } catch let error as SystemError {
      throw WebFailure(error.reason)
    } catch let error as ResourceError {
      throw WebFailure(error.reason)
    } catch {
      throw WebFailure("\(error)")
    }
    switch answer {
    case .success(let bytes): return bytes
    case .failure(let error): throw WebFailure(error.reason)
    case nil: throw WebFailure("it does not answer")
    }
  }
}
