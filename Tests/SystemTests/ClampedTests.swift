import Glibc
import Support
import System
import Testing

@Suite struct ClampedTests {
  @Test func results_areTheNearestPossible_forAllSmallNumbers() {
    let all = Int8.min...Int8.max
    for one in all {
      for other in all {
        let (a, b) = (Int(one), Int(other))
        #expect(one.addingClamped(other) == Int8(clamping: a + b))
        #expect(one.subtractingClamped(other) == Int8(clamping: a - b))
        #expect(one.multipliedClamped(by: other) == Int8(clamping: a * b))
        let (c, d) = (UInt8(bitPattern: one), UInt8(bitPattern: other))
        #expect(c.addingClamped(d) == UInt8(clamping: Int(c) + Int(d)))
        #expect(c.subtractingClamped(d) == UInt8(clamping: Int(c) - Int(d)))
        #expect(c.multipliedClamped(by: d) == UInt8(clamping: Int(c) * Int(d)))
      }
    }
  }

  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00Z"), (-62_167_219_200, "0000-01-01T00:00:00Z"),
      (253_402_300_800, "10000-01-01T00:00:00Z"),
      (67_768_036_191_676_799, "2147485547-12-31T23:59:59Z"), (67_768_036_191_676_800, "?"),
      (.max, "?"), (.min, "?"),
    ] as [(Int64, String)])
  func text_ofAnySecond_isItsDate(seconds: Int64, text: String) {
    #expect(WallClock.text(secondsSince1970: seconds) == text)
  }

  /// Some file systems have years that do not fit into 64 bits of nanoseconds.
  @Test func status_ofAFileFromTheFuture_isReadAndClamped() throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write("x", to: "x")
    for (seconds, most) in [(9_300_000_000, Int64.max), (-9_300_000_000, .min)] {
      var times = [timeval(tv_sec: seconds, tv_usec: 0), timeval(tv_sec: seconds, tv_usec: 0)]
      #expect(utimes(path, &times) == 0)
      var info = stat()
      #expect(stat(path, &info) == 0)
      let found = try FileStatus(of: path).modifiedNanoseconds
      let isKept = info.st_mtim.tv_sec == seconds
      #expect(found == (isKept ? most : Int64(info.st_mtim.tv_sec) * 1_000_000_000))
    }
  }
}
