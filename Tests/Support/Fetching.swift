import Glibc
import System

/// The answer of a server.
public struct Reply: Equatable, Sendable {
  public var status: Int
  /// Header fields by their names in lower case.
  public var fields: [String: String]
  public var body: [UInt8]

  public var text: String { String(decoding: body, as: UTF8.self) }

  public init(parsing bytes: [UInt8]) throws {
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

/// Sends a request with curl, with the address exactly as written.
public func fetch(_ url: String, _ fields: [String] = [], method: String = "GET") throws -> Reply {
  let how = method == "HEAD" ? ["-I"] : ["-X", method]
  let result = try run(
    "/usr/bin/curl",
    ["-s", "-i", "--path-as-is", "-g", "-m", "20"] + how + fields.flatMap { ["-H", $0] } + [url])
  guard result.status == 0 else { throw SupportError("curl \(url): status \(result.status)") }
  return try Reply(parsing: result.output)
}

/// A plain TCP connection to this machine.
public final class Wire {
  private let number: Int32

  /// Nil where no program listens.
  public init?(port: UInt16) {
    guard let connected = connect(to: port) else { return nil }
    number = connected
    var patience = timeval(tv_sec: 15, tv_usec: 0)
    setsockopt(
      number, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { close(number) }

  @discardableResult
  public func send(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    return Glibc.send(number, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
  }

  /// Reads at most so many bytes, fewer if the other side ends; nil if it stays silent.
  public func read(_ count: Int) -> [UInt8]? {
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

extension Nginx {
  /// An nginx that serves a folder of the test as fast as it can.
  ///
  /// - Parameter settings: lines of nginx's configuration for the server.
  public convenience init(serving root: String, settings: String = "") throws {
    try self.init(settings: "sendfile on; \(settings)")
    guard rmdir(folder.path("www")) == 0, symlink(root, folder.path("www")) == 0 else {
      throw SupportError("cannot serve \(root)")
    }
  }

  public func get(_ path: String, _ fields: [String] = []) throws -> Reply {
    try fetch(url + path, fields)
  }
}
