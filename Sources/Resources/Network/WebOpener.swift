/// Opens what a playlist from the network names: other web addresses, and nothing else. One from
/// a public server never reaches into a private network.
public final class WebOpener: ResourceOpener {
  private let network: Network
  private let playlist: WebAddress?
  private weak var resource: CachedResource?
  /// What references are beside, once it has answered.
  private var base: WebAddress?

  /// An opener for what the playlist at this address names.
  ///
  /// - Parameter resource: the playlist's bytes, where it may name what is beside it: that is beside
  ///   the address that answered last (RFC 3986, section 5.1.3).
  public init(_ network: Network, playlist url: String, resource: CachedResource? = nil) {
    self.network = network
    self.resource = resource
    playlist = WebAddress(url)
  }

  /// What a playlist names may be a playlist too, and lie elsewhere than its address says.
  public func open(_ reference: String) throws(ResourceError) -> any Resource {
    MovedPlaylist(try open(reference, freshSeconds: nil))
  }

  func open(_ reference: String, freshSeconds: Int64?) throws(ResourceError) -> CachedResource {
    base = resource?.answering ?? base
    guard let playlist, let address = WebAddress(reference, relativeTo: base ?? playlist) else {
      throw ResourceError("a playlist from the network may only name web addresses")
    }
    guard !(playlist.scheme == "https" && address.scheme == "http") else {
      throw ResourceError("a playlist names an insecure address")
    }
    // A login in the playlist's own address is for its server, also for what it names there.
    return try network.open(
      address.withLogin(of: playlist), namedBy: playlist, freshSeconds: freshSeconds)
  }
}
