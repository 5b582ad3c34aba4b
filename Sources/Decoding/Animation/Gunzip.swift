import System

/// Unpacks animations in gzip.
enum Gunzip {
  /// The bytes of the first member; throws where they would be more than `limit`.
  static func unpack(_ bytes: [UInt8], limit: Int) throws(DecodingError) -> [UInt8] {
    do throws(Gzip.Failure) {
      return try Gzip.unpack(bytes, limit: limit)
    } catch {
      switch error {
      case .outOfMemory: throw .outOfMemory
      case .tooLong: throw .tooLongAnimation
      case .damaged: throw DecodingError("damaged or cut off: it cannot be unpacked")
      }
    }
  }
}
