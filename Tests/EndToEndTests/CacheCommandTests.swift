import Support
import Testing

extension EndToEnd {
  /// `storytty cache` and its verbs.
  @Suite struct CacheCommandTests {
    private let folder: TemporaryDirectory
    private let nginx: Nginx
    private let clip: [UInt8]

    init() throws {
      folder = try TemporaryDirectory()
      nginx = try Nginx()
      clip = try readFile(Clip(.pattern, width: 640, height: 360, seconds: 3).file())
      try nginx.serve(clip, as: "clip.mp4")
    }

    private func cache(_ words: [String]) throws -> CommandResult {
      try storytty(["cache"] + words + ["--cache-dir", folder.path("cache")])
    }

    private func json(_ words: [String]) throws -> JSONValue {
      try JSONValue(parsing: cache(words + ["--json"]).output)
    }

    private func prefetch() throws -> CommandResult {
      try cache(["prefetch", "\(nginx.url)/clip.mp4"])
    }

    /// Changes bytes in the middle of every blob.
    private func damage(_ bytes: Int) throws {
      let blobs = folder.path("cache/blobs")
      for shard in directoryEntries(blobs) {
        for name in directoryEntries("\(blobs)/\(shard)") {
          let path = "\(blobs)/\(shard)/\(name)"
          var content = try readFile(path)
          for index in 0..<bytes { content[content.count / 2 + index] ^= 0x20 }
          try writeFile(content, to: path)
        }
      }
    }

    @Test func everyVerb_withoutACache_findsNothing_andMakesNone() throws {
      for verb in ["status", "list", "verify", "clear"] {
        let result = try cache([verb])
        #expect(result.status == 0)
        #expect(result.errors == [])
      }
      #expect(!fileExists(folder.path("cache")))
      #expect(try cache(["path"]).outputText == folder.path("cache") + "\n")
    }

    @Test func prefetch_ofAStory_fetchesItOnce() throws {
      let first = try prefetch()
      #expect(first.status == 0)
      let size = "\((Double(clip.count) / 100).rounded() / 10) kB"
      #expect(first.outputText == "\(nginx.url)/clip.mp4  \(size), fetched \(size)\n")
      #expect(try prefetch().outputText == "\(nginx.url)/clip.mp4  \(size), already cached\n")
      #expect(nginx.accesses.map(\.bytes).reduce(0, +) == clip.count)
    }

    @Test func prefetch_onATerminal_showsABar() throws {
      let slow = try Nginx(rate: 200_000)
      try slow.serve(clip, as: "clip.mp4")
      let terminal = try PseudoTerminal(columns: 90, rows: 10)
      try terminal.start(
        Programs.player,
        ["cache", "prefetch", "\(slow.url)/clip.mp4", "--cache-dir", folder.path("cache")],
        environment: Play.environment(home: folder.path))
      #expect(terminal.waitUntil { $0.text.contains("1/1 clip.mp4 from 127.0.0.1") })
      #expect(terminal.awaitEnd()?.shellStatus == 0)
      #expect(terminal.screen.text.contains("clip.mp4  "))
      #expect(!terminal.screen.text.contains("1/1"))
    }

    @Test func prefetch_ofWhatIsMissing_saysSo() throws {
      let result = try cache(["prefetch", "\(nginx.url)/clip.mp4", "\(nginx.url)/none.mp4"])
      #expect(result.status == 3)
      #expect(result.errorLines.count == 1)
      #expect(
        result.errorText.hasPrefix("storytty: cannot fetch \(nginx.url)/none.mp4: 127.0.0.1:"))
      #expect(try cache(["prefetch", "\(nginx.url)/none.mp4"]).status == 2)
      #expect(try cache(["prefetch"]).status == 1)
    }

    @Test func status_tellsWhatIsHeldAndSaved() throws {
      _ = try prefetch()
      let url = "\(nginx.url)/clip.mp4"
      for _ in 0..<2 {
        let play = try Play(["--untimed", "--cache-dir", folder.path("cache"), url])
        #expect(play.terminal.awaitEnd()?.shellStatus == 0)
        #expect(try play.report().network.requests == 0)
      }
      let status = try json(["status"])
      #expect(
        status.keys == ["bytes", "days", "entries", "limitBytes", "limitEntries", "path", "total"])
      #expect(status["entries"] == .number(1))
      #expect(status["bytes"] == .number(Double(clip.count)))
      #expect(status["total"]["bytesFetched"] == .number(Double(clip.count)))
      #expect(status["days"].elements.count == 1)
      guard case .number(let saved) = status["total"]["bytesSaved"],
        case .number(let served) = status["total"]["bytesServed"]
      else { throw SupportError("no sums") }
      #expect(saved == served - Double(clip.count))
      // Twice the whole story was shown without fetching it again.
      #expect(served >= Double(2 * clip.count))
      #expect(try cache(["status"]).outputText.contains(" saved: "))
    }

    @Test func list_namesEntriesWithoutSecrets() throws {
      _ = try cache([
        "prefetch", "http://anna:canary@127.0.0.1:\(nginx.port)/clip.mp4?token=canary",
      ])
      let list = try json(["list"])
      #expect(list.elements.map { $0["source"] } == [.text("\(nginx.url)/clip.mp4")])
      #expect(list.elements.map { $0["length"] } == [.number(Double(clip.count))])
      #expect(try !cache(["list"]).outputText.contains("canary"))
    }

    @Test func verify_ofDamagedBlobs_dropsThemOnce() throws {
      _ = try prefetch()
      #expect(try cache(["verify"]).status == 0)
      try damage(3)
      let found = try cache(["verify"])
      #expect(found.status == 3)
      #expect(found.outputText.contains("1 wrong, dropped"))
      #expect(try json(["verify"])["wrongSegments"] == .number(0))
      // What was dropped is fetched again, and nothing else.
      _ = try prefetch()
      #expect(nginx.accesses.map(\.bytes).reduce(0, +) < 2 * clip.count)
      #expect(try json(["verify"])["bytes"] == .number(Double(clip.count)))
    }

    @Test func verify_ofAnUnusableIndex_isAnError_andTheNextRunWorks() throws {
      _ = try prefetch()
      try writeFile(Array("no database at all".utf8), to: folder.path("cache/index.db"))
      let result = try cache(["verify"])
      #expect(result.status == 1)
      #expect(result.errorText.contains("cannot use the cache \(folder.path("cache"))"))
      #expect(try prefetch().status == 0)
      #expect(try cache(["verify"]).status == 0)
    }

    /// Only looking at an index that cannot be read is an error too, not an empty cache.
    @Test(arguments: ["status", "list"])
    func looking_atAnUnusableIndex_isAnError_andTheNextRunWorks(verb: String) throws {
      _ = try prefetch()
      try writeFile(Array("no database at all".utf8), to: folder.path("cache/index.db"))
      let result = try cache([verb])
      #expect(result.status == 1)
      #expect(result.output == [])
      #expect(
        result.errorLines == [
          "storytty: cannot use the cache \(folder.path("cache")): "
            + "the cache's index was damaged and is begun anew"
        ])
      #expect(try cache([verb]).status == 0)
    }

    @Test(arguments: ["status", "list", "verify", "clear"])
    func everyVerb_whereTheCacheIsAFile_isAnError(verb: String) throws {
      try folder.write("mine", to: "cache")
      let result = try cache([verb])
      #expect(result.status == 1)
      #expect(result.output == [])
      #expect(
        result.errorLines == [
          "storytty: cannot use the cache \(folder.path("cache")): it is no directory"
        ])
      #expect(try readFile(folder.path("cache")) == Array("mine".utf8))
    }

    @Test func pathAndClear_asJSON() throws {
      #expect(try json(["path"]) == .object(["path": .text(folder.path("cache"))]))
      #expect(try json(["clear"]) == .object(["entries": .number(0)]))
      _ = try prefetch()
      #expect(try json(["status"])["entries"] == .number(1))
      #expect(try json(["clear"]) == .object(["entries": .number(0)]))
    }

    @Test func clear_leavesNothing() throws {
      _ = try prefetch()
      #expect(try cache(["clear"]).status == 0)
      #expect(try json(["status"])["entries"] == .number(0))
      let shards = directoryEntries(folder.path("cache/blobs"))
      #expect(shards.flatMap { directoryEntries(folder.path("cache/blobs/\($0)")) } == [])
    }

    @Test(arguments: [
      (["cache", "verfy"], "did you mean 'verify'?"), (["cache", "list", "x"], "takes no source"),
      (["cache", "status", "--no-cache"], "there is no cache"),
      (["--cache-size", "much", "x"], "--cache-size takes a size, such as 4 GB, not 'much'"),
    ])
    func badWords_areNamed(words: [String], reason: String) throws {
      let result = try storytty(words)
      #expect(result.status == 1)
      #expect(result.errorLines.count == 1)
      #expect(result.errorText.contains(reason))
    }

    @Test func prefetch_ofWhatIsNotKept_isNoSuccess() throws {
      let strict = try Nginx(settings: "add_header Cache-Control no-store;")
      try strict.serve(clip, as: "clip.mp4")
      try nginx.serve(clip, as: "b.mp4")
      try nginx.serve(clip, as: "c.mp4")
      for (words, status, lost) in [
        (["\(strict.url)/clip.mp4"], 2, 1),
        (["\(nginx.url)/clip.mp4", "--cache-size", "20k"], 2, 1),
        (["\(nginx.url)/b.mp4", "--cache-reserve", "500 TB"], 2, 1),
        (
          ["\(nginx.url)/clip.mp4", "\(nginx.url)/b.mp4", "\(nginx.url)/c.mp4"]
            + ["--cache-stories", "2"], 3, 1
        ),
      ] as [([String], Int32, Int)] {
        let result = try cache(["prefetch"] + words)
        #expect(result.status == status, "\(words)")
        let complaints = result.errorLines.filter { $0.contains("cannot ") }
        #expect(complaints.count == lost, "\(result.errorText)")
      }
    }

    /// What would not be kept is not even fetched, and why is said.
    @Test func prefetch_ofWhatCannotBeKept_saysSoBeforeItIsFetched() throws {
      let long = [UInt8](repeating: 7, count: 6_000_000)
      let strict = try Nginx(settings: "add_header Cache-Control no-store;")
      for server in [strict, nginx] { try server.serve(long, as: "long.mp4") }
      for (server, words, reason) in [
        (strict, [], "its server forbids that (no-store)"),
        (
          nginx, ["--cache-size", "5 MB"],
          "it has 6.0 MB, and the cache holds 5.0 MB at most; see --cache-size"
        ),
        (
          nginx, ["--cache-reserve", "500 TB"],
          "it has 6.0 MB, for which the disk has no room; see --cache-reserve"
        ),
      ] as [(Nginx, [String], String)] {
        let url = "\(server.url)/long.mp4"
        let result = try cache(["prefetch", url] + words)
        #expect(result.status == 2)
        #expect(
          result.errorLines.filter { $0.contains("cannot ") }
            == ["storytty: cannot keep \(url): \(reason)"])
      }
      // The first 256 KiB told what there was to know.
      #expect(strict.accesses.map(\.bytes).reduce(0, +) <= 262_144)
      #expect(nginx.accesses.map(\.bytes).reduce(0, +) <= 2 * 262_144)
    }

    /// The login for any machine is for addresses that the viewer gives, not for those of a list.
    @Test func prefetch_byALoginForAnyMachine_isForWhatTheViewerNames() throws {
      let guarded = try Nginx(settings: "auth_basic x; auth_basic_user_file www/users;")
      try guarded.serve(Array("anna:{PLAIN}secret\n".utf8), as: "users")
      try guarded.serve(clip, as: "clip.mp4")
      let url = "\(guarded.url)/clip.mp4"
      let home = folder.path("home")
      try folder.write("default login anna password secret\r\n", to: "home/.netrc")
      let list = try folder.write("\(url)\n", to: "list.m3u")
      for (source, status) in [(list, 2), (url, 0), (list, 0)] as [(String, Int32)] {
        let result = try storytty(
          ["cache", "prefetch", source, "--cache-dir", folder.path("cache")],
          environment: ["HOME": home, "XDG_CONFIG_HOME": nil, "NETRC": nil])
        #expect(result.status == status, "\(source): \(result.errorText)")
      }
      // The third found it in the cache.
      #expect(guarded.accesses.map(\.status).filter { $0 == 401 }.count == 2)
    }

    /// The first part of a long file with a weak entity tag comes twice at most, and all of it once.
    @Test func prefetch_ofALongFileWithAWeakTag_fetchesItOnce() throws {
      let weak = try Nginx(settings: "etag off; add_header ETag 'W/\"1-2\"';")
      let long = (0..<18_000_000).map { UInt8(truncatingIfNeeded: $0 / 7919) }
      try weak.serve(long, as: "long.mp4")
      #expect(try cache(["prefetch", "\(weak.url)/long.mp4"]).status == 0)
      let bytes = weak.accesses.map(\.bytes).reduce(0, +)
      #expect(bytes <= long.count + 262_144)
      let again = try cache(["prefetch", "\(weak.url)/long.mp4"])
      #expect(again.outputText == "\(weak.url)/long.mp4  18.0 MB, already cached\n")
      #expect(weak.accesses.map(\.bytes).reduce(0, +) == bytes)
    }

    @Test func cache_whereNoFolderIsYet_isMade() throws {
      let home = folder.path("new/home")
      let result = try storytty(
        ["cache", "prefetch", "\(nginx.url)/clip.mp4"],
        environment: ["HOME": home, "XDG_CACHE_HOME": nil])
      #expect(result.errorText == "")
      #expect(fileExists("\(home)/.cache/storytty/index.db"))
    }

    @Test func limits_areKept() throws {
      for name in ["a", "b", "c"] { try nginx.serve(clip, as: "\(name).mp4") }
      for name in ["a", "b", "c"] {
        let result = try cache(["prefetch", "\(nginx.url)/\(name).mp4", "--cache-stories", "2"])
        #expect(result.status == 0)
      }
      let names = try json(["list"]).elements.map { $0["source"] }
      #expect(names == [.text("\(nginx.url)/b.mp4"), .text("\(nginx.url)/c.mp4")])
    }
  }
}
