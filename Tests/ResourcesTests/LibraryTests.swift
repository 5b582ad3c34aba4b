import Support
import System
import Testing

@testable import Resources

@Suite struct LibraryTests {
  @Test func fetch_withoutLibcurl_saysWhatIsMissing() throws {
    let bench = try LoaderBench(library: { CurlLibrary(file: "libmissing.so.4") })
    for _ in 0..<2 {
      let outcome = try bench.fetch("http://127.0.0.1:1/a")
      #expect(
        outcome.error == .unreachable("libcurl is not installed (Debian's package libcurl4)"))
    }
    #expect(bench.loader.traffic == (0, 0))
  }

  @Test func library_thatLacksFunctions_isNone() {
    // It is loaded already, and is no libcurl.
    #expect(CurlLibrary(file: "libc.so.6") == nil)
    #expect(CurlLibrary(file: "libcurl.so.4") != nil)
  }
}
