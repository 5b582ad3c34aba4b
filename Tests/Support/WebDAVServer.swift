import Glibc
import System

/// rclone's WebDAV server on a loopback port, which wants a login of anna with the password secret;
/// ended and removed with this object.
public final class WebDAVServer {
  public let port: UInt16
  public let folder: TemporaryDirectory
  private var process: Spawned?

  public init() throws {
    guard let rclone = Programs.installed("rclone") else {
      throw SupportError("rclone is missing: `make test-deps` installs it")
    }
    folder = try TemporaryDirectory()
    mkdir(folder.path("www"), 0o755)
    try folder.write("", to: "conf")
    port = try freePort()
    process = try Spawned(
      rclone,
      [
        "serve", "webdav", folder.path("www"), "--config", folder.path("conf"), "--addr",
        "127.0.0.1:\(port)", "--user", "anna", "--pass", "secret",
      ], environment: plainEnvironment, descriptors: [0, 2, 2])
    let deadline = Instant.now + .seconds(20)
    while !answers(port) {
      guard Instant.now < deadline else { throw SupportError("rclone does not start") }
      usleep(5_000)
    }
  }

  deinit { stop() }

  public var url: String { "http://127.0.0.1:\(port)" }

  /// Puts a file into the folder, with a date long ago: one that was just now is no strong
  /// validator.
  public func serve(file: String, as name: String) throws {
    let path = try folder.write(readFile(file), to: "www/\(name)")
    var times = [
      timeval(tv_sec: 1_700_000_000, tv_usec: 0), timeval(tv_sec: 1_700_000_000, tv_usec: 0),
    ]
    utimes(path, &times)
  }

  /// Ends it: from now on connections are refused.
  public func stop() {
    guard let running = process else { return }
    kill(running.identifier, SIGKILL)
    while running.reap() == nil { usleep(1_000) }
    process = nil
  }
}
