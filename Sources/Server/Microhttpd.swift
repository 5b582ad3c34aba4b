import CMicrohttpd
import Glibc
import Synchronization
import System

/// Bytes in memory that many answers share.
///
/// Unchecked: the memory is written before `init` returns and never again.
final class SharedBytes: @unchecked Sendable {
  let count: Int
  fileprivate let start: UnsafeMutableRawPointer

  init(_ bytes: [UInt8]) {
    count = bytes.count
    // Owned by this object, never of length 0.
    start = UnsafeMutableRawPointer.allocate(byteCount: max(1, bytes.count), alignment: 1)
    bytes.withUnsafeBytes { source in
      if let base = source.baseAddress { start.copyMemory(from: base, byteCount: source.count) }
    }
  }

  deinit { start.deallocate() }
}

/// A request, as soon as its head has come.
struct Request {
  var method: String
  /// As it is in the request line.
  var target: String
  /// Header fields by their names in lower case; those of the same name are joined by ", ".
  var fields: [String: String] = [:]
  /// No further request is accepted on this connection.
  var isLast = false

  /// Whether the request has a body (RFC 9112, section 6.3).
  var hasBody: Bool {
    if fields["transfer-encoding"] != nil { return true }
    guard let length = fields["content-length"] else { return false }
    return !length.utf8.allSatisfy { $0 == UInt8(ascii: "0") }
  }
}

/// The answer to a request.
struct Answer: ~Copyable {
  enum Body: ~Copyable {
    case none
    case bytes(SharedBytes, Range<Int>)
    /// A part of a regular file.
    case file(Descriptor, offset: UInt64, count: UInt64)
  }

  var status: Int
  var fields: [(name: String, value: String)] = []
  var body = Body.none
}

/// One line of an access log.
struct Access: Sendable {
  var client: String
  /// Seconds since 1970.
  var time: Int64
  /// Empty where no readable head came.
  var method: String
  var target: String
  var version: String
  /// Nil where the library refused the request by itself.
  var status: Int?
  /// Bytes of the body; nil where there is none, or the client left before its end.
  var bytes: UInt64?
}

/// libmicrohttpd is missing or does not start.
struct MicrohttpdError: Error, Equatable {
  let reason: String
}

/// An HTTP server on its own threads, by libmicrohttpd.
///
/// Unchecked: `calls`, `limits` and `library` never change; the daemon's functions may be called
/// from any thread; `clients` and `isEnding` are guarded; `daemon` belongs to the owner's thread.
final class Microhttpd: @unchecked Sendable {
  struct Limits {
    var connections = 512
    var connectionsPerAddress = 256
    /// Memory for a request's head and the answer's.
    var headBytes = 16 << 10
    /// How long a connection may be idle, and how long a whole head may take to come.
    var patience = Duration.seconds(30)
    var threads = 2
  }

  /// What the server calls, on its threads, several at once.
  struct Calls: Sendable {
    var answer: @Sendable (Request) -> Answer
    /// Called when sending a part of a file begins.
    var began: @Sendable () -> Void = {}
    /// Called after each answer, and after a request that never got one.
    var ended: @Sendable (Access) -> Void
  }

  /// A connection; `waitingSince` is nil while it is answered.
  private struct Client {
    let socket: Int32
    var waitingSince: Instant?
    var file: SentFile?
  }

  /// A file that is being sent, up to a position.
  private final class SentFile: Sendable {
    private let descriptor: Descriptor
    private let end: UInt64

    /// Nil where no more files can be open.
    init?(_ file: borrowing Descriptor, end: UInt64) {
      let number = fcntl(file.number, F_DUPFD_CLOEXEC, 0)
      guard number >= 0 else { return nil }
      descriptor = Descriptor(adopting: number)
      self.end = end
    }

    /// Whether the file now ends before that position.
    var isShortened: Bool {
      guard let status = try? FileStatus(of: descriptor) else { return false }
      return UInt64(clamping: status.sizeBytes) < end
    }
  }

  /// A request in progress; created when its first line has come.
  private final class Exchange {
    var access: Access
    /// Whether its head has come, so that it is known whether a body follows.
    var isAsked = false
    init(_ access: Access) { self.access = access }
  }

  private let library: mh_library
  private let calls: Calls
  private let limits: Limits
  private let clients = Mutex<[Int: Client]>([:])
  private let isEnding = Atomic<Bool>(false)
  /// Set once, in `start`.
  private var daemon: OpaquePointer?

  /// Loads the library.
  init(limits: Limits = Limits(), calls: Calls) throws(MicrohttpdError) {
    var library = mh_library()
    if let reason = mh_load(&library) {
      throw MicrohttpdError(reason: String(cString: reason))
    }
    self.library = library
    self.limits = limits
    self.calls = calls
  }

  /// Begins to accept connections.
  func start(on socket: consuming ListeningSocket) throws(MicrohttpdError) {
    // The callbacks come only between here and the end of `stop`, which the owner of this object
    // calls before releasing it.
    var callbacks = mh_callbacks()
    callbacks.context = Unmanaged.passUnretained(self).toOpaque()
    callbacks.began = { context, target, connection in
      guard let context, let target, let connection else { return nil }
      return Microhttpd.at(context).begin(String(cString: target), connection)
    }
    callbacks.asked = { context, connection, _, method, version, _, uploaded, exchange in
      guard let context, let connection, let method, let version, let raw = exchange?.pointee
      else { return .NO }
      // Bytes of a refused body may still come for a while: all are counted as read.
      uploaded?.pointee = 0
      return Microhttpd.at(context).ask(
        connection, Unmanaged<Exchange>.fromOpaque(raw).takeUnretainedValue(),
        method: String(cString: method), version: String(cString: version))
    }
    callbacks.completed = { context, connection, exchange, code in
      guard let context, let connection, let raw = exchange?.pointee else { return }
      exchange?.pointee = nil
      // The reference that `begin` retained.
      let ended = Unmanaged<Exchange>.fromOpaque(raw).takeRetainedValue()
      Microhttpd.at(context).complete(
        connection, ended, isWhole: code == .REQUEST_TERMINATED_COMPLETED_OK)
    }
    callbacks.connection = { context, connection, _, code in
      guard let context, let connection else { return }
      Microhttpd.at(context).note(connection, isOpen: code == .CONNECTION_NOTIFY_STARTED)
    }
    let idle = max(1, limits.patience.components.seconds)
    let taken = mh_limits(
      connections: UInt32(limits.connections),
      connections_per_address: UInt32(limits.connectionsPerAddress), idle_seconds: UInt32(idle),
      threads: UInt32(limits.threads), head_bytes: limits.headBytes)
    let number = socket.release()
    daemon = withUnsafePointer(to: library) { mh_start($0, number, taken, callbacks) }
    guard daemon != nil else {
      close(number)
      throw MicrohttpdError(reason: "the HTTP server does not start")
    }
  }

  /// Accepts no more connections, and announces to clients that their next answer is the last.
  func stopAccepting() {
    guard let daemon, !isEnding.exchange(true, ordering: .relaxed) else { return }
    let socket = library.MHD_quiesce_daemon(daemon)
    if socket >= 0 { close(socket) }
  }

  /// The number of requests that are being answered.
  var answering: Int {
    clients.withLock { $0.values.count { $0.waitingSince == nil } }
  }

  /// Closes connections whose client takes too long to send a whole head.
  func closeSlow(now: Instant) {
    clients.withLock { clients in
      for client in clients.values {
        // The socket is open while it is in the table: `note` removes it before it is closed.
        if let since = client.waitingSince, now - since > limits.patience {
          shutdown(client.socket, Int32(SHUT_RDWR))
        }
      }
    }
  }

  /// Whether `closeShortened` has anything to check.
  var isSendingFiles: Bool {
    clients.withLock { $0.values.contains { $0.file != nil } }
  }

  /// Closes connections whose file has become shorter than announced: the library would wait for
  /// the rest as long as for a slow client.
  func closeShortened() {
    clients.withLock { clients in
      for client in clients.values where client.file?.isShortened == true {
        shutdown(client.socket, Int32(SHUT_RDWR))
      }
    }
  }

  /// Ends all connections and threads.
  func stop() {
    guard let daemon else { return }
    stopAccepting()
    library.MHD_stop_daemon(daemon)
    self.daemon = nil
  }

  private static func at(_ context: UnsafeMutableRawPointer) -> Microhttpd {
    Unmanaged<Microhttpd>.fromOpaque(context).takeUnretainedValue()
  }

  // MARK: On the daemon's threads

  private func note(_ connection: OpaquePointer, isOpen: Bool) {
    let socket = withUnsafePointer(to: library) { mh_socket($0, connection) }
    let key = Int(bitPattern: connection)
    clients.withLock { $0[key] = isOpen ? Client(socket: socket, waitingSince: .now) : nil }
  }

  private func begin(_ target: String, _ connection: OpaquePointer) -> UnsafeMutableRawPointer {
    let access = Access(
      client: address(of: connection), time: WallClock.seconds, method: "", target: target,
      version: "")
    return Unmanaged.passRetained(Exchange(access)).toOpaque()
  }

  private func ask(
    _ connection: OpaquePointer, _ exchange: Exchange, method: String, version: String
  ) -> MHD_Result {
    // Called again for each piece of a body, all of which is discarded.
    guard exchange.access.status == nil else { return .YES }
    let request = Request(
      method: method, target: exchange.access.target, fields: fields(of: connection),
      isLast: isEnding.load(ordering: .relaxed))
    // If the first call, before any body, is answered, the library closes the connection
    // afterwards. That is right for requests with a body. For all others a second call follows at
    // once.
    guard exchange.isAsked || request.hasBody else {
      exchange.isAsked = true
      return .YES
    }
    let key = Int(bitPattern: connection)
    clients.withLock { $0[key]?.waitingSince = nil }
    let answer = calls.answer(request)
    exchange.access.method = method
    exchange.access.version = version
    exchange.access.status = answer.status
    return queue(answer, on: connection, bytes: &exchange.access.bytes)
  }

  private func queue(
    _ answer: consuming Answer, on connection: OpaquePointer, bytes: inout UInt64?
  ) -> MHD_Result {
    let status = UInt32(answer.status)
    let fields = answer.fields
    var file: SentFile?
    guard let response = respond(answer.body, bytes: &bytes, file: &file) else { return .NO }
    if let file {
      let key = Int(bitPattern: connection)
      clients.withLock { $0[key]?.file = file }
      calls.began()
    }
    for field in fields { _ = library.MHD_add_response_header(response, field.name, field.value) }
    let result = library.MHD_queue_response(connection, status, response)
    library.MHD_destroy_response(response)
    return result
  }

  private func respond(
    _ body: consuming Answer.Body, bytes: inout UInt64?, file sent: inout SentFile?
  ) -> OpaquePointer? {
    switch consume body {
    case .none: return respond(SharedBytes([]), 0..<0)
    case .bytes(let shared, let range):
      bytes = UInt64(range.count)
      return respond(shared, range)
    case .file(let file, let offset, let count):
      bytes = count
      sent = SentFile(file, end: offset + count)
      // The response closes the file; if there is none, it must be closed here.
      let number = file.release()
      let response = library.MHD_create_response_from_fd_at_offset64(count, number, offset)
      if response == nil { close(number) }
      return response
    }
  }

  /// The response keeps a reference to the bytes until it is freed.
  private func respond(_ shared: SharedBytes, _ range: Range<Int>) -> OpaquePointer? {
    let kept = Unmanaged.passRetained(shared)
    let response = library.MHD_create_response_from_buffer_with_free_callback_cls(
      range.count, shared.start + range.lowerBound,
      { if let raw = $0 { Unmanaged<SharedBytes>.fromOpaque(raw).release() } }, kept.toOpaque())
    if response == nil { kept.release() }
    return response
  }

  private func complete(_ connection: OpaquePointer, _ exchange: Exchange, isWhole: Bool) {
    let key = Int(bitPattern: connection)
    clients.withLock {
      $0[key]?.waitingSince = .now
      $0[key]?.file = nil
    }
    if !isWhole || exchange.access.method == "HEAD" { exchange.access.bytes = nil }
    calls.ended(exchange.access)
  }

  private func address(of connection: OpaquePointer) -> String {
    withUnsafePointer(to: library) { library in
      // The library keeps an address of the family's size as long as the connection exists.
      guard let name = mh_client(library, connection) else { return "-" }
      let isSix = Int32(name.pointee.sa_family) == AF_INET6
      let length = isSix ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size
      return ListenAddress(numeric: name, length: socklen_t(length))?.host ?? "-"
    }
  }

  private func fields(of connection: OpaquePointer) -> [String: String] {
    var fields: [String: String] = [:]
    // The pointer to the dictionary is valid for this call only.
    withUnsafeMutablePointer(to: &fields) { place in
      _ = library.MHD_get_connection_values(
        connection, .HEADER_KIND,
        { context, _, name, value in
          guard let context, let name else { return .NO }
          let fields = context.assumingMemoryBound(to: [String: String].self)
          let key = String(cString: name).lowercased()
          let text = value.map { String(cString: $0) } ?? ""
          fields.pointee[key] = fields.pointee[key].map { "\($0), \(text)" } ?? text
          return .YES
        }, place)
    }
    return fields
  }
}

/// The HTTP library that `serve` needs.
public enum ServerLibrary {
  /// Its name and version; nil where it is missing. Loads the library.
  public static var version: String? {
    var library = mh_library()
    guard mh_load(&library) == nil, let version = library.MHD_get_version() else { return nil }
    return "libmicrohttpd " + String(cString: version)
  }
}
