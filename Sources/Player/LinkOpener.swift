import Addresses
import System

/// Opens a story's link in the desktop's browser.
struct LinkOpener {
  private var programs = DetachedPrograms()

  struct Refusal: Error, CustomStringConvertible {
    let description: String
  }

  /// Starts xdg-open with the link as its one argument; other schemes than http and https are
  /// refused.
  mutating func open(_ link: String) throws(Refusal) {
    guard let link = PlainLink(link) else {
      throw Refusal(description: "only http and https links are opened")
    }
    do {
      try programs.start("xdg-open", arguments: [link.text])
    } catch {
      throw Refusal(description: "xdg-open does not start: \(error.reason)")
    }
  }

  /// Reaps browsers that have ended.
  mutating func reap() { programs.reap() }
}

/// An http or https link as it is handed on to other programs, some of which are shell scripts:
/// characters of RFC 3986 alone, so that it is one word without blanks, quotes or controls.
struct PlainLink: Equatable {
  let text: String

  /// Nil for other schemes, and for a link that names no host.
  init?(_ link: String) {
    guard let scheme = ["https://", "http://"].first(where: link.lowercased().hasPrefix) else {
      return nil
    }
    let rest = Array(link.utf8.dropFirst(scheme.utf8.count))
    let isInHost = rest.prefix { !"/?#".utf8.contains($0) }.count
    guard isInHost > 0 else { return nil }
    var encoded = Array(scheme.utf8)
    var hasFragment = false
    for (index, byte) in rest.enumerated() {
      let isKept =
        switch byte {
        case UInt8(ascii: "%"): PercentCoding.isEscape(rest[index...])
        // Of an address in the manner of [::1].
        case UInt8(ascii: "["), UInt8(ascii: "]"): index < isInHost
        // The first begins the fragment.
        case UInt8(ascii: "#"): !hasFragment
        default: Self.kept.contains(byte)
        }
      if byte == UInt8(ascii: "#") { hasFragment = true }
      if isKept { encoded.append(byte) } else { PercentCoding.append(byte, to: &encoded) }
    }
    text = String(decoding: encoded, as: UTF8.self)
  }

  /// RFC 3986, 2.2 and 2.3, without those that mean something to a shell inside quotes or end them;
  /// servers take them encoded as well.
  private static let kept = Set(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:/?@!&*+,;=".utf8)
}
