import System

/// Unpacks animations in gzip.
enum Gunzip {
  /// Unpacks the first member; throws if it would be more than `limit` bytes.
  static func unpack(_ bytes: [UInt8], limit: Int) throws(DecodingError) -> [UInt8] {
    do throws(Gzip.Failure) {
      return try Gzip.unpack(bytes, limit: limit)
    } catch {
      switch error {
      case .outOfMemory: throw .outOfMemory
      case .tooLong: throw .tooLongAnimation
      case .damaged: throw .notUnpackable
      }
    }
  }
}
