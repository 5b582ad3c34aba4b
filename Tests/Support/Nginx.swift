import Glibc
import System

/// A real nginx on a loopback port that serves a folder; ended and removed with this object.
public final class Nginx {
  public let port: UInt16
  public let folder: TemporaryDirectory
  private var process: Spawned?

  /// Starts it.
  ///
  /// - Parameters:
  ///   - rate: bytes a second that each connection gets; nil for as many as there are.
  ///   - settings: lines of nginx's own language for the server.
  public init(rate: Int? = nil, settings: String = "") throws {
    folder = try TemporaryDirectory()
    chmod(folder.path, 0o755)
    port = try freePort()
    mkdir(folder.path("www"), 0o755)
    let limit = rate.map { "limit_rate \($0);" } ?? ""
    try folder.write(
      """
      daemon off; master_process off; pid \(folder.path)/pid; user root;
      events { worker_connections 256; }
      http {
        log_format short '$status $body_bytes_sent $request_method $uri $http_range';
        access_log \(folder.path)/access.log short;
        client_body_temp_path \(folder.path)/body; proxy_temp_path \(folder.path)/proxy;
        fastcgi_temp_path \(folder.path)/fastcgi; uwsgi_temp_path \(folder.path)/uwsgi;
        scgi_temp_path \(folder.path)/scgi;
        types { video/mp4 mp4; application/json json; }
        server { listen 127.0.0.1:\(port); root \(folder.path)/www; \(limit) \(settings) }
      }
      """, to: "conf")
    try start()
  }

  deinit { stop() }

  /// Starts it again after `stop`, on the same port.
  public func start() throws {
    guard let nginx = Programs.installed("nginx") ?? Nginx.usualPlace else {
      throw SupportError("nginx is missing: `make test-deps` installs it")
    }
    process = try Spawned(
      nginx, ["-p", folder.path, "-c", folder.path("conf"), "-e", folder.path("error.log")],
      environment: plainEnvironment, descriptors: [0, 2, 2])
    let deadline = Instant.now + .seconds(10)
    while !answers(port) {
      guard Instant.now < deadline else {
        throw SupportError("nginx does not start; see \(folder.path)/error.log")
      }
      usleep(5_000)
    }
  }

  /// Ends it: from now on connections are refused.
  public func stop() {
    guard let running = process else { return }
    kill(running.identifier, SIGKILL)
    while running.reap() == nil { usleep(1_000) }
    process = nil
  }

  public var url: String { "http://127.0.0.1:\(port)" }

  /// Puts bytes into the folder, with a date long ago: one that was just now is no strong
  /// validator.
  public func serve(_ bytes: [UInt8], as name: String) throws {
    let path = try folder.write(bytes, to: "www/\(name)")
    chmod(path, 0o644)
    var times = [
      timeval(tv_sec: 1_700_000_000, tv_usec: 0), timeval(tv_sec: 1_700_000_000, tv_usec: 0),
    ]
    utimes(path, &times)
  }

  /// Puts a file into the folder.
  public func serve(file: String, as name: String) throws {
    try serve(readFile(file), as: name)
  }

  /// One answer that it gave.
  public struct Access: Equatable, Sendable {
    public let status: Int
    public let bytes: Int
    public let path: String
  }

  /// Its answers so far; those that were broken off are there once it noticed.
  public var accesses: [Access] {
    ((try? readText(folder.path("access.log"))) ?? "").split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      guard words.count >= 4, let status = Int(words[0]), let bytes = Int(words[1]) else {
        return nil
      }
      return Access(status: status, bytes: bytes, path: String(words[3]))
    }
  }

  private static var usualPlace: String? {
    fileExists("/usr/sbin/nginx") ? "/usr/sbin/nginx" : nil
  }
}
