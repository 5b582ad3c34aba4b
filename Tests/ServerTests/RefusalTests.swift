import Glibc
import Support
import System
import Testing

extension Serving {
  /// What is refused, and to whom.
  @Suite struct RefusalTests {
    private let folder: TemporaryDirectory

    init() throws {
      folder = try TemporaryDirectory()
      try folder.write("secret", to: "secret.mp4")
      try folder.write(movie(40), to: "dir/a/in.mp4")
      try folder.write(movie(40), to: "dir/a/.hidden.mp4")
      try folder.write(movie(40), to: "dir/.git/x.mp4")
      for (target, name) in [
        ("../../secret.mp4", "a/out.mp4"), (folder.path("secret.mp4"), "a/absolute.mp4"),
        ("..", "up"), ("/proc/self/cwd", "magic"), ("in.mp4", "a/stays.mp4"), ("a", "b"),
      ] {
        #expect(symlink(target, folder.path("dir/\(name)")) == 0)
      }
      #expect(mkfifo(folder.path("dir/a/fifo.mp4"), 0o644) == 0)
    }

    private static let elsewhere = [
      "/../secret.mp4", "/a/../../secret.mp4", "/a/../a/in.mp4", "/./a/in.mp4", "/a/./in.mp4",
      "/%2e%2e/secret.mp4", "/%2E%2e%2fsecret.mp4", "/..%2fsecret.mp4", "/a%2fin.mp4",
      "/a%2Fin.mp4", "/..%5csecret.mp4", "/..\\secret.mp4", "/a\\in.mp4",
      "/%252e%252e/secret.mp4", "/%252e%252e%252fsecret.mp4", "/a/in.mp4%00", "/a/in.mp4%00.jpg",
      "/%00", "//a/in.mp4", "/a//in.mp4", "/a/in.mp4/", "/a", "/a/", "/.", "/..", "/a/..",
      "/%c0%ae%c0%ae/secret.mp4", "/%ff", "/a/.hidden.mp4", "/a/%2ehidden.mp4", "/.git/x.mp4",
      "/a/out.mp4", "/a/absolute.mp4", "/up/secret.mp4", "/magic/a/in.mp4", "/a/fifo.mp4",
      "/a/none.mp4", "/none/in.mp4", "/animation/..%2f..%2fsecret", "/animations/../a/in.mp4",
      "/proc/self/environ", "/etc/passwd", "/feed.json/", "/FEED.JSON", "/in.mp4",
    ]

    @Test func path_thatLeadsElsewhere_isNotFound() throws {
      let served = try Served(folder.path("dir"))
      for path in Self.elsewhere {
        let reply = try served.get(path)
        #expect(reply.status == 404, "\(path)")
        #expect(reply.text == "nothing of this name is offered\n", "\(path)")
      }
    }

    @Test func path_thatIsMalformed_isSaidToBe() throws {
      let served = try Served(folder.path("dir"))
      for path in ["/%", "/%2", "/%zz", "/a/in.mp4%"] {
        #expect(try served.get(path).status == 400, "\(path)")
      }
    }

    @Test func link_thatStaysInside_isFollowed() throws {
      let served = try Served(folder.path("dir"))
      for path in ["/a/in.mp4", "/a/stays.mp4", "/b/in.mp4", "/a/in.mp4?query", "/%61/in%2Emp4"] {
        #expect(try served.get(path).body == movie(40), "\(path)")
      }
      #expect(try served.ids() == ["a/in.mp4", "a/stays.mp4"])
      #expect(served.errorText.contains("out.mp4: it leads out of the directory"))
    }

    @Test func target_inTheFormsOfRFC9112_isUnderstood() throws {
      let served = try Served(folder.path("dir"))
      func status(_ target: String) throws -> Int {
        let wire = try #require(Wire(port: served.port))
        wire.send("GET \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        return try Reply(parsing: try #require(wire.read(1 << 20))).status
      }
      #expect(try status("http://localhost:80/a/in.mp4") == 200)
      #expect(try status("http://localhost") == 200)
      #expect(try status("a/in.mp4") == 400)
      #expect(try status("*") == 400)
      #expect(try status("http://localhost/../secret.mp4") == 404)
    }

    @Test func method_otherThanGetAndHead_isNotAllowed() throws {
      let served = try Served(folder.path("dir"))
      for method in ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "BREW"] {
        let reply = try served.get("/a/in.mp4", method: method)
        #expect(reply.status == 405, "\(method)")
        #expect(reply.fields["allow"] == "GET, HEAD", "\(method)")
      }
    }

    @Test func head_hasNoBody() throws {
      let served = try Served(folder.path("dir"))
      for path in ["/a/in.mp4", "/feed.json", "/", "/none"] {
        let (head, whole) = (try served.get(path, method: "HEAD"), try served.get(path))
        #expect(head.body == [])
        #expect(head.status == whole.status)
        for name in ["content-length", "content-type", "etag", "last-modified"] {
          #expect(head.fields[name] == whole.fields[name], "\(path) \(name)")
        }
      }
      // As nginx does, though RFC 9110 (section 14.2) defines ranges for GET alone.
      #expect(try served.get("/a/in.mp4", ["Range: bytes=0-1"], method: "HEAD").status == 206)
    }

    /// A body is neither read nor treated as the next request.
    @Test func body_isRefusedAndEndsTheConnection() throws {
      let served = try Served(folder.path("dir"))
      let inner = "GET /a/in.mp4 HTTP/1.1\r\nHost: localhost\r\n\r\n"
      for head in [
        "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(inner.utf8.count)\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n",
      ] {
        let wire = try #require(Wire(port: served.port))
        wire.send(head + inner)
        let text = String(decoding: try #require(wire.read(1 << 20)), as: UTF8.self)
        #expect(text.hasPrefix("HTTP/1.1 413 "))
        #expect(text.ranges(of: "HTTP/1.1 ").count == 1)
      }
      #expect(!served.lines.contains { $0.contains("in.mp4") })
    }

    @Test func head_thatIsTooLong_isRefused() throws {
      let served = try Served(folder.path("dir"))
      let long = String(repeating: "a", count: 40_000)
      #expect(try served.get("/" + long).status == 414)
      #expect(try served.get("/a/in.mp4", ["X: \(long)"]).status == 431)
      #expect(try served.get("/a/in.mp4").status == 200)
    }

    @Test func token_isAskedForEverywhere() throws {
      let path = try folder.write("s3cret\n", to: "token")
      chmod(path, 0o600)
      let served = try Served(folder.path("dir"), ["--token-file", path])
      for path in ["/", "/feed.json", "/animations", "/a/in.mp4", "/none", "/../x", "/%"] {
        let reply = try served.get(path)
        #expect(reply.status == 401)
        #expect(reply.fields["www-authenticate"] == "Bearer realm=\"storytty\"")
        #expect(reply.text == "a token is needed\n")
      }
      for wrong in [
        "Bearer s3cre", "Bearer s3cret2", "Bearer ", "Bearer s3crets3cret", "Basic s3cret",
        "s3cret", "Bearer S3CRET",
      ] {
        #expect(try served.get("/feed.json", ["Authorization: \(wrong)"]).status == 401)
      }
      #expect(try served.get("/a/in.mp4", ["Authorization: Bearer s3cret"]).body == movie(40))
      #expect(try served.get("/?t=s3cret", ["Authorization: bearer s3cret"]).status == 200)
      try eventually("all is logged") { served.lines.count == 17 }
      #expect(!served.lines.joined().contains("s3cret"))
      #expect(!served.errorText.contains("s3cret"))
    }

    /// With the section of the configuration from README.md, a player sends the token.
    @Test func token_isSentByAPlayer_thatIsConfigured() throws {
      let token = try folder.write("s3cret\n", to: "token")
      chmod(token, 0o600)
      let served = try Served(folder.path("dir"), ["--token-file", token])
      func list(_ options: [String]) throws -> CommandResult {
        try run(
          Programs.player, ["list", "--no-cache"] + options + [served.url + "/feed.json"],
          environment: plainEnvironment.merging(["HOME": folder.path]) { _, new in new })
      }
      #expect(try list([]).status == 2)
      let config = try folder.write(
        "[host 127.0.0.1:\(served.port)]\n"
          + "header-command = Authorization: echo \"Bearer $(cat ~/token)\"\n", to: "config")
      chmod(config, 0o600)
      let listed = try list(["--config", config])
      #expect(listed.status == 0)
      #expect(listed.outputText.contains(served.url + "/a/in.mp4"))
    }

    @Test func log_isInTheCommonFormat() throws {
      let served = try Served(folder.path("dir"))
      _ = try served.get("/a/in.mp4", ["Range: bytes=1-4"])
      _ = try served.get("/none?secret")
      _ = try served.get("/a/in.mp4", method: "HEAD")
      let wire = try #require(Wire(port: served.port))
      wire.send("GET /\u{1B}[2J\"\\\u{9B} HTTP/1.0\r\nHost: localhost\r\n\r\n")
      #expect(wire.read(1 << 16)?.isEmpty == false)
      try eventually("all is logged") { served.lines.count == 5 }
      let lines = served.lines.dropFirst().map { line in
        // Without the time.
        line.prefix { $0 != "[" } + line.drop { $0 != "]" }
      }
      #expect(
        lines == [
          #"127.0.0.1 - - ] "GET /a/in.mp4 HTTP/1.1" 206 4"#,
          #"127.0.0.1 - - ] "GET /none HTTP/1.1" 404 32"#,
          #"127.0.0.1 - - ] "HEAD /a/in.mp4 HTTP/1.1" 200 -"#,
          #"127.0.0.1 - - ] "GET /\x1b[2J\"\\\xc2\x9b HTTP/1.0" 404 32"#,
        ])
      let time = served.lines[1].drop { $0 != "[" }.prefix { $0 != "]" }
      #expect(time.wholeMatch(of: /\[\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000/) != nil)
    }
  }

  /// Command lines that serve nothing give status 1 and one line that says why.
  @Suite struct StartTests {
    private func failure(_ arguments: [String]) throws -> String {
      let result = try run(Programs.player, ["serve"] + arguments)
      #expect(result.status == 1)
      #expect(result.output == [])
      #expect(result.errorLines.count == 1)
      return result.errorText
    }

    @Test func mistake_isNamed() throws {
      let folder = try TemporaryDirectory()
      try folder.write("x", to: "file")
      try folder.write("", to: "empty")
      chmod(folder.path("empty"), 0o600)
      #expect(try failure([]) == "storytty: serve needs one DIR; see storytty --help\n")
      #expect(try failure(["a", "b"]) == "storytty: serve needs one DIR; see storytty --help\n")
      #expect(try failure(["/none"]) == "storytty: cannot serve /none: no such file or directory\n")
      #expect(
        try failure([folder.path("file")])
          == "storytty: cannot serve \(folder.path("file")): not a directory\n")
      for wrong in ["x", "127.0.0.1", "1.2.3.4:x", "1.2.3.4:70000", "::1:80", ":80", "a:-1"] {
        #expect(try failure([folder.path, "--listen", wrong]).contains("'\(wrong)'"))
      }
      #expect(
        try failure([folder.path, "--listen", "192.0.2.1:0"])
          == "storytty: cannot listen on 192.0.2.1:0: this machine has no such address\n")
      let token = ["--token-file", folder.path("file")]
      chmod(folder.path("file"), 0o640)
      #expect(try failure([folder.path] + token).contains("chmod 600"))
      for name in ["empty", "none", "."] {
        let text = try failure([folder.path, "--token-file", folder.path(name)])
        #expect(text.hasPrefix("storytty: cannot use the token file \(folder.path(name)): "))
      }
    }

    @Test func port_thatIsTaken_isSaid() throws {
      let folder = try TemporaryDirectory()
      let first = try Served(folder.path)
      let text = try failure([folder.path, "--listen", "127.0.0.1:\(first.port)"])
      #expect(
        text
          == "storytty: cannot listen on 127.0.0.1:\(first.port): another program listens there; "
          + "choose another port with --listen\n")
    }

    @Test func openDoor_isWarnedOf_unlessATokenGuardsIt() throws {
      let folder = try TemporaryDirectory()
      chmod(try folder.write("s3cret", to: "token"), 0o600)
      try folder.write(movie(40), to: "dir/a.mp4")
      let wide = ["--listen", "0.0.0.0:0"]
      let open = try Served(folder.path("dir"), wide)
      #expect(open.errorText.contains("--token-file asks for a token"))
      #expect(try fetch("http://127.0.0.1:\(open.port)/a.mp4").body == movie(40))
      let guarded = try Served(folder.path("dir"), wide + ["--token-file", folder.path("token")])
      #expect(guarded.errorText == "")
      #expect(try Served(folder.path("dir")).errorText == "")
    }
  }
}
