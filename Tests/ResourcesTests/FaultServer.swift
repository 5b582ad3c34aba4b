import Glibc
import Support
import Synchronization
import System

/// A request as the test's server got it.
struct ServerRequest: Sendable {
  var method: String
  var target: String
  var fields: [String: String]
  var body: [UInt8] = []
  /// Which connection it came on, from 0.
  var connection: Int

  subscript(name: String) -> String? { fields[name.lowercased()] }

  /// The range asked for, with the end exclusive.
  var range: (start: UInt64, end: UInt64?)? {
    guard let value = self["range"], value.hasPrefix("bytes=") else { return nil }
    let parts = value.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let start = UInt64(parts[0]) else { return nil }
    return (start, UInt64(parts[1]).map { $0 + 1 })
  }
}

/// An answer, right or wrong.
struct ServerReply: Sendable {
  var status = 200
  var fields: [(name: String, value: String)] = []
  /// Bytes of one more field, which need be no UTF-8.
  var rawField: [UInt8] = []
  var body: [UInt8] = []
  /// Whether the length is told; otherwise the connection's end ends the body.
  var tellsLength = true
  var isChunked = false
  /// Fields after a chunked body.
  var trailers: [String] = []
  /// Sends only so many bytes of the body and closes.
  var cutsAfter: Int?
  /// Sends so many bytes of the body and then nothing more.
  var stallsAfter: Int?
  var bytesPerSecond: Int?
  /// Sends one byte, then waits so long, and so on.
  var secondsPerByte: UInt32?
  var closesWithoutAnswer = false

  subscript(name: String) -> String? {
    get { fields.first { $0.name == name }?.value }
    set {
      fields.removeAll { $0.name == name }
      if let newValue { fields.append((name, newValue)) }
    }
  }
}

/// What a test tells its server meanwhile.
final class Flag: Sendable {
  private let value = Mutex(false)

  var isSet: Bool {
    get { value.withLock { $0 } }
    set { value.withLock { $0 = newValue } }
  }
}

/// An HTTP server on a loopback port that answers whatever a test says.
final class FaultServer: Sendable {
  typealias Handler = @Sendable (ServerRequest) -> ServerReply

  private struct State: Sendable {
    var requests: [ServerRequest] = []
    var sockets: Set<Int32> = []
    var connections = 0
    var isClosed = false
    var bodyBytes = 0
    var mostOpen = 0
  }

  let port: UInt16
  private let listener: Int32
  private let state = Mutex(State())
  private let handler: Handler

  init(_ handler: @escaping Handler) throws {
    self.handler = handler
    let opened = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    _ = fcntl(opened, F_SETFD, FD_CLOEXEC)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
        bind(opened, raw, length) == 0 && listen(opened, 64) == 0
          && getsockname(opened, raw, &length) == 0
      }
    }
    guard bound else { throw SupportError("cannot listen on loopback") }
    listener = opened
    port = UInt16(bigEndian: address.sin_port)
    _ = try WorkerThread { [self] in accept() }
  }

  var url: String { "http://127.0.0.1:\(port)" }
  var requests: [ServerRequest] { state.withLock { $0.requests } }
  /// Bytes of bodies that were sent.
  var bodyBytes: Int { state.withLock { $0.bodyBytes } }
  var openConnections: Int { state.withLock { $0.sockets.count } }
  /// The most connections that were open at one time.
  var mostOpen: Int { state.withLock { $0.mostOpen } }

  /// Ends all connections and takes no more.
  func close() {
    state.withLock { state in
      guard !state.isClosed else { return }
      state.isClosed = true
      shutdown(listener, Int32(SHUT_RDWR))
      for socket in state.sockets { shutdown(socket, Int32(SHUT_RDWR)) }
    }
  }

  private func accept() {
    signal(SIGPIPE, SIG_IGN)
    while true {
      let socket = Glibc.accept(listener, nil, nil)
      guard socket >= 0 else { break }
      _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
      // What waits to be sent was not fetched by anybody.
      var size: Int32 = 64 << 10
      setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &size, 4)
      let number = state.withLock { state -> Int? in
        guard !state.isClosed else { return nil }
        state.sockets.insert(socket)
        state.mostOpen = max(state.mostOpen, state.sockets.count)
        defer { state.connections += 1 }
        return state.connections
      }
      guard let number, (try? WorkerThread { [self] in serve(socket, number) }) != nil else {
        Glibc.close(socket)
        break
      }
    }
    Glibc.close(listener)
  }

  private func serve(_ socket: Int32, _ connection: Int) {
    var buffer: [UInt8] = []
    while let request = read(socket, connection, &buffer) {
      state.withLock { $0.requests.append(request) }
      let reply = handler(request)
      if reply.closesWithoutAnswer || !send(reply, socket) { break }
    }
    state.withLock { _ = $0.sockets.remove(socket) }
    Glibc.close(socket)
  }

  private func read(
    _ socket: Int32, _ connection: Int, _ buffer: inout [UInt8]
  ) -> ServerRequest? {
    while true {
      let text = String(decoding: buffer, as: UTF8.self)
      if let end = text.firstRange(of: "\r\n\r\n") {
        let used = text.utf8.distance(from: text.startIndex, to: end.upperBound)
        buffer.removeFirst(used)
        let lines = text[..<end.lowerBound].split(separator: "\r\n")
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
          guard let colon = line.firstIndex(of: ":") else { continue }
          let value = line[line.index(after: colon)...].drop { $0 == " " }
          fields[line[..<colon].lowercased()] = String(value)
        }
        let words = lines.first?.split(separator: " ") ?? []
        let length = fields["content-length"].flatMap { Int($0) } ?? 0
        while buffer.count < length, receive(socket, &buffer) {}
        let body = Array(buffer.prefix(length))
        buffer.removeFirst(body.count)
        return ServerRequest(
          method: words.first.map(String.init) ?? "",
          target: words.count > 1 ? String(words[1]) : "", fields: fields, body: body,
          connection: connection)
      }
      guard receive(socket, &buffer) else { return nil }
    }
  }

  /// Adds what comes; false at the end of the connection.
  private func receive(_ socket: Int32, _ buffer: inout [UInt8]) -> Bool {
    var piece = [UInt8](repeating: 0, count: 16_384)
    let count = recv(socket, &piece, piece.count, 0)
    guard count > 0 else { return false }
    buffer += piece[..<count]
    return true
  }

  /// Whether the connection may be used again.
  private func send(_ reply: ServerReply, _ socket: Int32) -> Bool {
    var head = "HTTP/1.1 \(reply.status) Said\r\n"
    for field in reply.fields { head += "\(field.name): \(field.value)\r\n" }
    if reply.isChunked {
      head += "Transfer-Encoding: chunked\r\n"
    } else if reply.tellsLength, reply["Content-Length"] == nil, reply.status != 304 {
      head += "Content-Length: \(reply.body.count)\r\n"
    }
    let raw = reply.rawField.isEmpty ? [] : reply.rawField + [13, 10]
    guard write((Array(head.utf8) + raw + [13, 10])[...], socket) else { return false }
    if reply.status == 304 { return true }
    let limit = min(reply.cutsAfter ?? .max, reply.stallsAfter ?? .max, reply.body.count)
    let step =
      reply.secondsPerByte != nil ? 1 : reply.bytesPerSecond.map { max(1, $0 / 20) } ?? 65_536
    var position = 0
    while position < limit {
      let piece = reply.body[position..<min(limit, position + step)]
      if reply.isChunked, !write(Array("\(String(piece.count, radix: 16))\r\n".utf8)[...], socket) {
        return false
      }
      if isGone(socket) { return false }
      // Counted first: who gets the last byte may look at once.
      state.withLock { $0.bodyBytes += piece.count }
      guard write(piece, socket) else {
        state.withLock { $0.bodyBytes -= piece.count }
        return false
      }
      if reply.isChunked, !write([13, 10], socket) { return false }
      position += piece.count
      if reply.bytesPerSecond != nil { usleep(50_000) }
      if let seconds = reply.secondsPerByte { sleep(seconds) }
    }
    if reply.stallsAfter != nil {
      // Until the other side gives up or the server closes.
      var byte: UInt8 = 0
      _ = recv(socket, &byte, 1, 0)
      return false
    }
    if reply.cutsAfter != nil { return false }
    if reply.isChunked {
      let trailers = reply.trailers.map { $0 + "\r\n" }.joined()
      return write(Array("0\r\n\(trailers)\r\n".utf8)[...], socket)
    }
    return reply.tellsLength
  }

  /// Whether the other side has closed the connection: what is sent then is not received.
  private func isGone(_ socket: Int32) -> Bool {
    var byte: UInt8 = 0
    let count = recv(socket, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
    return count == 0 || (count < 0 && errno != EAGAIN)
  }

  private func write(_ bytes: ArraySlice<UInt8>, _ socket: Int32) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}

/// One file on a server that does all right, for tests to spoil.
struct ServedFile: Sendable {
  var bytes: [UInt8]
  var tag: String? = "\"v1\""
  var modified: String?
  var type = "video/mp4"
  var cacheControl: String?

  init(_ bytes: [UInt8], tag: String? = "\"v1\"") {
    self.bytes = bytes
    self.tag = tag
  }

  func reply(to request: ServerRequest) -> ServerReply {
    var reply = ServerReply()
    reply["Content-Type"] = type
    reply["ETag"] = tag
    reply["Last-Modified"] = modified
    reply["Cache-Control"] = cacheControl
    reply["Date"] = "Mon, 02 Feb 2026 10:00:00 GMT"
    if let match = request["If-Match"], match != tag {
      reply.status = 412
      return reply
    }
    if let date = request["If-Unmodified-Since"], date != modified {
      reply.status = 412
      return reply
    }
    if let none = request["If-None-Match"], none == tag {
      reply.status = 304
      return reply
    }
    guard let range = request.range else {
      reply.body = bytes
      return reply
    }
    let total = UInt64(bytes.count)
    guard range.start < total else {
      reply.status = 416
      reply["Content-Range"] = "bytes */\(total)"
      return reply
    }
    let end = min(range.end ?? total, total)
    reply.status = 206
    reply["Content-Range"] = "bytes \(range.start)-\(end - 1)/\(total)"
    reply.body = Array(bytes[Int(range.start)..<Int(end)])
    return reply
  }
}
