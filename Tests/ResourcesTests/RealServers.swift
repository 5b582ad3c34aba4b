import Glibc
import Support
import System

@testable import Resources

/// A real server on a loopback port, ended and removed with this object.
final class RealServer {
  let port: UInt16
  let folder: TemporaryDirectory
  private let process: ChildProcess

  private init(
    _ program: String, _ arguments: (TemporaryDirectory, UInt16) -> [String],
    prepare: (TemporaryDirectory) throws -> Void = { _ in },
    configuration: (TemporaryDirectory, UInt16) -> String
  ) throws {
    guard fileExists(program) else {
      throw SupportError("\(program) is missing: `make test-deps` installs it")
    }
    folder = try TemporaryDirectory()
    chmod(folder.path, 0o755)
    port = try freePort()
    try prepare(folder)
    try folder.write("", to: "www/empty")
    try folder.write(configuration(folder, port), to: "conf")
    process = try ChildProcess.start(
      program, arguments: arguments(folder, port), environment: ["PATH=/usr/bin:/bin"]
    ).process
    do {
      try waitUntil { connects(port) }
    } catch {
      let log = (try? readText(folder.path("error.log"))) ?? ""
      throw SupportError("\(program) does not start: \(log)")
    }
  }

  deinit { process.kill() }

  var url: String { "http://127.0.0.1:\(port)" }

  /// The lines of the access log: status, body bytes, range.
  var accesses: [String] {
    ((try? readText(folder.path("access.log"))) ?? "").split(separator: "\n").map(String.init)
  }

  func serve(_ bytes: [UInt8], as name: String) throws {
    let path = try folder.write(bytes, to: "www/\(name)")
    chmod(folder.path("www"), 0o755)
    chmod(path, 0o644)
    // A date that was just now would be no strong validator.
    var times = [
      timeval(tv_sec: 1_700_000_000, tv_usec: 0), timeval(tv_sec: 1_700_000_000, tv_usec: 0),
    ]
    utimes(path, &times)
  }

  static func nginx() throws -> RealServer {
    try RealServer(
      "/usr/sbin/nginx", { folder, _ in nginxArguments(folder) }
    ) { folder, port in
      """
      daemon off; master_process off; pid \(folder.path)/pid; user root;
      events { worker_connections 64; }
      http {
        log_format short '$status $body_bytes_sent $http_range';
        access_log \(folder.path)/access.log short;
        client_body_temp_path \(folder.path)/body; proxy_temp_path \(folder.path)/proxy;
        fastcgi_temp_path \(folder.path)/fastcgi; uwsgi_temp_path \(folder.path)/uwsgi;
        scgi_temp_path \(folder.path)/scgi;
        types { video/mp4 mp4; }
        server {
          listen 127.0.0.1:\(port);
          location /plain/ { alias \(folder.path)/www/; }
          location /noranges/ { alias \(folder.path)/www/; max_ranges 0; }
          location /zipped/ { alias \(folder.path)/www/; gzip on; gzip_types *; gzip_min_length 1; }
          location /forced/ { alias \(folder.path)/www/; add_header Content-Encoding gzip; }
          location /slow/ { alias \(folder.path)/www/; limit_rate 400k; }
          location /dated/ { alias \(folder.path)/www/; etag off; }
          location /login/ {
            alias \(folder.path)/www/; auth_basic x; auth_basic_user_file \(folder.path)/www/users;
          }
          location /moved/ { return 302 /plain/$is_args$args; }
        }
      }
      """
    }
  }

  /// nginx with HTTP/2 over TLS, with a certificate of its own in `cert`.
  static func secureNginx() throws -> RealServer {
    try RealServer(
      "/usr/sbin/nginx", { folder, _ in nginxArguments(folder) },
      prepare: { folder in
        let made = try run(
          "/usr/bin/openssl",
          [
            "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", folder.path("key"), "-out",
            folder.path("cert"), "-days", "2", "-subj", "/CN=storytty test", "-addext",
            "subjectAltName=IP:127.0.0.1",
          ])
        guard made.status == 0 else { throw SupportError(made.errorText) }
      }
    ) { folder, port in
      """
      daemon off; master_process off; pid \(folder.path)/pid; user root;
      events { worker_connections 64; }
      http {
        log_format short '$server_protocol $status';
        access_log \(folder.path)/access.log short;
        client_body_temp_path \(folder.path)/body; proxy_temp_path \(folder.path)/proxy;
        fastcgi_temp_path \(folder.path)/fastcgi; uwsgi_temp_path \(folder.path)/uwsgi;
        scgi_temp_path \(folder.path)/scgi;
        server {
          listen 127.0.0.1:\(port) ssl http2;
          ssl_certificate \(folder.path)/cert; ssl_certificate_key \(folder.path)/key;
          root \(folder.path)/www;
        }
      }
      """
    }
  }

  /// How apache2 asks for a login.
  enum Login: String, CaseIterable, Sendable {
    case basic = "Basic"
    case digest = "Digest"
  }

  /// apache2 with WebDAV that wants a login of anna with the password secret; one process, so that
  /// its end is the end of all.
  static func apache(_ login: Login = .digest) throws -> RealServer {
    try RealServer(
      "/usr/sbin/apache2", { folder, _ in ["-X", "-f", folder.path("conf")] },
      prepare: { folder in
        // The second is the MD5 of "anna:x:secret".
        let users =
          switch login {
          case .basic: "anna:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=\n"
          case .digest: "anna:x:510a4e3ba82b56c269ff2896d7e08416\n"
          }
        try folder.write(users, to: "users")
        chmod(folder.path("users"), 0o644)
      }
    ) { folder, port in
      let modules = [
        "mpm_event", "mime", "authn_core", "authn_file", "authz_core", "authz_user", "auth_basic",
        "auth_digest", "dav", "dav_fs",
      ]
      let loads = modules.map { "LoadModule \($0)_module /usr/lib/apache2/modules/mod_\($0).so\n" }
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
    }
  }
}

extension RealServer {
  /// rclone's WebDAV server, with a login of anna with the password secret.
  static func rclone() throws -> RealServer {
    try RealServer(
      "/usr/bin/rclone",
      { folder, port in
        [
          "serve", "webdav", folder.path("www"), "--config", folder.path("conf"), "--addr",
          "127.0.0.1:\(port)", "--user", "anna", "--pass", "secret",
        ]
      }
    ) { _, _ in "" }
  }
}

private func nginxArguments(_ folder: TemporaryDirectory) -> [String] {
  ["-p", folder.path, "-c", folder.path("conf"), "-e", folder.path("error.log")]
}

private func freePort() throws -> UInt16 {
  let server = try FaultServer { _ in ServerReply() }
  server.close()
  return server.port
}

private func connects(_ port: UInt16) -> Bool {
  let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  defer { close(number) }
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
  return withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      connect(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
    }
  }
}
