import System
import Testing

@Suite struct HeifMarkTests {
  private static let cases: [(String, Bool)] = [
    ("0000ftypavif", true), ("0000ftypheic0000mif1", true), ("0000ftypmif1", true),
    ("0000ftypmsf1", true), ("0000ftypisom", false), ("0000ftypavi", false),
    ("ftypavif0000", false),
    ("0000moovavif", false), ("", false),
  ]

  @Test(arguments: cases) func file_mayBeAPicture_byItsMajorBrand(head: String, expected: Bool) {
    #expect(HeifMark.mayBegin(Array(head.utf8)) == expected)
  }
}
