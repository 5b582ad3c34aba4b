/// Which requests use a proxy, by the variables of curl and other programs: `http_proxy`,
/// `https_proxy`, `all_proxy` and `no_proxy`. libcurl does not decide this, because nobody can know
/// from which network the bytes of a proxy come.
struct Proxies {
  private let http: String?
  private let https: String?
  private let exceptions: [Substring]

  /// - Parameter environment: the value of a variable; nil if it is not set.
  init(environment: (String) -> String?) {
    func first(_ names: [String]) -> String? {
      names.compactMap { environment($0) }.first { !$0.isEmpty }
    }
    // HTTP_PROXY in capitals may be a field of a request that a web server passes on.
    http = first(["http_proxy", "all_proxy", "ALL_PROXY"])
    https = first(["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"])
    exceptions = (first(["no_proxy", "NO_PROXY"]) ?? "").split { $0 == "," || $0 == " " }
  }

  /// The proxy for an address; nil if its server is asked directly.
  func proxy(for address: WebAddress) -> String? {
    guard let proxy = address.scheme == "https" ? https : http else { return nil }
    return exceptions.contains { Proxies.exception($0, covers: address) } ? nil : proxy
  }

  /// Whether an item of `no_proxy` is the address's host, a domain that it is in, or a network that
  /// it is in if it is an IP address.
  private static func exception(_ exception: Substring, covers address: WebAddress) -> Bool {
    if exception == "*" { return true }
    let host = bare(address.host[...])
    let parts = exception.split(separator: "/", maxSplits: 1)
    if let peer = PeerAddress(host) {
      guard let network = parts.first.flatMap({ PeerAddress(bare($0)) }),
        network.bytes.count == peer.bytes.count
      else { return false }
      let bits = parts.count > 1 ? Int(parts[1]) : network.bytes.count * 8
      return bits.map { peer.shares($0, bitsWith: network) } ?? false
    }
    let domain = bare(exception.drop { $0 == "." })
    return !domain.isEmpty && (host == domain || host.hasSuffix("." + domain))
  }

  /// In lower case, without brackets and a last dot.
  private static func bare(_ host: Substring) -> String {
    var bare = host.lowercased()[...]
    if bare.hasPrefix("["), bare.hasSuffix("]") { bare = bare.dropFirst().dropLast() }
    if bare.hasSuffix(".") { bare = bare.dropLast() }
    return String(bare)
  }
}

extension PeerAddress {
  /// Whether the first bits are those of another one.
  fileprivate func shares(_ bits: Int, bitsWith other: PeerAddress) -> Bool {
    guard (0...bytes.count * 8).contains(bits) else { return false }
    for (index, (mine, yours)) in zip(bytes, other.bytes).enumerated() {
      let counting = min(8, bits - index * 8)
      guard counting > 0 else { break }
      guard (mine ^ yours) >> UInt8(8 - counting) == 0 else { return false }
    }
    return true
  }
}
