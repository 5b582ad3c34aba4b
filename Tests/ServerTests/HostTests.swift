import Glibc
import Support
import System
import Testing

@testable import Server

extension Serving {
  /// Which host a request must name, and what a page of another site gets.
  @Suite struct HostTests {
    private let folder: TemporaryDirectory
    init() throws {
      folder = try TemporaryDirectory()
      try folder.write(movie(40), to: "dir/a.mp4")
      chmod(try folder.write("s3cret", to: "token"), 0o600)
    }

    private static let foreign = [
      "example.org", "example.org:80", "localhost.example.org", "127.0.0.1.example.org", "a.local",
      "1.2.3", "127.0.0.1x", "localhos", "0x7f.1",
    ]

    /// The status of the answer to a hand-written request head.
    private func status(_ served: Served, _ head: String) throws -> Int {
      let wire = try #require(Wire(port: served.port))
      wire.send(head + "Connection: close\r\n\r\n")
      return try Reply(parsing: try #require(wire.read(1 << 20))).status
    }

    /// A web page whose host name was pointed to this machine still names that host.
    @Test func foreignHost_onLoopback_isMisdirected() throws {
      let served = try Served(folder.path("dir"))
      for host in Self.foreign {
        for path in ["/", "/feed.json", "/a.mp4", "/none", "/animations"] {
          let reply = try served.get(path, ["Host: \(host)"])
          #expect(reply.status == 421, "\(host)\(path)")
          #expect(
            reply.text
              == "requests must name this machine by its address or name; "
              + "--token-file lifts that\n")
        }
      }
      var own = ["localhost", "LocalHost.:1", "a.localhost", "127.0.0.1:8", "192.0.2.7", "[::1]"]
      if let name = Machine.name { own += [name, name.uppercased() + ":80"] }
      for host in own {
        #expect(try served.get("/a.mp4", ["Host: \(host)"]).body == movie(40), "\(host)")
      }
    }

    @Test func host_thatIsNone_orMoreThanOne_isABadRequest() throws {
      let served = try Served(folder.path("dir"))
      for hosts in [
        "", "Host: localhost\r\nHost: localhost\r\n", "Host: localhost\r\nHost: example.org\r\n",
        "Host: localhost, example.org\r\n", "Host:\r\n", "Host: a b\r\n", "Host: u@localhost\r\n",
        "Host: localhost:x\r\n", "Host: [::1\r\n", "Host: [localhost]\r\n", "Host: :80\r\n",
      ] {
        #expect(try status(served, "GET /a.mp4 HTTP/1.1\r\n" + hosts) == 400, "\(hosts)")
      }
      #expect(try status(served, "GET /a.mp4 HTTP/1.0\r\n") == 400)
    }

    /// RFC 9112, section 3.2.2: the target counts, not the field.
    @Test func host_inTheTarget_isTheOneThatCounts() throws {
      let served = try Served(folder.path("dir"))
      let field = "Host: localhost\r\n"
      #expect(try status(served, "GET http://127.0.0.1/a.mp4 HTTP/1.1\r\n" + field) == 200)
      #expect(try status(served, "GET http://127.0.0.1?/a.mp4 HTTP/1.1\r\n" + field) == 200)
      for host in ["example.org", "example.org:80"] {
        #expect(try status(served, "GET http://\(host)/a.mp4 HTTP/1.1\r\n" + field) == 421)
      }
      #expect(try status(served, "GET http://a@localhost/a.mp4 HTTP/1.1\r\n" + field) == 400)
    }

    /// A web page does not know the token; and a server for other machines may have any name.
    @Test(arguments: [true, false])
    func foreignHost_withAToken_orForAll_isAnswered(hasToken: Bool) throws {
      let options =
        hasToken ? ["--token-file", folder.path("token")] : ["--listen", "0.0.0.0:0"]
      let served = try Served(folder.path("dir"), options)
      let fields = hasToken ? ["Authorization: Bearer s3cret"] : []
      let url = "http://127.0.0.1:\(served.port)/a.mp4"
      for host in ["example.org", "localhost"] {
        #expect(try fetch(url, fields + ["Host: \(host)"]).status == 200)
      }
      #expect(try fetch(url, fields + ["Host: a, b"]).status == 400)
    }

    @Test func everyAnswer_isForItsOwnPagesAlone() throws {
      let served = try Served(folder.path("dir"))
      for (path, fields) in [
        ("/", []), ("/feed.json", []), ("/a.mp4", []), ("/a.mp4", ["Range: bytes=0-3"]),
        ("/none", []), ("/%", []), ("/a.mp4", ["Host: example.org"]),
        ("/a.mp4", ["If-Match: \"\""]),
      ] {
        let reply = try served.get(path, fields)
        #expect(reply.fields["cross-origin-resource-policy"] == "same-origin", "\(path)")
        #expect(reply.fields["access-control-allow-origin"] == nil)
      }
    }

    /// The announced bytes cannot come any more: the client must not wait for them.
    @Test func file_thatIsCutWhileItIsSent_endsItsConnection() throws {
      let path = try folder.write(movie(40_000_000), to: "dir/long.mp4")
      let served = try Served(folder.path("dir"))
      let other = try #require(Wire(port: served.port))
      let wire = try #require(Wire(port: served.port))
      wire.send("GET /long.mp4 HTTP/1.1\r\nHost: localhost\r\n\r\n")
      #expect(wire.read(1000)?.count == 1000)
      #expect(truncate(path, 500) == 0)
      // The connection ends long before the time limit of slow clients.
      let rest = try #require(wire.read(40_000_000))
      #expect(rest.count < 39_000_000)
      // Other connections go on.
      other.send("GET /a.mp4 HTTP/1.1\r\nHost: localhost\r\n\r\n")
      #expect(other.read(15).map { String(decoding: $0, as: UTF8.self) } == "HTTP/1.1 200 OK")
      try eventually("both are logged") { served.lines.count == 3 }
      #expect(served.lines.contains { $0.hasSuffix("\"GET /long.mp4 HTTP/1.1\" 200 -") })
    }
  }
}

@Suite struct OwnNamesTests {
  @Test func names_areThoseOfTheMachine_andWhereItListens() throws {
    let names = OwnNames(machine: "Nas.example.org", listening: "stories.home:80")
    for (host, isOwn) in [
      ("localhost", true), ("x.localhost", true), ("xlocalhost", false), ("nas", true),
      ("nas.local", true), ("nas.example.org.", true), ("stories.home", true), ("home", false),
      ("stories.local", false), ("example.org", false), ("10.0.0.1", true), ("[fe80::1]", true),
    ] {
      #expect(names.hold(try #require(RequestHost(host))) == isOwn, "\(host)")
    }
    let plain = OwnNames(machine: nil, listening: "127.0.0.1")
    #expect(plain == OwnNames(machine: "", listening: "::1"))
  }
}
