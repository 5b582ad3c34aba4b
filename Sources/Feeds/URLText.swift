import Addresses
import System

/// Addresses as people write them, handled as text: nothing in a URL is decoded. The rules of RFC
/// 3986 are in `Addresses`.
package enum URLText {
  /// Schemes that count even without `//`. Others do not, so that `Song: live.mp3` stays a file
  /// name.
  private static let bareSchemes: Set<String> = [
    "about", "async", "blob", "cache", "concat", "concatf", "crypto", "data", "fd", "file",
    "hls", "http", "https", "javascript", "lavfi", "mailto", "pipe", "subfile", "tee", "unix",
    "vbscript",
  ]

  /// The scheme that a text starts with, as written; nil for a relative reference or a file name.
  static func scheme(of text: String) -> String? {
    guard let name = URLReference.scheme(of: text), name.utf8.count < 32 else { return nil }
    if text.utf8.dropFirst(name.utf8.count + 1).starts(with: "//".utf8) { return name }
    return bareSchemes.contains(name.lowercased()) ? name : nil
  }

  /// A text that may be an address, as it is shown in messages and lists: without userinfo, query
  /// and fragment, which may hold secrets, whatever its scheme. A file's name stays as it is.
  ///
  /// - Parameter isAddress: whether it is surely an address, even without a scheme.
  static func shown(_ text: String, isAddress: Bool = false) -> String {
    let scalars = text.unicodeScalars
    let start: String.Index
    if let scheme = scheme(of: text) {
      // The slashes may be missing: `http:anna:secret@host/`.
      let rest = scalars[scalars.index(scalars.startIndex, offsetBy: scheme.utf8.count + 1)...]
      start = rest.firstIndex { $0 != "/" } ?? scalars.endIndex
    } else if text.hasPrefix("//") {
      start = scalars.index(scalars.startIndex, offsetBy: 2)
    } else if let marked = text.firstRange(of: "://") {
      start = marked.upperBound
    } else {
      return isAddress ? String(scalars.prefix { $0 != "?" && $0 != "#" }) : text
    }
    let bare = scalars[start...].prefix { $0 != "?" && $0 != "#" }
    let authority = bare.prefix { $0 != "/" }
    let userEnd = authority.lastIndex(of: "@").map { scalars.index(after: $0) } ?? start
    return String(scalars[..<start]) + String(bare[userEnd...])
  }

  /// Whether it is a web address.
  static func isWeb(_ url: String) -> Bool {
    if url.hasPrefix("https://") || url.hasPrefix("http://") { return true }
    let scheme = scheme(of: url)?.lowercased()
    return scheme == "http" || scheme == "https"
  }

  /// Whether an absolute URL has something between `//` and the path.
  static func hasHost(_ url: String) -> Bool {
    // A fast path: nearly all addresses look like this, and feeds hold very many.
    if url.hasPrefix("https://") || url.hasPrefix("http://") {
      let rest = url.utf8.drop { $0 != UInt8(ascii: ":") }.dropFirst(3)
      let authority = rest.prefix { !"/?#".utf8.contains($0) }
      if let first = authority.first, first.isASCIILetter, !authority.contains(UInt8(ascii: "@")) {
        return true
      }
    }
    guard let authority = parts(of: url)?.authority else { return false }
    let host = authority.utf8.suffix(from: after("@", in: authority))
    return !host.isEmpty && host.first != UInt8(ascii: ":")
  }

  /// The path of a `file:` URL of this machine.
  static func filePath(_ url: String) -> String? {
    guard let parts = parts(of: url) else { return nil }
    let host = (parts.authority ?? "").lowercased()
    let path = percentDecoded(URLReference.withoutDotSegments(parts.path))
    guard host.isEmpty || host == "localhost", parts.path.hasPrefix("/"), !path.utf8.contains(0)
    else { return nil }
    return "/" + path.drop { $0 == "/" }
  }

  /// The URL that a reference without scheme stands for (RFC 3986, section 5.2), without its
  /// fragment; nil when the base is no absolute URL with a host.
  package static func resolve(_ reference: String, against base: String) -> String? {
    guard let base = parts(of: base), base.authority != nil else { return nil }
    var target = URLReference(reference, scheme: nil).resolved(against: base)
    target.fragment = nil
    return target.text
  }

  /// A file's name with `%XX` decoded. A lone `%` stays.
  static func percentDecoded(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
    return FileName.text(PercentCoding.decodedLeniently(text.utf8))
  }

  /// Whether the path of a URL ends with a slash.
  static func isFolder(_ url: String) -> Bool { parts(of: url)?.path.hasSuffix("/") ?? false }

  /// The host of an absolute URL, without user and port; the whole URL where there is none.
  static func host(of url: String) -> String {
    guard let authority = parts(of: url)?.authority else { return url }
    let host = authority[after("@", in: authority)...]
    guard !host.hasPrefix("[") else { return String(host.prefix { $0 != "]" }) + "]" }
    return String(host.prefix { $0 != ":" })
  }

  /// The name after the last `/` of a path, or the whole path where there is none.
  static func lastPart(of path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }

  /// The name after the last `/` of a path, without its extension.
  static func stem(of path: String) -> String {
    let name = lastPart(of: path)
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return name }
    return String(name[..<dot])
  }

  /// The extension of the last name in a path or address, in lower case: `m3u` of `a/b.M3U?x`.
  /// Empty where there is none.
  static func fileExtension(of address: String) -> String {
    FileName.fileExtension(of: withoutQuery(address))
  }

  /// An address without its query and without the extension of its name.
  static func withoutExtension(_ address: String) -> String {
    let path = withoutQuery(address)
    let name = FileName.fileExtension(of: path)
    return name.isEmpty ? path : String(path.dropLast(name.count + 1))
  }

  /// An address without its query and fragment.
  static func withoutQuery(_ address: String) -> String {
    String(address.unicodeScalars.prefix { $0 != "?" && $0 != "#" })
  }

  /// The parts of an absolute URL.
  private static func parts(of url: String) -> URLReference? {
    scheme(of: url).map { URLReference(url, scheme: $0) }
  }

  private static func after(_ mark: Unicode.Scalar, in text: String) -> String.Index {
    guard let index = text.unicodeScalars.lastIndex(of: mark) else { return text.startIndex }
    return text.unicodeScalars.index(after: index)
  }
}
