/// Distinguishes files that may hold a HEIF or AVIF picture from others (ISO 14496-12, 4.3: the file type
/// box and its major brand).
public enum HeifMark {
  /// So many first bytes decide.
  public static let length = 12

  /// The major brands of pictures and of collections of them (ISO 23008-12, 10; AV1 Image File Format).
  private static let brands: Set = [
    "avif", "avis", "heic", "heix", "heim", "heis", "mif1", "mif2", "mif3", "msf1",
  ]

  /// Whether a file that begins with these bytes may be one.
  public static func mayBegin(_ head: [UInt8]) -> Bool {
    head.count >= length && head[4..<8].elementsEqual("ftyp".utf8)
      && brands.contains(String(decoding: head[8..<12], as: UTF8.self))
  }
}
