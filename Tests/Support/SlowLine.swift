import Glibc
import Synchronization
import System

/// A slow line to a server on a loopback port. All connections together get so many bytes a second,
/// as behind a modem, whereas a server's own limit applies to each of them.
public final class SlowLine {
  public let port: UInt16
  private let thread: WorkerThread
  private let relay: Relay

  /// Starts it.
  ///
  /// - Parameters:
  ///   - server: the port that connections are forwarded to.
  ///   - bytesPerSecond: the limit on bytes from the server; the other direction is not slowed
  ///     down.
  public init(to server: UInt16, bytesPerSecond: Int) throws {
    port = try freePort()
    let relay = try Relay(port: port, server: server, bytesPerSecond: bytesPerSecond)
    self.relay = relay
    thread = try WorkerThread { relay.run() }
  }

  deinit {
    relay.isOver.store(true, ordering: .relaxed)
    thread.join()
  }

  public var url: String { "http://127.0.0.1:\(port)" }

  /// How many bytes of answers to requests for this path were forwarded so far, including the
  /// heads.
  public func bytes(of path: String) -> Int { relay.forwarded.withLock { $0[path] ?? 0 } }
}

/// The work of the line's thread.
private final class Relay: Sendable {
  /// How many bytes of a connection are forwarded before it is the next one's turn.
  private static let piece = 1460
  /// The buffers between the server and the line are small.
  private static let onTheWay: Int32 = 16 << 10
  private static let quietly = Int32(MSG_NOSIGNAL)
  private static let tick = Duration.milliseconds(5)

  private struct Pair {
    let client: Int32
    let server: Int32
    /// Bytes from the server that the client has not accepted yet.
    var waiting: ArraySlice<UInt8> = []
    /// The path of the last request.
    var path = ""
    var isOver = false
  }

  let isOver = Atomic(false)
  /// Forwarded bytes from the server, by the path of the request.
  let forwarded = Mutex<[String: Int]>([:])
  private let listener: Int32
  private let server: UInt16
  private let bytesPerSecond: Int

  init(port: UInt16, server: UInt16, bytesPerSecond: Int) throws {
    self.server = server
    self.bytesPerSecond = bytesPerSecond
    listener = try listen(on: port)
  }

  deinit { close(listener) }

  func run() {
    var pairs: [Pair] = []
    var budget = 0.0
    var turn = 0
    var last = Instant.now
    while !isOver.load(ordering: .relaxed) {
      var interests = [Interest(listener)]
      for pair in pairs { interests.append(Interest(pair.client)) }
      let ready = (try? awaitReadiness(of: interests, until: .now + Relay.tick)) ?? []
      for (index, readiness) in ready.dropFirst().enumerated() where readiness.readable {
        forwardRequest(&pairs[index])
      }
      if ready.first?.readable == true { accept(&pairs) }
      let now = Instant.now
      let rate = Double(bytesPerSecond)
      budget = min(budget + milliseconds(now - last) / 1000 * rate, rate * 0.05)
      last = now
      forwardAnswers(&pairs, &budget, &turn)
      for pair in pairs where pair.isOver {
        close(pair.client)
        close(pair.server)
      }
      pairs.removeAll(where: \.isOver)
    }
    for pair in pairs {
      close(pair.client)
      close(pair.server)
    }
  }

  private func accept(_ pairs: inout [Pair]) {
    let client = Glibc.accept(listener, nil, nil)
    guard client >= 0 else { return }
    _ = fcntl(client, F_SETFD, FD_CLOEXEC)
    guard let server = connect(to: server, waiting: Relay.onTheWay) else {
      close(client)
      return
    }
    var size = Relay.onTheWay
    setsockopt(client, SOL_SOCKET, SO_SNDBUF, &size, 4)
    pairs.append(Pair(client: client, server: server))
  }

  /// Forwards requests.
  private func forwardRequest(_ pair: inout Pair) {
    var bytes = [UInt8](repeating: 0, count: 16 << 10)
    let count = recv(pair.client, &bytes, bytes.count, Int32(MSG_DONTWAIT))
    guard count > 0, send(pair.server, bytes, count, Relay.quietly) == count else {
      pair.isOver = true
      return
    }
    let words = bytes[..<count].split(separator: 32, maxSplits: 2)
    if bytes.starts(with: "GET ".utf8), words.count == 3 {
      pair.path = String(decoding: words[1], as: UTF8.self)
    }
  }

  /// Forwards answers, a piece of each in turn, until the line is full for now.
  private func forwardAnswers(_ pairs: inout [Pair], _ budget: inout Double, _ turn: inout Int) {
    var idle = 0
    while budget > 0, idle < pairs.count {
      turn = (turn + 1) % pairs.count
      let count = pairs[turn].isOver ? 0 : forwardAnswers(&pairs[turn])
      budget -= Double(count)
      idle = count > 0 ? 0 : idle + 1
    }
  }

  private func forwardAnswers(_ pair: inout Pair) -> Int {
    let now = Int32(MSG_DONTWAIT)
    if pair.waiting.isEmpty {
      var bytes = [UInt8](repeating: 0, count: Relay.piece)
      let count = recv(pair.server, &bytes, bytes.count, now)
      if count > 0 { pair.waiting = bytes[..<count] }
      if count == 0 { pair.isOver = true }
    }
    guard !pair.waiting.isEmpty else { return 0 }
    let sent = pair.waiting.withUnsafeBytes {
      Glibc.send(pair.client, $0.baseAddress, $0.count, now | Relay.quietly)
    }
    if sent > 0 {
      pair.waiting = pair.waiting.dropFirst(sent)
      let path = pair.path
      forwarded.withLock { $0[path, default: 0] += sent }
    }
    if sent < 0, errno != EAGAIN { pair.isOver = true }
    return max(0, sent)
  }

}
