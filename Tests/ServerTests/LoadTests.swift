import Glibc
import Support
import Synchronization
import System
import Testing

@testable import Server

extension Serving {
  /// Many clients, slow clients, and the end of the server.
  @Suite struct LoadTests {
    private let folder: TemporaryDirectory
    init() throws { folder = try TemporaryDirectory() }

    @Test func twoHundredReaders_allGetTheirRange() throws {
      let whole = movie(4_500_000)
      try folder.write(whole, to: "dir/a.mp4")
      let served = try Served(folder.path("dir"))
      var lines: [String] = []
      for reader in 0..<200 {
        if reader > 0 { lines.append("next") }
        let start = reader * 20_000
        lines += [
          "url = \(served.url)/a.mp4", "range = \(start)-\(start + 399_999)",
          "output = \(folder.path("\(reader)"))", "silent",
          "write-out = \"%{http_code} %{errormsg}\\n\"", "limit-rate = 400k",
        ]
      }
      try folder.write(lines.joined(separator: "\n"), to: "config")
      let result = try run(
        "/usr/bin/curl",
        ["-Z", "--parallel-immediate", "--parallel-max", "200", "-K", folder.path("config")],
        within: .seconds(120))
      #expect(result.status == 0)
      let answers = result.outputText.split(separator: "\n").map { $0.prefix(3) }
      #expect(answers == Array(repeating: "206", count: 200))
      for reader in 0..<200 {
        let start = reader * 20_000
        let isRange = try readFile(folder.path("\(reader)"))[...] == whole[start..<start + 400_000]
        #expect(isRange, "\(reader)")
      }
      #expect(try served.get("/a.mp4", ["Range: bytes=0-0"]).status == 206)
    }

    @Test func end_letsAnswersFinish() throws {
      let whole = movie(40_000_000)
      try folder.write(whole, to: "a.mp4")
      let served = try Served(folder.path)
      let wire = try #require(Wire(port: served.port))
      wire.send("GET /a.mp4 HTTP/1.1\r\nHost: localhost\r\n\r\n")
      let start = try #require(wire.read(1000))
      served.signal(SIGTERM)
      try eventually("no connection is accepted any more") { Wire(port: served.port) == nil }
      let rest = try #require(wire.read(60_000_000))
      let isWhole = try Reply(parsing: start + rest).body == whole
      #expect(isWhole)
      #expect(served.awaitEnd() == .exited(status: 0))
      #expect(served.lines.last?.hasSuffix("\"GET /a.mp4 HTTP/1.1\" 200 40000000") == true)
    }

    @Test func end_doesNotWaitForIdleConnections() throws {
      let served = try Served(folder.path)
      let idle = try #require(Wire(port: served.port))
      let half = try #require(Wire(port: served.port))
      half.send("GET / HTTP/1.1\r\nHost")
      idle.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
      #expect(idle.read(15) != nil)
      served.signal(SIGINT)
      #expect(served.awaitEnd(within: .seconds(4)) == .exited(status: 0))
    }

    @Test func end_waitsNoLongerThanFiveSecondsForTheSlow() throws {
      try folder.write(movie(40_000_000), to: "a.mp4")
      let served = try Served(folder.path)
      let wire = try #require(Wire(port: served.port))
      wire.send("GET /a.mp4 HTTP/1.1\r\nHost: localhost\r\n\r\n")
      #expect(wire.read(1000) != nil)
      served.signal(SIGTERM)
      #expect(served.awaitEnd(within: .seconds(9)) == .exited(status: 0))
      #expect(served.lines.last?.hasSuffix("\"GET /a.mp4 HTTP/1.1\" 200 -") == true)
    }

    @Test func secondSignal_endsAtOnce() throws {
      try folder.write(movie(40_000_000), to: "a.mp4")
      let served = try Served(folder.path)
      let wire = try #require(Wire(port: served.port))
      wire.send("GET /a.mp4 HTTP/1.1\r\nHost: localhost\r\n\r\n")
      #expect(wire.read(1000) != nil)
      served.signal(SIGINT)
      try eventually("no connection is accepted any more") { Wire(port: served.port) == nil }
      served.signal(SIGINT)
      #expect(served.awaitEnd(within: .seconds(4)) == .exited(status: 0))
    }

    // MARK: The library's limits, in this process

    private func listening(
      _ limits: Microhttpd.Limits, _ ended: @escaping @Sendable (Access) -> Void = { _ in }
    ) throws -> (server: Microhttpd, port: UInt16) {
      let socket = try ListeningSocket(ListenAddress(host: "127.0.0.1", port: 0))
      let port = socket.address.port
      let server = try Microhttpd(
        limits: limits,
        callbacks: Microhttpd.Callbacks(
          answer: { _ in Answer(status: 200) }, requestEnded: ended))
      try server.start(on: socket)
      return (server, port)
    }

    private static let request = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"

    /// An unfinished head is not waited for, whatever trickles in.
    @Test func slowHead_isCutOff() throws {
      let (server, port) = try listening(Microhttpd.Limits())
      defer { server.stop() }
      let slow = try #require(Wire(port: port))
      slow.send("GET / HTTP/1.1\r\nX: ")
      let idle = try #require(Wire(port: port))
      idle.send(Self.request)
      #expect(idle.read(15).map { String(decoding: $0, as: UTF8.self) } == "HTTP/1.1 200 OK")
      // As if the time had passed.
      server.closeSlow(now: .now + .seconds(29))
      slow.send("still here")
      idle.send(Self.request)
      #expect(idle.read(15) != nil)
      server.closeSlow(now: .now + .seconds(31))
      #expect(slow.read(1) == [])
    }

    @Test func connections_ofOneAddress_areLimited() throws {
      var limits = Microhttpd.Limits()
      limits.connectionsPerAddress = 3
      let (server, port) = try listening(limits)
      defer { server.stop() }
      let wires = try (0..<3).map { _ in try #require(Wire(port: port)) }
      for wire in wires {
        wire.send(Self.request)
        #expect(wire.read(15)?.count == 15)
      }
      let another = try #require(Wire(port: port))
      another.send(Self.request)
      #expect(another.read(15) == [])
      for wire in wires {
        wire.send(Self.request)
        #expect(wire.read(15)?.count == 15)
      }
    }

    @Test func connections_beyondTheLimit_wait() throws {
      var limits = Microhttpd.Limits()
      limits.connections = 4
      let (server, port) = try listening(limits)
      defer { server.stop() }
      var wires = try (0..<4).map { _ in try #require(Wire(port: port)) }
      for wire in wires {
        wire.send(Self.request)
        #expect(wire.read(15)?.count == 15)
      }
      let another = try #require(Wire(port: port))
      another.send(Self.request)
      wires.removeAll()
      #expect(another.read(15)?.count == 15)
    }

    @Test func log_hasOneEntryForEachRequest_alsoForBrokenOnes() throws {
      let seen = Mutex<[Access]>([])
      let (server, port) = try listening(Microhttpd.Limits()) { access in
        seen.withLock { $0.append(access) }
      }
      let wire = try #require(Wire(port: port))
      wire.send(Self.request + Self.request)
      try eventually("both are answered") { seen.withLock { $0.count } == 2 }
      wire.send("GET /x HTTP/1.1\r\nbroken\r\n\r\n")
      _ = wire.read(1 << 16)
      server.stop()
      let entries = seen.withLock { $0 }
      #expect(entries.map(\.target) == ["/", "/", "/x"])
      #expect(entries.map(\.status) == [200, 200, nil])
      #expect(entries.allSatisfy { $0.client == "127.0.0.1" })
    }
  }
}
