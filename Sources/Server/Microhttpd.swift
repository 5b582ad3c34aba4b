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

/// libmicrohttpd is missing or does not start.
struct MicrohttpdError: Error, Equatable {
  let reason: String
}

/// An HTTP server on its own threads, by libmicrohttpd.
///
/// Unchecked: `callbacks`, `limits` and `library` never change; the daemon's functions may be called
/// from any thread; `clients` and `isEnding` are guarded; `daemon` belongs to the owner's thread.
final class Microhttpd: @unchecked Sendable {
  struct Limits {
    var connections = 512
    var connectionsPerAddress = 256
    /// Memory for a request's head and the answer's together.
    var headBytes = 16 << 10
    /// How long a connection may be idle, which the library ends. A whole head may take as long to
    /// come, which `closeSlow` ends.
    var patience = Duration.seconds(30)
    var threads = 2
  }

  /// What the server calls, on its threads, several at once.
  struct Callbacks: Sendable {
    var answer: @Sendable (Request) -> Answer
    /// Called when sending a part of a file begins.
    var fileBegan: @Sendable () -> Void = {}
    /// Called after each answer, and after a request that never got one.
    var requestEnded: @Sendable (Access) -> Void
  }

  /// A connection.
  private struct Client {
    let socket: Int32
    /// Since when the next head is waited for; nil while a request is answered.
    var headAwaitedSince: Instant?
    var file: FileBeingSent?
  }

  /// A file that is being sent, up to a position.
  private final class FileBeingSent: Sendable {
    private let descriptor: Descriptor
    private let end: UInt64

    /// Nil where no more files can be open: the file is then sent without being checked.
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
    /// Nil until its head has come.
    var request: Request?
    init(_ access: Access) { self.access = access }
  }

  private let library: mh_library
  private let callbacks: Callbacks
  private let limits: Limits
  private let clients = Mutex<[Int: Client]>([:])
  private let isEnding = Atomic<Bool>(false)
  /// Set once, in `start`.
  private var daemon: OpaquePointer?

  /// Loads the library.
  init(limits: Limits = Limits(), callbacks: Callbacks) throws(MicrohttpdError) {
    var library = mh_library()
    if let reason = mh_load(&library) {
      throw MicrohttpdError(reason: String(cString: reason))
    }
    self.library = library
    self.limits = limits
    self.callbacks = callbacks
  }

  /// Begins to accept connections.
  func start(on socket: consuming ListeningSocket) throws(MicrohttpdError) {
    // The callbacks come only between here and the end of `stop`, which the owner of this object
    // calls before releasing it.
    var hooks = mh_callbacks()
    hooks.context = Unmanaged.passUnretained(self).toOpaque()
    hooks.request_began = { context, target, connection in
      guard let context, let target, let connection else { return nil }
      return Microhttpd.at(context).begin(String(cString: target), connection)
    }
    hooks.handle = { context, connection, _, method, version, _, uploaded, exchange in
      guard let context, let connection, let method, let version, let raw = exchange?.pointee
      else { return .NO }
      // 0 tells the library that this piece of a body is consumed: bodies are discarded.
      uploaded?.pointee = 0
      return Microhttpd.at(context).handle(
        connection, Unmanaged<Exchange>.fromOpaque(raw).takeUnretainedValue(),
        method: String(cString: method), version: String(cString: version))
    }
    hooks.request_completed = { context, connection, exchange, code in
      guard let context, let connection, let raw = exchange?.pointee else { return }
      exchange?.pointee = nil
      // The reference that `begin` retained.
      let ended = Unmanaged<Exchange>.fromOpaque(raw).takeRetainedValue()
      Microhttpd.at(context).complete(
        connection, ended, isWhole: code == .REQUEST_TERMINATED_COMPLETED_OK)
    }
    hooks.connection_changed = { context, connection, _, code in
      guard let context, let connection else { return }
      Microhttpd.at(context).updateClients(connection, isOpen: code == .CONNECTION_NOTIFY_STARTED)
    }
    // The library counts whole seconds, and 0 would be no limit.
    let idle = max(1, limits.patience.components.seconds)
    let cLimits = mh_limits(
      connections: UInt32(limits.connections),
      connections_per_address: UInt32(limits.connectionsPerAddress), idle_seconds: UInt32(idle),
      threads: UInt32(limits.threads), head_bytes: limits.headBytes)
    let number = socket.release()
    daemon = withUnsafePointer(to: library) { mh_start($0, number, cLimits, hooks) }
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
    clients.withLock { $0.values.count { $0.headAwaitedSince == nil } }
  }

  /// Closes connections whose client takes too long to send a whole head; to be called about once a
  /// second.
  func closeSlow(now: Instant) {
    clients.withLock { clients in
      for client in clients.values {
        // The socket is open while it is in the table: `updateClients` removes it before it is closed.
        if let since = client.headAwaitedSince, now - since > limits.patience {
          shutdown(client.socket, Int32(SHUT_RDWR))
        }
      }
    }
  }

  /// Whether `closeShortened` has anything to check, and is to be called several times a second.
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

  private func updateClients(_ connection: OpaquePointer, isOpen: Bool) {
    let socket = withUnsafePointer(to: library) { mh_socket($0, connection) }
    let key = Int(bitPattern: connection)
    clients.withLock { $0[key] = isOpen ? Client(socket: socket, headAwaitedSince: .now) : nil }
  }

  private func begin(_ target: String, _ connection: OpaquePointer) -> UnsafeMutableRawPointer {
    let access = Access(
      client: address(of: connection), time: WallClock.seconds, method: "", target: target,
      version: "")
    return Unmanaged.passRetained(Exchange(access)).toOpaque()
  }

  private func handle(
    _ connection: OpaquePointer, _ exchange: Exchange, method: String, version: String
  ) -> MHD_Result {
    // Called again for each piece of a body, all of which is discarded.
    guard exchange.access.status == nil else { return .YES }
    let known = exchange.request
    var request =
      known
      ?? Request(
        method: method, target: exchange.access.target, fields: fields(of: connection))
    exchange.request = request
    // If the first call, before any body, is answered, the library closes the connection. That
    // suits requests with a body; all others are answered in the second call, which follows at once.
    guard known != nil || request.hasBody else { return .YES }
    request.isLast = isEnding.load(ordering: .relaxed)
    let key = Int(bitPattern: connection)
    clients.withLock { $0[key]?.headAwaitedSince = nil }
    let answer = callbacks.answer(request)
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
    var file: FileBeingSent?
    guard let response = makeResponse(answer.body, bytes: &bytes, file: &file) else { return .NO }
    if let file {
      let key = Int(bitPattern: connection)
      clients.withLock { $0[key]?.file = file }
      callbacks.fileBegan()
    }
    for field in fields { _ = library.MHD_add_response_header(response, field.name, field.value) }
    let result = library.MHD_queue_response(connection, status, response)
    library.MHD_destroy_response(response)
    return result
  }

  private func makeResponse(
    _ body: consuming Answer.Body, bytes: inout UInt64?, file fileBeingSent: inout FileBeingSent?
  ) -> OpaquePointer? {
    switch consume body {
    case .none: return makeResponse(SharedBytes([]), 0..<0)
    case .bytes(let shared, let range):
      bytes = UInt64(range.count)
      return makeResponse(shared, range)
    case .file(let file, let offset, let count):
      bytes = count
      fileBeingSent = FileBeingSent(file, end: offset + count)
      // The response closes the file; if there is none, it must be closed here.
      let number = file.release()
      let response = library.MHD_create_response_from_fd_at_offset64(count, number, offset)
      if response == nil { close(number) }
      return response
    }
  }

  /// The response keeps a reference to the bytes until it is freed.
  private func makeResponse(_ shared: SharedBytes, _ range: Range<Int>) -> OpaquePointer? {
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
      $0[key]?.headAwaitedSince = .now
      $0[key]?.file = nil
    }
    if !isWhole || exchange.access.method == "HEAD" { exchange.access.bytes = nil }
    callbacks.requestEnded(exchange.access)
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
    withUnsafeMutablePointer(to: &fields) { pointer in
      _ = library.MHD_get_connection_values(
        connection, .HEADER_KIND,
        { context, _, name, value in
          guard let context, let name else { return .NO }
          let fields = context.assumingMemoryBound(to: [String: String].self)
          let key = String(cString: name).lowercased()
          let text = value.map { String(cString: $0) } ?? ""
          fields.pointee[key] = fields.pointee[key].map { "\($0), \(text)" } ?? text
          return .YES
        }, pointer)
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
