import Glibc
import System

/// The host that a request names (RFC 9112, section 3.2), in small letters and without its port.
struct RequestHost: Equatable {
  let name: String
  /// Whether it is an IP address: no name server was asked for it.
  let isAddress: Bool

  /// Takes one Host field, or what stands before the path in a target; nil unless it is a host with
  /// or without a port (RFC 9110, section 7.2).
  init?(_ field: some StringProtocol) {
    let text = field.lowercased()
    guard text.utf8.count <= 300, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      return nil
    }
    if text.hasPrefix("[") {
      guard let end = text.firstIndex(of: "]") else { return nil }
      let inner = String(text[text.index(after: text.startIndex)..<end])
      var address = in6_addr()
      guard inet_pton(AF_INET6, inner, &address) == 1,
        RequestHost.isPort(text[text.index(after: end)...])
      else { return nil }
      (name, isAddress) = (inner, true)
      return
    }
    let end = text.firstIndex(of: ":") ?? text.endIndex
    // The dot of the root says nothing.
    let host = text[..<end].hasSuffix(".") ? text[..<end].dropLast() : text[..<end]
    guard RequestHost.isPort(text[end...]), !host.isEmpty, host.utf8.allSatisfy(RequestHost.isPlain)
    else { return nil }
    var address = in_addr()
    name = String(host)
    isAddress = inet_pton(AF_INET, name, &address) == 1
  }

  /// Nothing, or a colon and digits or none.
  private static func isPort(_ text: Substring) -> Bool {
    guard let colon = text.first else { return true }
    return colon == ":" && text.utf8.dropFirst().allSatisfy { (0x30...0x39).contains($0) }
  }

  /// Letters, digits and what registered names hold besides.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}

/// The names by which a server on this machine alone is asked.
///
/// A page of the web may name its own host, then give that name the address of this machine (DNS
/// rebinding): its requests come from here, but they still name the host of the page.
struct OwnNames: Equatable {
  private let names: Set<String>

  /// - Parameters:
  ///   - machine: the name of this machine; nil where it has none.
  ///   - listening: the host that its user told it to listen on.
  init(machine: String? = Machine.name, listening: String) {
    var names: Set<String> = ["localhost"]
    for host in [machine, listening].compactMap({ $0.flatMap { RequestHost($0) } })
    where !host.isAddress {
      names.insert(host.name)
      guard host.name == machine?.lowercased() else { continue }
      let label = String(host.name.prefix { $0 != "." })
      // Also as networks without a name server call it (RFC 6762).
      names.formUnion([label, label + ".local"])
    }
    self.names = names
  }

  /// Names below localhost lead to the machine itself as well (RFC 6761, section 6.3).
  func hold(_ host: RequestHost) -> Bool {
    host.isAddress || names.contains(host.name) || host.name.hasSuffix(".localhost")
  }
}
