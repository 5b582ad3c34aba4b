import Glibc
import System

/// A real server program on a loopback port that serves the folder `www` of its own; ended and
/// removed with this object.
public class LocalServer {
  public let port: UInt16
  public let folder: TemporaryDirectory
  private let program: String
  private let arguments: [String]
  private var process: Spawned?

  /// Starts it.
  ///
  /// - Parameters:
  ///   - program: its name, of a package that `make test-deps` installs.
  ///   - arguments: what it is started with, for its folder and port.
  ///   - configuration: the text of the file `conf` in its folder; may put others beside it.
  public init(
    _ program: String, arguments: (TemporaryDirectory, UInt16) -> [String],
    configuration: (TemporaryDirectory, UInt16) throws -> String
  ) throws {
    guard let installed = Programs.installed(program) else {
      throw SupportError("\(program) is missing: `make test-deps` installs it")
    }
    self.program = installed
    folder = try TemporaryDirectory()
    chmod(folder.path, 0o755)
    mkdir(folder.path("www"), 0o755)
    port = try freePort()
    self.arguments = arguments(folder, port)
    try folder.write(configuration(folder, port), to: "conf")
    try start()
  }

  deinit { stop() }

  /// Starts it again after `stop`, on the same port.
  public func start() throws {
    process = try Spawned(
      program, arguments, environment: plainEnvironment, descriptors: [0, 2, 2])
    let deadline = Instant.now + .seconds(20)
    while !answers(port) {
      guard Instant.now < deadline else {
        let log = (try? readText(folder.path("error.log"))) ?? ""
        throw SupportError("\(program) does not start: \(log)")
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

  /// Its host and port, as a section of the configuration is called.
  public var host: String { "127.0.0.1:\(port)" }

  public var url: String { "http://\(host)" }

  /// Puts bytes into the folder, with a date long ago: one that was just now is no strong
  /// validator.
  public func serve(_ bytes: [UInt8], as name: String) throws {
    let path = try folder.write(bytes, to: "www/\(name)")
    // It may run as another user than this one.
    var parent = folder.path("www")
    for part in name.split(separator: "/").dropLast() {
      parent += "/\(part)"
      chmod(parent, 0o755)
    }
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
}

extension LocalServer {
  /// rclone's WebDAV server, which wants a login of anna with the password secret.
  public static func rclone() throws -> LocalServer {
    try LocalServer(
      "rclone",
      arguments: { folder, port in
        [
          "serve", "webdav", folder.path("www"), "--config", folder.path("conf"), "--addr",
          "127.0.0.1:\(port)", "--user", "anna", "--pass", "secret",
        ]
      }, configuration: { _, _ in "" })
  }

  /// How apache2 asks for a login.
  public enum Login: String, CaseIterable, Sendable {
    case basic = "Basic"
    case digest = "Digest"

    /// What lets anna in with the password secret; in that of digest, the MD5 of "anna:x:secret".
    fileprivate var users: String {
      switch self {
      case .basic: "anna:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=\n"
      case .digest: "anna:x:510a4e3ba82b56c269ff2896d7e08416\n"
      }
    }
  }

  /// apache2 with WebDAV that wants a login of anna with the password secret; one process, so that
  /// its end is the end of all.
  public static func apache(_ login: Login = .digest) throws -> LocalServer {
    try LocalServer(
      "apache2", arguments: { folder, _ in ["-X", "-f", folder.path("conf")] },
      configuration: { folder, port in
        chmod(try folder.write(login.users, to: "users"), 0o644)
        let modules = [
          "mpm_event", "mime", "authn_core", "authn_file", "authz_core", "authz_user", "auth_basic",
          "auth_digest", "dav", "dav_fs",
        ]
        let loads = modules.map {
          "LoadModule \($0)_module /usr/lib/apache2/modules/mod_\($0).so\n"
        }
        return loads.joined() + """
          Listen 127.0.0.1:\(port)
          ServerName 127.0.0.1
          User www-data
          Group www-data
          PidFile \(folder.path)/pid
          ErrorLog \(folder.path)/error.log
          DocumentRoot \(folder.path)/www
          DavLockDB \(folder.path)/locks
          TypesConfig /dev/null
          AddType video/mp4 .mp4
          <Directory \(folder.path)/www>
            Dav On
            AuthType \(login.rawValue)
            AuthName x
            AuthUserFile \(folder.path)/users
            Require valid-user
          </Directory>
          """
      })
  }
}
