/// The address of the machine that a connection has reached.
struct PeerAddress: Equatable, Sendable {
  /// 4 or 16.
  let bytes: [UInt8]

  /// Whether it lies in this machine or in a network that the internet does not reach (RFC 6890).
  var isPrivate: Bool {
    guard bytes.count == 16 else { return PeerAddress.isPrivate(bytes) }
    let head = bytes[..<12]
    // An IPv4 address in IPv6 clothing, also as NAT64 has it.
    if head.elementsEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255])
      || head.elementsEqual([0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0])
    {
      return PeerAddress.isPrivate(Array(bytes[12...]))
    }
    // Unspecified, loopback and what was once compatible with IPv4.
    if head.allSatisfy({ $0 == 0 }) { return true }
    let isUnique = bytes[0] & 0xfe == 0xfc
    let isLink = bytes[0] == 0xfe && bytes[1] & 0xc0 == 0x80
    return isUnique || isLink || bytes[0] == 0xff
  }

  /// Whether a machine may be asked; one that is not known counts as private.
  static func mayAsk(_ peer: PeerAddress?, reachesPrivate: Bool) -> Bool {
    reachesPrivate || !(peer?.isPrivate ?? true)
  }

  private static func isPrivate(_ four: [UInt8]) -> Bool {
    guard four.count == 4 else { return true }
    switch (four[0], four[1]) {
    case (0, _), (10, _), (127, _), (169, 254), (172, 16...31), (192, 168), (100, 64...127),
      (198, 18...19), (224..., _):
      return true
    case (192, 0): return four[2] == 0
    default: return false
    }
  }
}
