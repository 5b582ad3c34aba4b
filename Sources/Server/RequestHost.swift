import Glibc
import System

/// The host that a request names (RFC 9112, section 3.2), in lower case and without its port.
struct RequestHost: Equatable {
  let name: String
  /// Whether it is an IP address, which needs no name server.
  let isAddress: Bool

  /// Reads a Host field, or the part before the path in a target; nil unless it is a host with or
  /// without a port (RFC 9110, section 7.2).
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
    // A final dot, for the root of all names, is ignored.
    let host = text[..<end].hasSuffix(".") ? text[..<end].dropLast() : text[..<end]
    guard RequestHost.isPort(text[end...]), !host.isEmpty, host.utf8.allSatisfy(RequestHost.isPlain)
    else { return nil }
    var address = in_addr()
    name = String(host)
    isAddress = inet_pton(AF_INET, name, &address) == 1
  }

  /// Whether a text is empty, or a colon and perhaps digits.
  private static func isPort(_ text: Substring) -> Bool {
    guard let colon = text.first else { return true }
    return colon == ":" && text.utf8.dropFirst().allSatisfy { (0x30...0x39).contains($0) }
  }

  /// Letters, digits and the other characters of registered names.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}

/// The names that clients may use for a server that only this machine can reach.
///
/// A web page can make its own host name point to this machine (DNS rebinding): its requests then
/// come from this machine, but they still name the host of the page.
struct OwnNames: Equatable {
  private let names: Set<String>

  /// - Parameters:
  ///   - machine: the name of this machine; nil where it has none.
  ///   - listening: the host that the user told it to listen on.
  init(machine: String? = Machine.name, listening: String) {
    var names: Set<String> = ["localhost"]
    for host in [machine, listening].compactMap({ $0.flatMap { RequestHost($0) } })
    where !host.isAddress {
      names.insert(host.name)
      guard host.name == machine?.lowercased() else { continue }
      let label = String(host.name.prefix { $0 != "." })
      // Also its name in networks without a name server (RFC 6762).
      names.formUnion([label, label + ".local"])
    }
    self.names = names
  }

  /// Whether a host is this machine. Names below localhost are, too (RFC 6761, section 6.3).
  func hold(_ host: RequestHost) -> Bool {
    host.isAddress || names.contains(host.name) || host.name.hasSuffix(".localhost")
  }
}
