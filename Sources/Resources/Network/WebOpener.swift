/// Opens what a playlist from the network names: other web addresses, and nothing else. One from
/// a public server never reaches into a private network.
public final class WebOpener: ResourceOpener {
  private let network: Network
  private let playlist: WebAddress?

  /// An opener for what the playlist at this address names.
  public init(_ network: Network, playlist url: String) {
    self.network = network
    playlist = WebAddress(url)
  }

  public func open(_ reference: String) throws(ResourceError) -> any Resource {
    try open(reference, freshSeconds: nil)
  }

  func open(_ reference: String, freshSeconds: Int64?) throws(ResourceError) -> CachedResource {
    guard let playlist, let address = WebAddress(reference, relativeTo: playlist) else {
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
