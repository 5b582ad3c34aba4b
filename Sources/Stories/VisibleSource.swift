extension Story.Source {
  /// The path, or the URL without userinfo, query and fragment, which may hold secrets. A descriptor of
  /// this process is its standard input.
  public var visible: String {
    switch self {
    case .file(let path): return path.hasPrefix("/dev/fd/") ? "standard input" : path
    case .url(let url):
      let bare = String(url.unicodeScalars.prefix { $0 != "?" && $0 != "#" })
      guard let authority = bare.authority, let at = authority.lastIndex(of: "@") else {
        return bare
      }
      return bare[..<authority.startIndex] + String(bare[bare.index(after: at)...])
    }
  }
}

extension Story {
  /// What to call where it comes from, without secrets.
  public var visibleSource: String { source.visible }
}

extension String {
  /// Host, port and userinfo of a URL (RFC 3986, section 3.2).
  fileprivate var authority: Substring? {
    guard let colon = firstIndex(of: ":"), self[colon...].hasPrefix("://") else { return nil }
    return self[index(colon, offsetBy: 3)...].prefix { $0 != "/" }
  }
}
