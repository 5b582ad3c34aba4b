import Glibc
import Synchronization
import System

/// A slow line to a server on a loopback port: all connections together get so many bytes a second,
/// as behind a modem, where a server's own limit is for each of them.
public final class SlowLine {
  public let port: UInt16
  private let thread: WorkerThread
  private let relay: Relay

  /// Starts it.
  ///
  /// - Parameters:
  ///   - server: the port that connections are handed on to.
  ///   - bytesPerSecond: what comes from there at most; the other way is not slowed down.
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

  /// Bytes that it has handed on so far of answers to requests for this path, heads and all.
  public func bytes(of path: String) -> Int { relay.handedOn.withLock { $0[path] ?? 0 } }
}

/// What the line's thread does.
private final class Relay: Sendable {
  /// How much of a connection's bytes is handed on before it is the next one's turn.
  private static let piece = 1460
  /// Little waits between the server and the line.
  private static let onTheWay: Int32 = 16 << 10
  private static let quietly = Int32(MSG_NOSIGNAL)
  private static let tick = Duration.milliseconds(5)

  private struct Pair {
    let client: Int32
    let server: Int32
    /// From the server, not taken by the client yet.
    var waiting: ArraySlice<UInt8> = []
    /// What was asked for last.
    var path = ""
    var isOver = false
  }

  let isOver = Atomic(false)
  /// Bytes from the server, by what was asked for.
  let handedOn = Mutex<[String: Int]>([:])
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
        handUp(&pairs[index])
      }
      if ready.first?.readable == true { accept(&pairs) }
      let now = Instant.now
      let rate = Double(bytesPerSecond)
      budget = min(budget + milliseconds(now - last) / 1000 * rate, rate * 0.05)
      last = now
      handDown(&pairs, &budget, &turn)
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

  /// Requests.
  private func handUp(_ pair: inout Pair) {
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

  /// Answers, a piece of each in turn, until the line is full for now.
  private func handDown(_ pairs: inout [Pair], _ budget: inout Double, _ turn: inout Int) {
    var idle = 0
    while budget > 0, idle < pairs.count {
      turn = (turn + 1) % pairs.count
      let count = pairs[turn].isOver ? 0 : handDown(&pairs[turn])
      budget -= Double(count)
      idle = count > 0 ? 0 : idle + 1
    }
  }

  private func handDown(_ pair: inout Pair) -> Int {
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
      handedOn.withLock { $0[path, default: 0] += sent }
    }
    if sent < 0, errno != EAGAIN { pair.isOver = true }
    return max(0, sent)
  }

}
