/// The namespace of an element of an RSS or Atom feed.
enum SyndicationSpace {
  /// RSS, which has a namespace only in version 1.0, or Atom.
  case core
  case media, podcast, dublinCore, content, enclosure, other

  /// Namespaces are written in many ways: with either scheme, and with or without a `/` or `#` at
  /// the end.
  init(_ name: String) {
    let text = name.lowercased()
    let rest = text.firstRange(of: "://").map { text[$0.upperBound...] } ?? text[...]
    let bare = String(rest.hasSuffix("/") || rest.hasSuffix("#") ? rest.dropLast() : rest)
    switch bare {
    case "", "www.w3.org/2005/atom", "purl.org/atom/ns", "purl.org/rss/1.0",
      "my.netscape.com/rdf/simple/0.9", "backend.userland.com/rss2",
      "blogs.law.harvard.edu/tech/rss":
      self = .core
    case _ where bare.hasSuffix("search.yahoo.com/mrss"): self = .media
    case _ where bare.hasSuffix("itunes.com/dtds/podcast-1.0.dtd"): self = .podcast
    case "purl.org/dc/elements/1.1", "purl.org/dc/elements/1.0", "purl.org/dc/terms":
      self = .dublinCore
    case "purl.org/rss/1.0/modules/content": self = .content
    case "purl.oclc.org/net/rss_2.0/enc": self = .enclosure
    default: self = .other
    }
  }
}
