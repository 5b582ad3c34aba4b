import Glibc
import Support
import System

/// nginx with one worker, offering a folder on a port of its own; ended with this object.
final class Nginx {
  let url: String
  private let folder: TemporaryDirectory
  private let process: ChildProcess

  init(_ root: String) throws {
    guard fileExists("/usr/sbin/nginx") else {
      throw SupportError("nginx is missing: `make test-deps` installs it")
    }
    let folder = try TemporaryDirectory()
    let port = try ListeningSocket(ListenAddress(host: "127.0.0.1", port: 0)).address.port
    chmod(folder.path, 0o755)
    let configuration = """
      daemon off; master_process off; pid \(folder.path)/pid; user root;
      events { worker_connections 512; }
      http {
        access_log off; sendfile on; default_type application/octet-stream;
        types { video/mp4 mp4; image/png png; application/json json; }
        client_body_temp_path \(folder.path)/body; proxy_temp_path \(folder.path)/proxy;
        fastcgi_temp_path \(folder.path)/fastcgi; uwsgi_temp_path \(folder.path)/uwsgi;
        scgi_temp_path \(folder.path)/scgi;
        if_modified_since before;
        server { listen 127.0.0.1:\(port); root \(root); }
      }
      """
    try folder.write(configuration, to: "conf")
    self.folder = folder
    url = "http://127.0.0.1:\(port)"
    process = try ChildProcess.start(
      "/usr/sbin/nginx",
      arguments: ["-p", folder.path, "-c", folder.path("conf"), "-e", folder.path("error.log")],
      environment: ["PATH=/usr/bin:/bin"]
    ).process
    try eventually("nginx starts") { Wire(port: port) != nil }
  }

  deinit { process.kill() }

  func get(_ path: String, _ fields: [String] = [], method: String = "GET") throws -> Reply {
    try fetch(url + path, fields, method: method)
  }
}
