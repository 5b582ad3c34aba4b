import Resources
import Stories

/// Where the bytes of stories come from: files of this machine, and the network through its cache.
public struct StoryBytes {
  let network: Network

  public init(_ network: Network) { self.network = network }

  /// Opens a story's bytes, with what opens those that they name where they are a playlist.
  func open(_ story: Story) throws(ResourceError) -> (any Resource, any ResourceOpener) {
    switch story.source {
    case .file(let path):
      return (try network.open(file: path), LocalOpener(network, playlist: path))
    case .url(let url):
      // The feed that names the story decides what it may reach.
      let resource = try network.open(url, namedBy: story.feed)
      return (resource, WebOpener(network, playlist: url, resource: resource))
    }
  }

  /// How far a story's bytes have come; nil where nothing has to come.
  static func progress(of resource: any Resource) -> (() -> ResourceProgress)? {
    guard let cached = resource as? CachedResource else { return nil }
    return { cached.progress }
  }
}
