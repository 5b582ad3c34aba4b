import Glibc
import Support
import System
import Testing

extension EndToEnd {
  /// What `--log` tells whoever looks into a fault.
  @Suite struct LogTests {
    private let home: TemporaryDirectory
    init() throws { home = try TemporaryDirectory() }

    private var path: String { home.path("log") }

    /// The lines, each as its level, category and words.
    private func lines() throws -> [String] {
      try readText(path).split(separator: "\n").map { line in
        let (time, rest) = (line.prefix { $0 != " " }, line.drop { $0 != " " }.dropFirst())
        #expect(time.utf8.count == 24 && time.hasSuffix("Z"), "\(line)")
        return String(rest)
      }
    }

    /// The number behind a word in a line.
    private func number(_ word: String, in line: String) throws -> Int {
      let rest = try #require(line.components(behind: word).first, "\(line)")
      return try #require(Int(rest.prefix { $0.isNumber }), "\(line)")
    }

    private func play(
      _ url: String, _ options: [String] = [], categories: String? = nil
    ) throws -> Play {
      try Play(
        ["--log", path, "--cache-dir", home.path("cache")] + options + [url],
        environment: categories.map { ["STORYTTY_LOG": $0] } ?? [:])
    }

    /// From the log alone: what stood still, when and for how long, what was under way then, and
    /// that the line gives less than the story needs.
    @Test func stall_overASlowLine_isExplained() throws {
      let clip = try Clip(.pattern, width: 640, height: 360, rate: 30, seconds: 60).file()
      let nginx = try Nginx()
      try nginx.serve(file: clip, as: "slow.mp4")
      let needed = try readFile(clip).count / 60
      let line = try SlowLine(to: nginx.port, bytesPerSecond: needed * 2 / 3)
      let play = try play("\(line.url)/slow.mp4")
      let hasStalled = play.terminal.waitUntil(within: .seconds(60)) { _ in
        (try? readText(path))?.contains(" playback resume at ") == true
      }
      #expect(hasStalled)
      #expect(play.quit()?.shellStatus == 0)
      let lines = try lines()
      let stall = try #require(lines.firstIndex { $0.hasPrefix("warning playback stall at ") })
      #expect(try number("needs about ", in: lines[stall]) > needed * 9 / 10)
      #expect(try number("the line gives ", in: lines[stall]) < needed)
      let resume = try #require(lines.firstIndex { $0.hasPrefix("info playback resume at ") })
      #expect(resume > stall)
      #expect(try number(" after ", in: lines[resume]) >= 500)
      // The request that it waited for: begun before, and not done yet.
      let url = "\(line.url)/slow.mp4"
      let asked = lines[..<stall].filter { $0.contains(" GET \(url) bytes ") }
      #expect(!asked.isEmpty)
      let isOpen = asked.contains { request in
        let name = request.split(separator: " ")[2]
        return !lines[..<stall].contains { $0.contains(" \(name) done: ") }
      }
      #expect(isOpen)
      #expect(lines.contains { $0.hasPrefix("info playback begin \(url)") })
      #expect(lines.contains { $0.hasPrefix("info playback first picture after ") })
      #expect(lines.contains { $0.hasPrefix("debug http #1 status 206 in ") })
      #expect(lines.contains { $0.contains("decoder pid ") && $0.hasSuffix(" opens slow.mp4") })
      let ended = lines.filter { $0.contains(" has ended: ") }
      #expect(ended.contains { $0.contains("its story is left") && $0.contains("ms of processor") })
      #expect(lines.contains { $0.hasPrefix("info playback stopped at ") })
    }

    @Test func seekAndNeighbours_areTold() throws {
      let clips = try [Colors.red, Colors.lime].map { try Colors.clip($0) }
      let play = try Play(["--log", path] + clips)
      #expect(play.waitFor(color: Colors.red))
      play.watch(for: .milliseconds(700))
      play.type(".")
      play.watch(for: .milliseconds(500))
      play.type("p")
      play.watch(for: .milliseconds(200))
      play.type("pl")
      #expect(play.waitFor(color: Colors.lime))
      #expect(play.quit()?.shellStatus == 0)
      let lines = try lines()
      let name = try #require(clips[1].split(separator: "/").last)
      var rest = lines[...]
      for wanted in [
        "info playback begin \(clips[0])", "debug playback \(name) kept ready",
        "info playback seek to ", "info playback sought picture at ", "info playback paused",
        "info playback no longer paused", "info playback skipped at ",
        "info playback begin \(clips[1])",
        "debug playback \(name) was kept ready, with its picture",
        "info playback stopped at ",
      ] {
        let found = try #require(rest.firstIndex { $0.hasPrefix(wanted) }, "\(wanted): \(lines)")
        rest = rest[(found + 1)...]
      }
    }

    /// Retries and redirects are told; no login, signature, token or header of the config is.
    @Test func requests_areTold_withoutSecrets() throws {
      let nginx = try Nginx(
        settings: """
          location /led/ { return 302 /there/clip.mp4?X-Sig=CANARY&part=7; }
          location /in/ { auth_basic x; auth_basic_user_file \(home.path("users")); }
          """)
      try home.write("", to: "users")
      try nginx.serve(file: Colors.clip(Colors.red, seconds: 0.5), as: "there/clip.mp4")
      let config = try home.write(
        """
        [host 127.0.0.1:\(nginx.port)]
        header = X-Key: CANARY
        header-command = Authorization: echo Bearer CANARY

        """, to: "config")
      chmod(config, 0o600)
      let host = "127.0.0.1:\(nginx.port)"
      let play = try Play([
        "--untimed", "--config", config, "--log", path, "--cache-dir", home.path("cache"),
        "http://anna:CANARY@\(host)/led/clip.mp4?token=CANARY&page=2",
        "http://anna:CANARY@\(host)/in/clip.mp4?CANARY",
      ])
      #expect(play.terminal.awaitEnd()?.shellStatus == 3)
      #expect(try !readText(path).contains("CANARY"))
      let lines = try lines()
      #expect(
        lines.contains {
          $0.hasSuffix(" GET http://\(host)/led/clip.mp4?token=...&page=2 bytes 0-262143")
        })
      #expect(
        lines.contains {
          $0.hasSuffix("status 302, goes on at http://\(host)/there/clip.mp4?X-Sig=...&part=7")
        })
      #expect(
        lines.contains { $0.contains(" done: status 206, ") && $0.hasSuffix("1 redirects") })
      #expect(
        lines.contains {
          $0.hasPrefix("warning http ") && $0.contains("\(host) wants a login")
        })
    }

    @Test func cacheCategory_tellsWhereBytesCameFrom() throws {
      let nginx = try Nginx()
      try nginx.serve(file: Colors.clip(Colors.red, seconds: 0.5), as: "clip.mp4")
      let url = "\(nginx.url)/clip.mp4"
      for source in ["the network", "disk"] {
        let play = try play(url, ["--untimed"], categories: "cache")
        #expect(play.terminal.awaitEnd()?.shellStatus == 0)
        let lines = try lines()
        #expect(lines.allSatisfy { $0.contains(" cache \(url) ") } && !lines.isEmpty)
        #expect(lines.contains { $0.contains(" bytes 0-") && $0.hasSuffix(" from \(source)") })
        #expect(lines.contains { $0.contains(" fetches bytes 0-") } == (source != "disk"))
        try writeFile([], to: path)
      }
    }

    /// A list that names nothing would leave the log empty without a word.
    @Test(arguments: [
      ("htpp,decoder", "'htpp'; did you mean 'http'?"), (" , ", "''"),
      ("http;cache", "'http;cache'"),
    ])
    func categories_thatAreNone_areAMistake(list: String, words: String) throws {
      let play = try Play(
        ["--untimed", "--log", path, Colors.clip(Colors.red, seconds: 0.5)],
        environment: ["STORYTTY_LOG": list])
      #expect(play.terminal.awaitEnd()?.shellStatus == 1)
      let text = String(decoding: play.terminal.output, as: UTF8.self)
      #expect(
        text.contains(
          "STORYTTY_LOG takes playback, http, cache or decoder, or several with commas between, "
            + "not \(words)"), "\(text)")
      #expect(!fileExists(path))
    }
  }
}

extension String {
  /// What stands behind each occurrence of some words.
  fileprivate func components(behind words: String) -> [Substring] {
    ranges(of: words).map { self[$0.upperBound...] }
  }
}
