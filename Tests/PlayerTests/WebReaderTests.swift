import Feeds
import Glibc
import Resources
import Support
import System
import Testing

@testable import Player

/// What one source needs is waited for so long in all, not so long each time.
@Suite struct WebReaderTests {
  /// A port whose queue takes connections, and where nobody ever answers.
  private final class Silence {
    let port: UInt16
    private let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)

    init() throws {
      port = try freePort()
      var address = loopback(port: port)
      let code = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      guard code == 0, listen(number, 64) == 0 else { throw SupportError("no port is free") }
    }

    deinit { Glibc.close(number) }
  }

  private func failure(_ web: WebReader, _ url: String) -> String? {
    do throws(WebFailure) {
      _ = try web.head(of: url, count: 100)
      return nil
    } catch {
      return error.reason
    }
  }

  @Test func waiting_endsWithAReason_andIsCountedForTheWholeSource() throws {
    let silence = try Silence()
    var options = NetworkOptions(cacheDirectory: nil)
    options.usesProxies = false
    let network = try Network(options)
    defer { network.close() }
    var said: [String?] = []
    let web = WebReader(network, patience: .seconds(2)) { said.append($0) }
    let url = "http://127.0.0.1:\(silence.port)/feed.json"
    let reason = "it took more than 2 s altogether"
    let start = Instant.now
    #expect(failure(web, url) == reason)
    #expect(.now - start >= .seconds(2))
    // The line that says so is taken away again.
    #expect(said.count >= 2 && said.first != .some(nil) && said.last == .some(nil))
    // Nothing is left for the next file of the same source.
    let second = Instant.now
    #expect(failure(web, url) == reason)
    #expect(failure(web, url) == reason)
    #expect(.now - second < .seconds(1))
    // Another source has a patience of its own.
    web.beginSource()
    let third = Instant.now
    #expect(failure(web, url) == reason)
    #expect(.now - third >= .seconds(2))
  }
}
