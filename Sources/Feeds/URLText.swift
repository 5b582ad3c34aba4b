import System

/// The little of RFC 3986 that feeds need, on text: nothing is decoded that stays a URL.
package enum URLText {
  /// Schemes that count also without `//`, so that `Song: live.mp3` stays a file name.
  private static let bareSchemes: Set<String> = [
    "about", "async", "blob", "cache", "concat", "concatf", "crypto", "data", "fd", "file",
    "hls", "http", "https", "javascript", "lavfi", "mailto", "pipe", "subfile", "tee", "unix",
    "vbscript",
  ]

  /// The scheme that a text starts with, as written; nil for a relative reference or a file name.
  static func scheme(of text: String) -> String? {
    guard let colon = text.utf8.prefix(32).firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let scheme = text.utf8[..<colon]
    guard let first = scheme.first, isLetter(first),
      scheme.allSatisfy({ isLetter($0) || isDigit($0) || "+-.".utf8.contains($0) }),
      let name = String(scheme)
    else { return nil }
    let rest = text.utf8[text.utf8.index(after: colon)...]
    if rest.starts(with: "//".utf8) { return name }
    return bareSchemes.contains(name.lowercased()) ? name : nil
  }

  /// What a text that may be an address is called in words and lists: without userinfo, query and
  /// fragment, which may hold secrets, whatever its scheme. A file's name stays as it is.
  ///
  /// - Parameter isAddress: whether it is one for sure, also without a scheme.
  static func shown(_ text: String, isAddress: Bool = false) -> String {
    let scalars = text.unicodeScalars
    let start: String.Index
    if let scheme = scheme(of: text) {
      // Also where slashes are missing: `http:anna:secret@host/`.
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

  /// Whether it is an address of the web.
  static func isWeb(_ url: String) -> Bool {
    if url.hasPrefix("https://") || url.hasPrefix("http://") { return true }
    let scheme = scheme(of: url)?.lowercased()
    return scheme == "http" || scheme == "https"
  }

  /// Whether an absolute URL has something between `//` and the path.
  static func hasHost(_ url: String) -> Bool {
    // Nearly all look like this, and feeds hold very many.
    if url.hasPrefix("https://") || url.hasPrefix("http://") {
      let rest = url.utf8.drop { $0 != UInt8(ascii: ":") }.dropFirst(3)
      let authority = rest.prefix { !"/?#".utf8.contains($0) }
      if let first = authority.first, isLetter(first), !authority.contains(UInt8(ascii: "@")) {
        return true
      }
    }
    guard let parts = Parts(url), let authority = parts.authority else { return false }
    let host = authority.utf8.suffix(from: after("@", in: authority))
    return !host.isEmpty && host.first != UInt8(ascii: ":")
  }

  /// The path of a `file:` URL of this machine.
  static func filePath(_ url: String) -> String? {
    guard let parts = Parts(url) else { return nil }
    let host = (parts.authority ?? "").lowercased()
    let path = percentDecoded(parts.path)
    guard host.isEmpty || host == "localhost", parts.path.hasPrefix("/"), !path.utf8.contains(0)
    else { return nil }
    return "/" + withoutDots(path).drop { $0 == "/" }
  }

  /// RFC 3986, section 5.2; nil when the base is no absolute URL with a host.
  package static func resolve(_ reference: String, against base: String) -> String? {
    guard let base = Parts(base), let authority = base.authority else { return nil }
    let trimmed = reference.prefix { $0 != "#" }
    if trimmed.hasPrefix("//") { return base.scheme + ":" + trimmed }
    let root = base.scheme + "://" + authority
    let pathEnd = trimmed.firstIndex(of: "?") ?? trimmed.endIndex
    let path = String(trimmed[..<pathEnd])
    let query = String(trimmed[pathEnd...])
    if path.isEmpty {
      return root + base.path + (query.isEmpty ? base.query : query)
    }
    if path.hasPrefix("/") { return root + withoutDots(path) + query }
    let folder = base.path.lastIndex(of: "/").map { base.path[...$0] } ?? "/"
    return root + withoutDots(folder + path) + query
  }

  /// The name of a file with the bytes behind `%XX`. A lone `%` stays.
  static func percentDecoded(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
    var bytes: [UInt8] = []
    let units = Array(text.utf8)
    var index = 0
    while index < units.count {
      if units[index] == UInt8(ascii: "%"), index + 2 < units.count,
        let high = hex(units[index + 1]), let low = hex(units[index + 2])
      {
        bytes.append(high << 4 | low)
        index += 3
      } else {
        bytes.append(units[index])
        index += 1
      }
    }
    return FileName.text(bytes)
  }

  /// Whether the path of a URL ends with a slash.
  static func isFolder(_ url: String) -> Bool { Parts(url)?.path.hasSuffix("/") ?? false }

  /// The host of an absolute URL, without user and port; the whole URL where there is none.
  static func host(of url: String) -> String {
    guard let authority = Parts(url)?.authority else { return url }
    let host = authority[after("@", in: authority)...]
    guard !host.hasPrefix("[") else { return String(host.prefix { $0 != "]" }) + "]" }
    return String(host.prefix { $0 != ":" })
  }

  /// The name after the last `/` of a path, or the path where it ends there.
  static func lastPart(of path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }

  /// The name after the last `/` of a path, without its ending.
  static func stem(of path: String) -> String {
    let name = lastPart(of: path)
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return name }
    return String(name[..<dot])
  }

  /// The ending of the name that a path or address ends with, in small letters: `m3u` of `a/b.M3U?x`.
  /// Empty for none.
  static func ending(of address: String) -> String {
    let name = lastPart(of: String(address.unicodeScalars.prefix { $0 != "?" && $0 != "#" }))
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return "" }
    return name[name.index(after: dot)...].lowercased()
  }

  /// An address without query and the ending of its name.
  static func withoutEnding(_ address: String) -> String {
    let path = String(address.unicodeScalars.prefix { $0 != "?" && $0 != "#" })
    let ending = ending(of: path)
    return ending.isEmpty ? path : String(path.dropLast(ending.count + 1))
  }

  /// RFC 3986, section 5.2.4.
  private static func withoutDots(_ path: some StringProtocol) -> String {
    var kept: [Substring] = []
    let parts = Substring(path).split(separator: "/", omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      let isLast = index == parts.count - 1
      switch part {
      case ".": if isLast { kept.append("") }
      case "..":
        if kept.count > 1 { kept.removeLast() }
        if isLast { kept.append("") }
      default: kept.append(part)
      }
    }
    return kept.joined(separator: "/")
  }

  private struct Parts {
    let scheme: String
    let authority: String?
    let path: String
    let query: String

    init?(_ url: String) {
      guard let scheme = URLText.scheme(of: url) else { return nil }
      self.scheme = scheme
      var rest = url.dropFirst(scheme.count + 1).prefix { $0 != "#" }
      if rest.hasPrefix("//") {
        rest = rest.dropFirst(2)
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        authority = String(rest[..<end])
        rest = rest[end...]
      } else {
        authority = nil
      }
      let end = rest.firstIndex(of: "?") ?? rest.endIndex
      path = String(rest[..<end])
      query = String(rest[end...])
    }
  }

  private static func after(_ mark: Unicode.Scalar, in text: String) -> String.Index {
    guard let index = text.unicodeScalars.lastIndex(of: mark) else { return text.startIndex }
    return text.unicodeScalars.index(after: index)
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  static func hex(_ byte: UInt8) -> UInt8? {
    if isDigit(byte) { return byte - UInt8(ascii: "0") }
    let small = byte | 0x20
    guard (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(small) else { return nil }
    return small - UInt8(ascii: "a") + 10
  }
}
