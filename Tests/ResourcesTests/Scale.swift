import Glibc
import Support
import System

@testable import Resources

/// How much of a long test runs: all of it where STORYTTY_LONG is set.
enum Scale {
  static let isLong = variable("STORYTTY_LONG") != nil

  static func rounds(_ few: Int, long: Int) -> Int { isLong ? long : few }

  /// Says what a long run has measured.
  static func report(_ figures: String) {
    guard isLong else { return }
    print("figure: \(figures)")
    fflush(nil)
  }
}

extension CacheDirectory {
  /// The bytes that the index tells of.
  func heldBytes() throws -> UInt64 { try list().reduce(0) { $0 + $1.bytes } }
}
