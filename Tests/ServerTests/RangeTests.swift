import Glibc
import Support
import System
import Testing

extension Serving {
  /// The same requests get the same answers from this server and from nginx.
  @Suite struct RangeTests {
    private let folder: TemporaryDirectory
    private static let size = 300_000

    init() throws {
      folder = try TemporaryDirectory()
      chmod(folder.path, 0o755)
      date(try folder.write(movie(Self.size), to: "a.mp4"))
      date(try folder.write([], to: "empty.mp4"))
      date(try folder.write(movie(1), to: "one.mp4"))
    }

    private static let last = "Tue, 14 Nov 2023 22:13:20 GMT"
    private static let before = "Mon, 13 Nov 2023 22:13:20 GMT"
    private static let after = "Wed, 15 Nov 2023 22:13:20 GMT"
    /// Header fields of each request; TAG stands for the server's own tag of the file, with its
    /// quotes.
    private static let requests: [[String]] =
      [
        [], ["Range: bytes=0-0"], ["Range: bytes=0-99"], ["Range: bytes=100-199"],
        ["Range: bytes=299999-"], ["Range: bytes=299999-299999"], ["Range: bytes=0-"],
        ["Range: bytes=1000-"], ["Range: bytes=-1"], ["Range: bytes=-1000"],
        ["Range: bytes=-300000"], ["Range: bytes=-999999"], ["Range: bytes=-0"],
        ["Range: bytes=0-999999"], ["Range: bytes=300000-"], ["Range: bytes=300000-300001"],
        ["Range: bytes=999999-"], ["Range: bytes=5-4"], ["Range: bytes=a-b"], ["Range: bytes=-"],
        ["Range: bytes="], ["Range: bytes=1"], ["Range: bytes=--1"], ["Range: BYTES=0-9"],
        ["Range: bytes= 0 - 9"], ["Range: items=0-9"], ["Range: bytes 0-9"],
        ["Range: bytes=99999999999999999999-"], ["Range: bytes=18446744073709551615-"],
        ["If-None-Match: TAG"], ["If-None-Match: W/TAG"], ["If-None-Match: \"x\", TAG"],
        ["If-None-Match: *"], ["If-None-Match: \"x\""], ["If-None-Match: TAG", "Range: bytes=0-9"],
        ["If-None-Match: \"x\"", "If-Modified-Since: \(last)"],
        ["If-Modified-Since: \(last)"], ["If-Modified-Since: \(before)"],
        ["If-Modified-Since: \(after)"], ["If-Modified-Since: nonsense"],
        ["If-Modified-Since: Tuesday, 14-Nov-23 22:13:20 GMT"],
        ["If-Modified-Since: Tue Nov 14 22:13:20 2023"],
        ["If-Match: TAG"], ["If-Match: \"x\""], ["If-Match: *"], ["If-Match: W/TAG"],
        ["If-Match: \"x\", TAG", "Range: bytes=1-2"], ["If-Match: \"x\"", "Range: bytes=1-2"],
        ["If-Unmodified-Since: \(last)"], ["If-Unmodified-Since: \(before)"],
        ["If-Unmodified-Since: \(after)", "Range: bytes=3-4"],
        ["If-Range: TAG", "Range: bytes=10-19"], ["If-Range: W/TAG", "Range: bytes=10-19"],
        ["If-Range: \"x\"", "Range: bytes=10-19"], ["If-Range: \(last)", "Range: bytes=10-19"],
        ["If-Range: \(before)", "Range: bytes=10-19"], ["If-Range: \(after)", "Range: bytes=1-9"],
        ["If-Range: TAG"], ["If-Range: TAG", "Range: bytes=900000-"],
      ]

    @Test(arguments: ["/a.mp4", "/empty.mp4", "/one.mp4"])
    func requests_getTheSameAnswersAsFromNginx(path: String) throws {
      let (served, nginx) = (
        try Served(folder.path),
        try Nginx(serving: folder.path, settings: "if_modified_since before;")
      )
      let tags = try [served.get(path), nginx.get(path)].map { try #require($0.fields["etag"]) }
      for request in Self.requests {
        func fields(_ tag: String) -> [String] {
          request.map { $0.replacing("TAG", with: tag) }
        }
        let own = try served.get(path, fields(tags[0]))
        let other = try nginx.get(path, fields(tags[1]))
        #expect(own.status == other.status, "\(path) \(request)")
        guard own.status == other.status else { continue }
        if [200, 206].contains(other.status) {
          // As operands of #expect, arrays that differ would be compared element by element.
          let isSame = own.body == other.body
          #expect(isSame, "\(path) \(request)")
        }
        let names =
          [200, 206].contains(other.status)
          ? ["content-range", "content-length", "content-type", "last-modified"]
          : other.status == 304
            ? ["content-range", "last-modified", "content-type"] : ["content-range"]
        for name in names {
          #expect(own.fields[name] == other.fields[name], "\(path) \(request) \(name)")
        }
        if other.fields["etag"] != nil {
          #expect(own.fields["etag"] == tags[0], "\(path) \(request)")
        }
      }
    }

    /// nginx answers a HEAD like the GET, without the bytes.
    @Test func head_withARange_getsTheSameAnswerAsFromNginx() throws {
      let (served, nginx) = (try Served(folder.path), try Nginx(serving: folder.path))
      for range in ["bytes=0-9", "bytes=-5", "bytes=900000-"] {
        let replies = try [
          served.get("/a.mp4", ["Range: \(range)"], method: "HEAD"),
          fetch(nginx.url + "/a.mp4", ["Range: \(range)"], method: "HEAD"),
        ]
        #expect(replies[0].status == replies[1].status)
        #expect(replies[0].status == (range == "bytes=900000-" ? 416 : 206))
        #expect(replies[0].fields["content-range"] == replies[1].fields["content-range"])
      }
    }

    @Test func severalRanges_areAnsweredByTheWhole() throws {
      let reply = try Served(folder.path).get("/a.mp4", ["Range: bytes=0-1,5-6"])
      #expect(reply.status == 200)
      let isWhole = reply.body == movie(Self.size)
      #expect(isWhole)
      #expect(reply.fields["accept-ranges"] == "bytes")
    }

    /// A tag stands for these bytes of this file: other bytes have another tag.
    @Test func entityTag_changesWithTheFile() throws {
      let served = try Served(folder.path)
      var tags: [String] = []
      func note() throws { tags.append(try #require(served.get("/a.mp4").fields["etag"])) }
      try note()
      try note()
      #expect(tags[0] == tags[1])
      date(folder.path("a.mp4"), seconds: 1_700_000_001)
      try note()
      // Another file with the same length and date.
      date(try folder.write(movie(Self.size, seed: 2), to: "b.mp4"), seconds: 1_700_000_001)
      #expect(rename(folder.path("b.mp4"), folder.path("a.mp4")) == 0)
      try note()
      date(try folder.write(movie(7), to: "a.mp4"), seconds: 1_700_000_001)
      try note()
      #expect(Set(tags).count == 4)
      #expect(tags.allSatisfy { $0.hasPrefix("\"") && $0.hasSuffix("\"") })
    }

    /// A file may change twice within its last second: its date is no strong validator yet.
    @Test func ifRange_withADateJustNow_givesTheWhole() throws {
      let path = try folder.write(movie(100), to: "new.mp4")
      date(path, seconds: Int(WallClock.seconds) + 5)
      let served = try Served(folder.path)
      let modified = try #require(try served.get("/new.mp4").fields["last-modified"])
      let reply = try served.get("/new.mp4", ["If-Range: \(modified)", "Range: bytes=0-9"])
      #expect(reply.status == 200)
    }

    @Test func file_largerThanFourGibibytes_isReadAtItsEnd() throws {
      let path = try folder.write(movie(12), to: "big.mp4")
      #expect(truncate(path, 5 << 30) == 0)
      let file = open(path, O_WRONLY)
      let tail = movie(20, seed: 9)
      #expect(pwrite(file, tail, 20, (5 << 30) - 20) == 20)
      close(file)
      let served = try Served(folder.path)
      let reply = try served.get("/big.mp4", ["Range: bytes=-20"])
      #expect(reply.body == tail)
      #expect(reply.fields["content-range"] == "bytes 5368709100-5368709119/5368709120")
      #expect(
        try served.get("/big.mp4", ["Range: bytes=4294967296-4294967297"]).body == [0, 0])
      #expect(
        try served.get("/big.mp4", method: "HEAD").fields["content-length"] == "5368709120")
    }
  }
}
