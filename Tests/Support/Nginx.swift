/// A real nginx on a loopback port.
public final class Nginx: LocalServer {
  /// Starts it.
  ///
  /// - Parameters:
  ///   - rate: bytes a second that each connection gets; nil for as many as there are.
  ///   - isSecure: whether it speaks TLS and HTTP/2, with a certificate of its own in `cert`.
  ///   - settings: lines of nginx's own language for the server; paths in them are relative to its
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

  /// One answer that it gave.
  public struct Access: Equatable, Sendable {
    public let status: Int
    public let bytes: Int
    /// Such as `HTTP/1.1`.
    public let version: String
    public let path: String
  }

  /// Its answers so far; those that were broken off are there once it noticed.
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
