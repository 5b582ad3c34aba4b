import Glibc
import Support
import System

/// `storytty serve` on a port of its own, ended with this object.
final class Served {
  /// "http://127.0.0.1:PORT".
  let url: String
  let port: UInt16
  private let logs: TemporaryDirectory
  private let process: ChildProcess

  init(_ directory: String, _ options: [String] = []) throws {
    let logs = try TemporaryDirectory()
    let script = "exec \"$0\" serve \"$@\" >'\(logs.path)/out' 2>'\(logs.path)/err'"
    let listen = options.contains("--listen") ? [] : ["--listen", "127.0.0.1:0"]
    process = try ChildProcess.start(
      "/bin/sh", arguments: ["-c", script, Programs.player, directory] + listen + options,
      environment: plainEnvironment.map { "\($0.key)=\($0.value)" } + ["HOME=/nonexistent"]
    ).process
    self.logs = logs
    try eventually("the server starts") {
      (try? readText(logs.path("out")))?.contains("\n") == true
    }
    let line = try readText(logs.path("out")).prefix { $0 != "\n" }
    guard let start = line.firstRange(of: "at http://")?.upperBound,
      let end = line[start...].firstIndex(of: "/"),
      let port = ListenAddress(String(line[start..<end]))?.port
    else { throw SupportError("no address in: \(line)") }
    self.port = port
    url = "http://\(line[start..<end])"
  }

  /// What it has said on standard output: where it serves, and the access log.
  var lines: [String] {
    ((try? readText(logs.path("out"))) ?? "").split(separator: "\n").map(String.init)
  }
  var errorText: String { (try? readText(logs.path("err"))) ?? "" }
  var identifier: pid_t { process.identifier }

  func signal(_ number: Int32) { kill(process.identifier, number) }

  /// Waits for its end; nil where it does not come.
  func awaitEnd(within limit: Duration = .seconds(10)) -> ChildProcess.Ending? {
    let deadline = Instant.now + limit
    while Instant.now < deadline {
      if let ending = process.poll() { return ending }
      usleep(5000)
    }
    return nil
  }

  func get(_ path: String, _ fields: [String] = [], method: String = "GET") throws -> Reply {
    try fetch(url + path, fields, method: method)
  }

  /// The ids in the feed, in its order.
  func ids() throws -> [String] {
    try JSONValue(parsing: get("/feed.json").body)["items"].elements.compactMap { $0["id"].text }
  }
}

/// What a server answered.
struct Reply: Equatable {
  var status: Int
  /// By names in small letters.
  var fields: [String: String]
  var body: [UInt8]

  var text: String { String(decoding: body, as: UTF8.self) }

  init(parsing bytes: [UInt8]) throws {
    var end = 0
    while end + 4 <= bytes.count, !bytes[end..<end + 4].elementsEqual("\r\n\r\n".utf8) { end += 1 }
    let lines = String(decoding: bytes.prefix(end), as: UTF8.self)
      .split(separator: "\r\n", omittingEmptySubsequences: false)
    let words = lines.first?.split(separator: " ") ?? []
    guard words.count > 1, let status = Int(words[1]) else {
      throw SupportError("no answer: \(lines.first ?? "")")
    }
    self.status = status
    fields = [:]
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      fields[line[..<colon].lowercased()] = String(
        line[line.index(after: colon)...].drop { $0 == " " })
    }
    body = Array(bytes.dropFirst(end + 4))
  }
}

/// Asks with curl, the address as it is written.
func fetch(_ url: String, _ fields: [String] = [], method: String = "GET") throws -> Reply {
  let how = method == "HEAD" ? ["-I"] : ["-X", method]
  let result = try run(
    "/usr/bin/curl",
    ["-s", "-i", "--path-as-is", "-g", "-m", "20"] + how + fields.flatMap { ["-H", $0] } + [url])
  guard result.status == 0 else { throw SupportError("curl \(url): status \(result.status)") }
  return try Reply(parsing: result.output)
}

/// Waits until something is so; throws when it is not in time.
func eventually(
  _ what: String, within limit: Duration = .seconds(15), _ condition: () throws -> Bool
) throws {
  let deadline = Instant.now + limit
  while try !condition() {
    guard Instant.now < deadline else { throw SupportError("it did not come to pass: \(what)") }
    usleep(10_000)
  }
}

/// A plain TCP connection to this machine.
final class Wire {
  private let number: Int32

  /// Nil where nobody listens.
  init?(port: UInt16) {
    number = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var patience = timeval(tv_sec: 15, tv_usec: 0)
    setsockopt(
      number, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    let connected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    if !connected { return nil }
  }

  deinit { close(number) }

  @discardableResult
  func send(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    return Glibc.send(number, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
  }

  /// At most so many bytes, fewer when the other side ends; nil where it stays silent.
  func read(_ count: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count < count {
      let got = recv(number, &buffer, min(buffer.count, count - bytes.count), 0)
      if got < 0 { return errno == ECONNRESET ? bytes : nil }
      if got == 0 { break }
      bytes += buffer[..<got]
    }
    return bytes
  }
}

/// Gives a file the date 2023-11-14T22:13:20Z.
func date(_ path: String, seconds: Int = 1_700_000_000) {
  var times = [timeval(tv_sec: seconds, tv_usec: 0), timeval(tv_sec: seconds, tv_usec: 0)]
  utimes(path, &times)
}

/// Bytes that are all different from their neighbours, with the head of an MP4.
func movie(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
  var bytes: [UInt8] = [0, 0, 0, 0x18] + Array("ftypisom".utf8)
  var state = seed
  bytes.reserveCapacity(count)
  while bytes.count < count {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    bytes.append(UInt8(truncatingIfNeeded: state >> 56))
  }
  return Array(bytes.prefix(count))
}

let lottie = #"{"v":"5.5.7","fr":30,"ip":0,"op":60,"w":100,"h":50,"nm":"A heart","layers":[]}"#
