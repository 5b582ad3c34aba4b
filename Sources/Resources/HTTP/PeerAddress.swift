/// The address of the machine that a connection has reached.
struct PeerAddress: Equatable, Sendable {
  /// 4 or 16.
  let bytes: [UInt8]

  /// Whether it is in this machine or in a network that the internet does not reach (RFC 6890).
  var isPrivate: Bool {
    guard bytes.count == 16 else { return PeerAddress.isPrivate(bytes) }
    let head = bytes[..<12]
    // 6to4 leads to an IPv4 address, and so does the NAT64 of a network of one's own (RFC 8215).
    if bytes.starts(with: [0x20, 0x02]) { return PeerAddress.isPrivate(Array(bytes[2..<6])) }
    if bytes.starts(with: [0, 0x64, 0xff, 0x9b, 0, 1]) { return true }
    // An IPv4 address in IPv6 form, also that of NAT64.
    if head.elementsEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255])
      || head.elementsEqual([0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0])
    {
      return PeerAddress.isPrivate(Array(bytes[12...]))
    }
    // Unspecified, loopback, and the former IPv4-compatible addresses.
    if head.allSatisfy({ $0 == 0 }) { return true }
    let isUnique = bytes[0] & 0xfe == 0xfc
    // Link-local, and the former site-local.
    let isLink = bytes[0] == 0xfe && bytes[1] & 0x80 == 0x80
    return isUnique || isLink || bytes[0] == 0xff
  }

  /// Whether a machine may be asked; an unknown address counts as private.
  static func mayAsk(_ peer: PeerAddress?, reachesPrivate: Bool) -> Bool {
    reachesPrivate || !(peer?.isPrivate ?? true)
  }

  /// Whether a host is in this machine or in a private network by its name (RFC 6761, 6762, 8375),
  /// or by an address in place of the name. No more can be known if a proxy looks it up.
  static func isPrivate(host: String) -> Bool {
    var host = host[...]
    if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
    // Other letters may become these when it is looked up.
    if !host.utf8.allSatisfy({ $0 < 0x80 }) {
      if host.unicodeScalars.contains(where: \.properties.changesWhenNFKCCaseFolded) { return true }
      host = host.replacing("\u{3002}", with: ".")[...]
    }
    while host.hasSuffix(".") { host = host.dropLast() }
    if let peer = PeerAddress(written: String(host)) { return peer.isPrivate }
    let labels = host.lowercased().split(separator: ".")
    // A name without a dot is looked up in the private network.
    guard labels.count > 1, let last = labels.last else { return true }
    return ["localhost", "local", "internal"].contains(last)
      || labels.suffix(2) == ["home", "arpa"]
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
