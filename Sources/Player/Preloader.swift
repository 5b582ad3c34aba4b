import Resources
import Stories
import System

/// Fetches the bytes of the next stories ahead of time, one after another, while the story that plays
/// has enough buffered.
final class Preloader {
  /// What is wanted of a story.
  struct Wish: Equatable {
    var story: Int
    /// How many, from its start.
    var bytes: UInt64
  }

  private static let step = 256 << 10
  /// The most bytes of the next story, and of others that may follow.
  static let mostOfNext: UInt64 = 16 << 20
  static let beginning: UInt64 = 256 << 10

  private let stories: [Story]
  private let network: Network
  private var wishes: [Wish] = []
  /// What is on its way.
  private var current: (wish: Wish, resource: CachedResource, position: UInt64)?
  /// How many of the wanted bytes of a story are here, or cannot be fetched.
  private var done: [Int: UInt64] = [:]
  /// Resources that the cache does not keep: their bytes stay only as long as somebody holds them.
  private var kept: [Int: CachedResource] = [:]
  private var isHeldBack = false
  private var generation = 0

  init(stories: [Story], network: Network) {
    self.stories = stories
    self.network = network
  }

  /// Sets what should be fetched, the most urgent first. A fetch that is not wanted any more is
  /// cancelled.
  func want(_ wishes: [Wish]) {
    // Without a cache, bytes that are fetched ahead would be fetched again.
    let wishes = network.options.cacheDirectory == nil ? [] : wishes
    guard wishes != self.wishes else { return }
    self.wishes = wishes
    done = done.filter { entry in wishes.contains { $0.story == entry.key } }
    kept = kept.filter { done[$0.key] != nil }
    // The present fetch goes on only if it is still the most urgent.
    if let current, wishes.first?.story != current.wish.story { stop() }
    goOn()
  }

  /// Stops fetching while the story that plays needs the whole connection.
  func holdBack(_ holds: Bool) {
    guard holds != isHeldBack else { return }
    isHeldBack = holds
    if holds { stop() } else { goOn() }
  }

  func close() {
    wishes = []
    kept = [:]
    stop()
  }

  private func stop() {
    generation += 1
    current?.resource.cancel()
    current = nil
  }

  private func goOn() {
    guard current == nil, !isHeldBack else { return }
    for wish in wishes where (done[wish.story] ?? 0) < wish.bytes {
      guard case .url(let url) = stories[wish.story].source,
        let resource = try? network.open(url, namedBy: stories[wish.story].feed)
      else {
        done[wish.story] = .max
        continue
      }
      resource.setUrgency(.ready)
      current = (wish, resource, 0)
      return fetchNext()
    }
  }

  private func fetchNext() {
    guard let (wish, resource, position) = current else { return }
    let generation = generation
    resource.fetch(offset: position, length: Preloader.step) { [weak self] result in
      guard let self, generation == self.generation else { return }
      let next = position + UInt64(Preloader.step)
      let end = resource.info?.length ?? .max
      // A failure is reported when the story's turn comes.
      if (try? result.get()) == nil || next >= end || !resource.keepsBytes {
        finish(wish, at: .max)
      } else if next >= wish.bytes {
        finish(wish, at: wish.bytes)
      } else {
        current?.position = next
        fetchNext()
      }
    }
  }

  private func finish(_ wish: Wish, at bytes: UInt64) {
    done[wish.story] = bytes
    if let resource = current?.resource, !resource.keepsBytes {
      resource.cancel()
      resource.setUrgency(.held)
      kept[wish.story] = resource
    }
    current = nil
    goOn()
  }
}

extension Stage {
  /// What to fetch ahead: the next story, the beginnings of the ones a key leads to, and of the one
  /// after the next.
  var upcoming: [Preloader.Wish] {
    guard !isAtEndCard else { return [] }
    let next = playable(from: current.story + 1)
    var wishes: [Preloader.Wish] = []
    if let next { wishes.append(.init(story: next, bytes: Preloader.mostOfNext)) }
    for story in neighbours where story != next {
      wishes.append(.init(story: story, bytes: Preloader.beginning))
    }
    if let next, let second = playable(from: next + 1), !neighbours.contains(second) {
      wishes.append(.init(story: second, bytes: Preloader.beginning))
    }
    return wishes
  }
}
