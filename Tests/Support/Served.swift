import Glibc
import System

/// `storytty serve` on its own port; it ends with this object.
public final class Served {
  /// "http://127.0.0.1:PORT".
  public let url: String
  public let port: UInt16
  private let logs: TemporaryDirectory
  private let process: ChildProcess

  public init(_ directory: String, _ options: [String] = []) throws {
    let logs = try TemporaryDirectory()
    let script = "exec \"$0\" serve \"$@\" >'\(logs.path)/out' 2>'\(logs.path)/err'"
    let listen = options.contains("--listen") ? [] : ["--listen", "127.0.0.1:0"]
    process = try ChildProcess.start(
      "/bin/sh", arguments: ["-c", script, Programs.player, directory] + listen + options,
      environment: plainEnvironment.map { "\($0.key)=\($0.value)" } + ["HOME=/proc/nowhere"]
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

  /// Its standard output so far: the address that it serves, and the access log.
  public var lines: [String] {
    ((try? readText(logs.path("out"))) ?? "").split(separator: "\n").map(String.init)
  }
  public var errorText: String { (try? readText(logs.path("err"))) ?? "" }
  public var identifier: pid_t { process.identifier }

  public func signal(_ number: Int32) { kill(process.identifier, number) }

  /// Waits for its end; nil if it still runs.
  public func awaitEnd(within limit: Duration = .seconds(10)) -> ChildProcess.Ending? {
    awaitValue(within: limit) { process.poll() }
  }

  public func get(_ path: String, _ fields: [String] = [], method: String = "GET") throws -> Reply {
    try fetch(url + path, fields, method: method)
  }

  /// The ids in the feed, in its order.
  public func ids() throws -> [String] {
    try JSONValue(parsing: get("/feed.json").body)["items"].elements.compactMap { $0["id"].text }
  }
}
