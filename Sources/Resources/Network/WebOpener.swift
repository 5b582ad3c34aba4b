/// Opens the references in a playlist from the network: other web addresses, and nothing else.
/// References in a playlist from a public server never reach a private network.
public final class WebOpener: ResourceOpener {
  private let network: Network
  private let playlist: WebAddress?
  /// What names the playlist, if a stranger wrote that.
  private let feed: WebAddress?
  private weak var resource: CachedResource?
  /// The address that references are resolved against, once it has answered.
  private var base: WebAddress?
  private let created = CreatedEntries()

  /// An opener for the references in the playlist at this address.
  ///
  /// - Parameter resource: the playlist's bytes, if relative references are allowed: they are
  ///   resolved against the address that answered last (RFC 3986, section 5.1.3).
  public init(_ network: Network, playlist url: String, resource: CachedResource? = nil) {
    self.network = network
    self.resource = resource
    feed = resource?.namedBy
    playlist = WebAddress(url)
  }

  /// A reference may lead to a playlist again, whose address may be redirected.
  public func open(_ reference: String) throws(ResourceError) -> any Resource {
    MovedPlaylist(try open(reference, freshSeconds: nil))
  }

  public func openPart(_ reference: String) throws(ResourceError) -> any Resource {
    try open(reference, freshSeconds: nil)
  }

  public func reload(_ reference: String?) throws(ResourceError) -> any Resource {
    MovedPlaylist(
      try network.openAnew(address(reference), namedBy: reference == nil ? feed : playlist))
  }

  public func forget(_ reference: String?) {
    guard let address = try? address(reference) else { return }
    // An old copy of a playlist that grows is of no use to anybody.
    if reference == nil { return network.discard(address) }
    let key = Content.key(of: address, isListing: false, network.options)
    if created.forget(key) { network.discard(key: key) }
  }

  /// Opens a reference as it is stored, with relative addresses.
  public func openStored(_ reference: String) throws(ResourceError) -> CachedResource {
    try open(reference, freshSeconds: nil)
  }

  func open(_ reference: String, freshSeconds: Int64?) throws(ResourceError) -> CachedResource {
    let address = try address(reference)
    created.want(Content.key(of: address, isListing: false, network.options))
    return try network.open(
      address, namedBy: playlist, freshSeconds: freshSeconds, creator: created)
  }

  /// The address of a reference; for nil that of the playlist itself.
  private func address(_ reference: String?) throws(ResourceError) -> WebAddress {
    base = resource?.answering ?? base
    let named = reference.map { reference in
      (base ?? playlist).flatMap { WebAddress(reference, relativeTo: $0) }
    }
    guard let playlist, let address = named ?? playlist else {
      throw ResourceError("a playlist from the network may only name web addresses")
    }
    guard !(playlist.scheme == "https" && address.scheme == "http") else {
      throw ResourceError("a playlist names an insecure address")
    }
    // A login in the playlist's own address is for its server, so it is also used for references to
    // that server.
    return address.withLogin(of: playlist)
  }
}
