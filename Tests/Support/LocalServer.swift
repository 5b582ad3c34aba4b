import Glibc
import System

/// A real server program on a loopback port that serves its own folder `www`. The program ends, and
/// the folder is removed, with this object.
public class LocalServer {
  public let port: UInt16
  public let folder: TemporaryDirectory
  private let program: String
  private let arguments: [String]
  private var process: Spawned?

  /// Starts it.
  ///
  /// - Parameters:
  ///   - program: its name; `make test-deps` installs its package.
  ///   - arguments: its arguments, for its folder and port.
  ///   - configuration: the text of the file `conf` in its folder; may write other files there too.
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

  /// Starts the server again after `stop`, on the same port.
  public func start() throws {
    process = try Spawned(
      program, arguments, environment: plainEnvironment, descriptors: [0, 2, 2])
    guard holds({ answers(port) }) else {
      let log = (try? readText(folder.path("error.log"))) ?? ""
      throw SupportError("\(program) does not start: \(log)")
    }
  }

  /// Ends the server: connections are then refused.
  public func stop() {
    guard let running = process else { return }
    kill(running.identifier, SIGKILL)
    while running.reap() == nil { usleep(1_000) }
    process = nil
  }

  /// Its host and port, as the configuration names a section for it.
  public var host: String { "127.0.0.1:\(port)" }

  public var url: String { "http://\(host)" }

  /// Writes a file into the folder, with an old date, because a date of this moment is no strong
  /// validator.
  public func serve(_ bytes: [UInt8], as name: String) throws {
    let path = try folder.write(bytes, to: "www/\(name)")
    // The server may run as another user.
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

  /// Copies a file into the folder.
  public func serve(file: String, as name: String) throws {
    try serve(readFile(file), as: name)
  }
}

extension LocalServer {
  /// rclone's WebDAV server, which requires the login anna with the password secret.
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

  /// How apache2 authenticates.
  public enum Login: String, CaseIterable, Sendable {
    case basic = "Basic"
    case digest = "Digest"

    /// The password file for anna with the password secret; for digest, the MD5 of "anna:x:secret".
    fileprivate var users: String {
      switch self {
      case .basic: "anna:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=\n"
      case .digest: "anna:x:510a4e3ba82b56c269ff2896d7e08416\n"
      }
    }
  }

  /// apache2 with WebDAV, which requires the login anna with the password secret. It runs as one
  /// process, so that its end ends everything.
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
