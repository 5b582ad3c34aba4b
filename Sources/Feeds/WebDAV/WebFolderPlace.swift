import Addresses

/// Where a web folder is, and which addresses are directly below it.
struct WebFolderPlace {
  /// What an address in its list stands for.
  enum Location: Equatable {
    case itself
    /// The member's name, and the same encoded as the last part of a URL.
    case member(name: String, part: String)
    /// Not directly below the folder.
    case elsewhere
  }

  private let host: String
  /// Decoded, from `/` to `/`.
  private let path: [UInt8]

  /// - Parameter url: the folder's URL, with its last slash.
  init?(_ url: String) {
    guard let parts = WebFolderPlace.take(url), let host = parts.host else { return nil }
    self.host = host
    path = parts.path
  }

  /// The last part of the path, or the host if there is none.
  var name: String {
    let last = path.split(separator: UInt8(ascii: "/")).last
    return last.map { String(decoding: $0, as: UTF8.self) } ?? host
  }

  /// Resolves an `href` of the list: an absolute URL or path (RFC 4918, section 8.3). Servers
  /// behind a proxy often name a scheme, host or port by which only they are known. So only the
  /// path is compared, and the member is requested from the server that listed it.
  func locate(_ href: String) -> Location {
    guard href.utf8.count <= Limit.addressBytes, let parts = WebFolderPlace.take(href) else {
      return .elsewhere
    }
    if parts.path == path || parts.path + [UInt8(ascii: "/")] == path { return .itself }
    guard parts.path.starts(with: path) else { return .elsewhere }
    var rest = parts.path.dropFirst(path.count)
    if rest.last == UInt8(ascii: "/") { rest = rest.dropLast() }
    guard !rest.isEmpty, !rest.contains(UInt8(ascii: "/")), !rest.contains(0),
      !rest.elementsEqual(".".utf8), !rest.elementsEqual("..".utf8)
    else { return .elsewhere }
    return .member(
      name: String(decoding: rest, as: UTF8.self), part: PercentCoding.encoded(rest))
  }

  /// The host with its port, nil for a path alone, and the decoded path.
  private static func take(_ text: String) -> (host: String?, path: [UInt8])? {
    let text = text.prefix { $0 != "?" && $0 != "#" }
    if text.hasPrefix("/"), !text.hasPrefix("//") { return (nil, decoded(text)) }
    guard let mark = text.firstRange(of: "://") else { return nil }
    let scheme = text[..<mark.lowerBound].lowercased()
    guard scheme == "http" || scheme == "https" else { return nil }
    let rest = text[mark.upperBound...]
    let end = rest.firstIndex(of: "/") ?? rest.endIndex
    var host = rest[..<end].lowercased()
    if let at = host.lastIndex(of: "@") { host = String(host[host.index(after: at)...]) }
    let usual = scheme == "https" ? ":443" : ":80"
    if host.hasSuffix(usual) { host.removeLast(usual.count) }
    guard !host.isEmpty else { return nil }
    return (host, decoded(end == rest.endIndex ? "/" : rest[end...]))
  }

  private static func decoded(_ path: Substring) -> [UInt8] {
    PercentCoding.decodedLeniently(path.utf8)
  }
}
