import Feeds
import Glibc
import Support
import Synchronization
import System
import Testing

@testable import Server

extension Serving {
  /// Files that appear, change and disappear while they are served.
  @Suite struct ChangeTests {
    private let folder: TemporaryDirectory
    init() throws { folder = try TemporaryDirectory() }

    private func expect(_ ids: [String], of served: Served) throws {
      var found: [String] = []
      do {
        try eventually("the feed changes") {
          found = try served.ids()
          return found == ids
        }
      } catch {
        #expect(found == ids)
      }
    }

    @Test func feed_followsTheFolder() throws {
      try folder.write(movie(40), to: "anna/a.mp4")
      let served = try Served(folder.path)
      #expect(try served.ids() == ["anna/a.mp4"])
      try folder.write(movie(40), to: "anna/b.mp4")
      try expect(["anna/a.mp4", "anna/b.mp4"], of: served)
      // New folders are watched too, however deep.
      try folder.write(movie(40), to: "new/deep/er/c.mp4")
      try expect(["anna/a.mp4", "anna/b.mp4", "new/deep/er/c.mp4"], of: served)
      try folder.write(movie(40), to: "new/deep/er/d.mp4")
      try expect(
        ["anna/a.mp4", "anna/b.mp4", "new/deep/er/c.mp4", "new/deep/er/d.mp4"], of: served)
      unlink(folder.path("anna/a.mp4"))
      rename(folder.path("new/deep"), folder.path("ben"))
      try expect(["anna/b.mp4", "ben/er/c.mp4", "ben/er/d.mp4"], of: served)
      rename(folder.path("ben/er"), folder.path("zoe"))
      try expect(["anna/b.mp4", "zoe/c.mp4", "zoe/d.mp4"], of: served)
      #expect(try served.get("/anna/a.mp4").status == 404)
      #expect(try served.get("/zoe/c.mp4").body == movie(40))
      // A file that is no story is not offered until it becomes one.
      try folder.write("text", to: "zoe/e")
      try folder.write(movie(40), to: "zoe/.f.mp4")
      try folder.write(movie(41), to: "zoe/e")
      try expect(["anna/b.mp4", "zoe/c.mp4", "zoe/d.mp4", "zoe/e"], of: served)
    }

    @Test func size_followsTheFile() throws {
      let path = try folder.write(movie(40), to: "a.mp4")
      let served = try Served(folder.path)
      try writeFile(movie(50), to: path)
      try eventually("the new size is in the feed") {
        try JSONValue(parsing: served.get("/feed.json").body)["items"].elements[0]["attachments"]
          .elements[0]["size_in_bytes"].number == 50
      }
      #expect(try served.get("/a.mp4").body == movie(50))
    }

    /// Where the kernel does not report changes, each request gets the current folder.
    @Test func withoutWatches_theFolderIsReadForEachRequest() throws {
      try folder.write(movie(40), to: "a.mp4")
      let lines = Mutex<[String]>([])
      let isOver = Atomic<Bool>(false)
      let ended = try Waker()
      let path = folder.path
      let url = Mutex<String?>(nil)
      let thread = try WorkerThread {
        do {
          var options = ServeOptions(directory: path)
          options.listen = ListenAddress(host: "127.0.0.1", port: 0)
          let server = try FolderServer(
            options, limits: Microhttpd.Limits(), watches: false
          ) { line in
            lines.withLock { $0.append(line) }
            return true
          }
          #expect(!server.isWatching)
          url.withLock { $0 = server.url }
          let waker = try Waker()
          while !isOver.load(ordering: .relaxed) { try server.turn(extra: Interest(waker.number)) }
          server.close()
        } catch {
          Issue.record(error)
        }
        ended.wake()
      }
      defer {
        isOver.store(true, ordering: .relaxed)
        thread.join()
      }
      try eventually("it serves") { url.withLock { $0 } != nil }
      let address = url.withLock { $0 } ?? ""
      func ids() throws -> [String] {
        try JSONValue(parsing: fetch(address + "/feed.json").body)["items"].elements
          .compactMap { $0["id"].text }
      }
      #expect(try ids() == ["a.mp4"])
      try folder.write(movie(40), to: "new/b.mp4")
      try folder.write(lottie, to: "animations/x.json")
      // The result of a check is used for half a second.
      try eventually("it is read again", within: .seconds(5)) {
        try ids() == ["a.mp4", "new/b.mp4"]
      }
      #expect(try fetch(address + "/animation/x").text == lottie)
    }
  }
}
