import CCurl
import Glibc

/// libcurl, loaded at its first use: that takes some milliseconds, which a program that plays local
/// files should not wait for.
///
/// Unchecked: the table is filled before it is shared, and never changed after that.
final class CurlLibrary: @unchecked Sendable {
  fileprivate let table: UnsafePointer<cc_library>

  /// The installed library; nil if there is none. The first use is slow.
  static let installed = CurlLibrary(file: "libcurl.so.4")

  /// Loads it from a file, or by a name that the system looks up.
  init?(file: String) {
    guard let table = cc_load(file) else { return nil }
    self.table = table
  }

  fileprivate var calls: cc_library { table.pointee }
}

extension PeerAddress {
  /// From a host as in a URL, which may be an IPv4 address in one to four numbers, octal or
  /// hexadecimal: libcurl accepts those.
  init?(written text: String) {
    var four = in_addr()
    if let address = PeerAddress(text) {
      self = address
    } else if !text.contains(where: \.isWhitespace), inet_aton(text, &four) == 1 {
      bytes = withUnsafeBytes(of: four) { Array($0) }
    } else {
      return nil
    }
  }

  /// From the text that libcurl gives.
  init?(_ text: String) {
    var six = in6_addr()
    var four = in_addr()
    if inet_pton(AF_INET, text, &four) == 1 {
      bytes = withUnsafeBytes(of: four) { Array($0) }
    } else if inet_pton(AF_INET6, text, &six) == 1 {
      bytes = withUnsafeBytes(of: six) { Array($0) }
    } else {
      return nil
    }
  }
}

/// How a transfer ended for a reason that the server did not give.
enum TransferOutcome: Equatable {
  case complete
  /// The receiver wanted no more.
  case stopped
  case unknownHost
  case noConnection
  /// Its certificate is not trusted, or is for another server.
  case untrusted
  case insecure
  /// It is in a network that may not be reached.
  case forbidden
  /// The body cannot be unpacked.
  case damaged
  case timedOut
  /// It ended too early.
  case cut
  case failed
}

/// The settings of one transfer.
struct TransferSettings {
  var url: String
  /// Another method than GET, and its body.
  var message: (method: String, body: String)?
  var fields: [String]
  /// Sent in clear (Basic).
  var login: (user: String, password: String)?
  /// The proxy; nil for none.
  var proxy: String?
  /// Whether a compressed body is unpacked; else it is passed on as it is.
  var unpacks = false
  var options: NetworkOptions
}

/// One request and its answer. Used on the loader's thread alone.
final class CurlTransfer {
  enum BodyAnswer { case taken, pause, stop }

  fileprivate let easy: UnsafeMutableRawPointer
  private let library: CurlLibrary
  private var fields: UnsafeMutablePointer<curl_slist>?
  private let head: (String) -> Bool
  private let body: ([UInt8]) -> BodyAnswer
  private let gate: (PeerAddress?) -> Bool

  /// - Parameters:
  ///   - gate: whether the machine that was reached may be asked.
  ///   - head: gets each line of the response's head; false stops the transfer.
  init?(
    _ settings: TransferSettings, library: CurlLibrary, gate: @escaping (PeerAddress?) -> Bool,
    head: @escaping (String) -> Bool,
    body: @escaping ([UInt8]) -> BodyAnswer
  ) {
    guard let easy = library.calls.curl_easy_init() else { return nil }
    let table = library.table
    self.library = library
    self.easy = easy
    self.gate = gate
    self.head = head
    self.body = body
    let options = settings.options
    for field in ["Accept-Encoding: identity"] + settings.fields {
      fields = library.calls.curl_slist_append(fields, field) ?? fields
    }
    cc_set_text(table, easy, CURLOPT_URL, settings.url)
    cc_set_list(table, easy, CURLOPT_HTTPHEADER, fields)
    if let message = settings.message {
      cc_set_text(table, easy, CURLOPT_COPYPOSTFIELDS, message.body)
      cc_set_text(table, easy, CURLOPT_CUSTOMREQUEST, message.method)
    }
    cc_set_text(table, easy, CURLOPT_USERAGENT, options.userAgent)
    cc_set_text(table, easy, CURLOPT_PROTOCOLS_STR, "http,https")
    cc_set_number(table, easy, CURLOPT_FOLLOWLOCATION, 0)
    cc_set_number(table, easy, CURLOPT_NOSIGNAL, 1)
    // The end of the program does not wait for a name server.
    cc_set_number(table, easy, CURLOPT_QUICK_EXIT, 1)
    cc_set_number(table, easy, CURLOPT_HTTP_VERSION, cc_http2_over_tls())
    cc_set_number(table, easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    cc_set_number(table, easy, CURLOPT_CONNECTTIMEOUT, options.patienceSeconds)
    cc_set_number(table, easy, CURLOPT_LOW_SPEED_LIMIT, 1024)
    cc_set_number(table, easy, CURLOPT_LOW_SPEED_TIME, options.patienceSeconds)
    cc_set_number(table, easy, CURLOPT_BUFFERSIZE, 128 << 10)
    cc_set_small_buffer(table, easy)
    if let file = options.certificates { cc_set_text(table, easy, CURLOPT_CAINFO, file) }
    // `Proxies` has decided that already, also by the environment.
    cc_set_text(table, easy, CURLOPT_PROXY, settings.proxy ?? "")
    cc_set_text(table, easy, CURLOPT_NOPROXY, "")
    // A body that is compressed although that was not asked for is unpacked too.
    if settings.unpacks { cc_set_text(table, easy, CURLOPT_ACCEPT_ENCODING, "identity") }
    if let login = settings.login {
      cc_set_number(table, easy, CURLOPT_HTTPAUTH, cc_auth_basic())
      cc_set_text(table, easy, CURLOPT_USERNAME, login.user)
      cc_set_text(table, easy, CURLOPT_PASSWORD, login.password)
    }
    cc_set_gate(
      table, easy,
      { context, peer, _, _, _ in
        guard let context, let peer else { return 1 }
        let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
        return transfer.gate(PeerAddress(String(cString: peer))) ? 0 : 1
      }, Unmanaged.passUnretained(self).toOpaque())
    // The handle is removed from its multi and freed before this object is, so the reference that
    // libcurl keeps is never used after that.
    cc_set_receivers(
      table, easy,
      { bytes, size, count, context in
        guard let bytes, let context else { return 0 }
        let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
        let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
        return transfer.head(ResponseHead.text(of: Array(line))) ? line.count : 0
      },
      { bytes, size, count, context in
        guard let bytes, let context else { return 0 }
        let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
        let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
        switch transfer.body(Array(piece)) {
        case .taken: return piece.count
        case .pause: return cc_pause()
        case .stop: return 0
        }
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Takes no more than what is on its way: what a server has sent would have to be fetched again
  /// if nobody took it.
  func closeWindow() { cc_close_window(library.table, easy) }

  /// Goes on after a pause.
  func resume() { _ = library.calls.curl_easy_pause(easy, CURLPAUSE_CONT) }

  deinit {
    library.calls.curl_easy_cleanup(easy)
    library.calls.curl_slist_free_all(fields)
  }
}

/// All transfers of one thread.
final class CurlMulti {
  let library: CurlLibrary
  private let raw: UnsafeMutableRawPointer
  private var running: [UnsafeMutableRawPointer: CurlTransfer] = [:]

  init?(_ library: CurlLibrary) {
    guard let raw = library.calls.curl_multi_init() else { return nil }
    self.library = library
    self.raw = raw
    cc_multi_set_number(library.table, raw, CURLMOPT_MAX_HOST_CONNECTIONS, 2)
    cc_multi_set_number(library.table, raw, CURLMOPT_MAX_TOTAL_CONNECTIONS, 4)
    cc_multi_set_number(library.table, raw, CURLMOPT_MAXCONNECTS, 4)
  }

  func add(_ transfer: CurlTransfer) {
    running[transfer.easy] = transfer
    _ = library.calls.curl_multi_add_handle(raw, transfer.easy)
  }

  /// Ends a transfer; its connection is kept only if the answer had ended.
  func remove(_ transfer: CurlTransfer) {
    guard running.removeValue(forKey: transfer.easy) != nil else { return }
    _ = library.calls.curl_multi_remove_handle(raw, transfer.easy)
  }

  /// Lets all transfers go on as far as they can without waiting.
  ///
  /// - Returns: those that have ended; they are removed.
  func perform() -> [(CurlTransfer, TransferOutcome)] {
    var count: Int32 = 0
    _ = library.calls.curl_multi_perform(raw, &count)
    var ended: [(CurlTransfer, TransferOutcome)] = []
    var easy: UnsafeMutableRawPointer?
    var result = CURLE_OK
    while cc_next_ended(library.table, raw, &easy, &result) != 0 {
      guard let handle = easy, let transfer = running[handle] else { continue }
      remove(transfer)
      ended.append((transfer, CurlMulti.outcome(result)))
    }
    return ended
  }

  /// Waits for the network, for another descriptor to be readable, or for the time.
  func wait(milliseconds: Int32, orFor descriptor: Int32) {
    var count: Int32 = 0
    var other = curl_waitfd(fd: descriptor, events: Int16(CURL_WAIT_POLLIN), revents: 0)
    _ = library.calls.curl_multi_poll(raw, &other, 1, milliseconds, &count)
  }

  private static func outcome(_ code: CURLcode) -> TransferOutcome {
    switch code {
    case CURLE_OK: .complete
    case CURLE_WRITE_ERROR: .stopped
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .unknownHost
    case CURLE_COULDNT_CONNECT: .noConnection
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS:
      .untrusted
    case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM,
      CURLE_SSL_CIPHER, CURLE_USE_SSL_FAILED:
      .insecure
    case CURLE_OPERATION_TIMEDOUT: .timedOut
    case CURLE_ABORTED_BY_CALLBACK: .forbidden
    case CURLE_BAD_CONTENT_ENCODING: .damaged
    case CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR,
      CURLE_HTTP2, CURLE_HTTP2_STREAM:
      .cut
    default: .failed
    }
  }

  deinit {
    for transfer in Array(running.values) { remove(transfer) }
    _ = library.calls.curl_multi_cleanup(raw)
  }
}
