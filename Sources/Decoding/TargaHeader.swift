/// The header of a Truevision TGA picture, which has no signature: checks whether bytes can be one.
package enum TargaHeader {
  /// Checks the 18 bytes of the header (Truevision TGA, version 2.0, section C.3).
  package static func fits(_ head: [UInt8]) -> Bool {
    guard head.count >= 18 else { return false }
    let (map, kind, depth) = (head[1], head[2], head[16])
    let width = Int(head[12]) | Int(head[13]) << 8
    let height = Int(head[14]) | Int(head[15]) << 8
    guard width > 0, height > 0, map <= 1, head[17] & 0xC0 == 0 else { return false }
    switch kind {
    case 1, 9: return map == 1 && depth == 8 && [15, 16, 24, 32].contains(head[7])
    case 2, 10: return [15, 16, 24, 32].contains(depth)
    case 3, 11: return [8, 16].contains(depth)
    default: return false
    }
  }
}
