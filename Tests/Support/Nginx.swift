/// A real nginx on a loopback port.
public final class Nginx: LocalServer {
  /// Starts it.
  ///
  /// - Parameters:
  ///   - rate: bytes a second for each connection; nil for no limit.
  ///   - isSecure: whether it uses TLS and HTTP/2, with its own certificate in `cert`.
  ///   - settings: lines of nginx's configuration for the server; paths in them are relative to its
  ///     folder.
  public init(rate: Int? = nil, isSecure: Bool = false, settings: String = "") throws {
    let limit = rate.map { "limit_rate \($0);" } ?? ""
    let security = isSecure ? "ssl_certificate cert; ssl_certificate_key key;" : ""
    try super.init(
      "nginx",
      arguments: { folder, _ in
        ["-p", folder.path, "-c", folder.path("conf"), "-e", folder.path("error.log")]
      },
      configuration: { folder, port in
        if isSecure { try Nginx.makeCertificate(in: folder) }
        return """
          daemon off; master_process off; pid pid; user root;
          events { worker_connections 256; }
          http {
            log_format short '$status $body_bytes_sent $server_protocol $uri';
            access_log access.log short;
            client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
            uwsgi_temp_path uwsgi; scgi_temp_path scgi;
            types { video/mp4 mp4; application/json json; }
            server {
              listen 127.0.0.1:\(port)\(isSecure ? " ssl http2" : "");
              root www; \(security) \(limit) \(settings)
            }
          }
          """
      })
  }

  private static func makeCertificate(in folder: TemporaryDirectory) throws {
    let made = try run(
      Programs.installed("openssl") ?? "openssl",
      [
        "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", folder.path("key"), "-out",
        folder.path("cert"), "-days", "2", "-subj", "/CN=storytty test", "-addext",
        "subjectAltName=IP:127.0.0.1",
      ])
    guard made.status == 0 else { throw SupportError(made.errorText) }
  }

  /// One answer of the server.
  public struct Access: Equatable, Sendable {
    public let status: Int
    public let bytes: Int
    /// The protocol, such as `HTTP/1.1`.
    public let version: String
    public let path: String
  }

  /// Its answers so far; an aborted one appears when nginx has noticed it.
  public var accesses: [Access] {
    ((try? readText(folder.path("access.log"))) ?? "").split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ", maxSplits: 3).map(String.init)
      guard words.count == 4, let status = Int(words[0]), let bytes = Int(words[1]) else {
        return nil
      }
      return Access(status: status, bytes: bytes, version: words[2], path: words[3])
    }
  }
}
