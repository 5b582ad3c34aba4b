import Addresses

/// Resolves what a playlist names against the playlist's own address, as far as a decoder knows that:
/// the address may itself be relative to the story's, and only the player knows that one.
func reference(_ uri: String, in playlist: String?) -> String {
  guard let playlist else { return uri }
  let (named, base) = (URLReference(uri), URLReference(playlist))
  guard named.scheme == nil else { return uri }
  if base.scheme != nil || base.authority != nil || base.path.hasPrefix("/") {
    return named.resolved(against: base).text
  }
  // Dots stay, since it is not known what lies above.
  guard named.authority == nil, !named.path.hasPrefix("/") else { return uri }
  // An empty path stands for that of the base (RFC 3986, section 5.2.2).
  if named.path.isEmpty {
    var target = base
    target.query = named.query ?? base.query
    target.fragment = named.fragment
    return target.text
  }
  let folder = base.path.utf8.lastIndex(of: UInt8(ascii: "/")).map { base.path[...$0] } ?? ""
  return folder + uri
}
