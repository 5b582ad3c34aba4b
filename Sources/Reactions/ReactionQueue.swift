import System

/// Decides which reaction is shown when: events in, effects out. Time is an argument.
///
/// One at a time fills the picture; the others wait, those of higher priority first. What is shown
/// ends with its animation, at the latest by a watchdog, and after a change of story at the latest
/// its own length later. What is sent again within a moment is counted in the banner, not shown again.
package struct ReactionQueue {
  /// A reaction that somebody sent.
  package struct Wish: Equatable {
    package var id: String
    package var title: String
    /// Empty for the viewer's own.
    package var sender: String
    package var priority: Int

    package init(id: String, title: String, sender: String = "", priority: Int = 0) {
      self.id = id
      self.title = title
      self.sender = sender
      self.priority = priority
    }
  }

  package enum Event: Equatable {
    case sent(Wish)
    /// Its first frame can be shown; it lasts so long.
    case began(ticket: Int, length: Duration)
    case ended(ticket: Int)
    /// Its animation cannot be fetched or drawn.
    case failed(ticket: Int)
    case storyChanged
    /// The viewer hides reactions, or shows them again.
    case toggled
  }

  package enum Effect: Equatable {
    /// Get this animation and show it; answer with the ticket.
    case show(ticket: Int, Wish)
    /// Show it no longer, or give up getting it.
    case stop(ticket: Int)
  }

  package static let mostWaiting = 50
  package static let together = Duration.milliseconds(300)
  package static let bannerTime = Duration.seconds(3)
  /// How much longer than its length it may take.
  package static let tolerance = Duration.seconds(2)
  /// How long an animation may take to be fetched and to begin.
  package static let loadingTime = Duration.seconds(10)

  private struct Banner {
    var wish: Wish
    var count = 1
    var last: Instant
  }

  private struct Active {
    let ticket: Int
    let wish: Wish
    /// When it is given up.
    var deadline: Instant
    /// nil until it has begun.
    var length: Duration?
    /// Since when another story plays than the one that it was sent to.
    var leftAt: Instant?
  }

  private struct Waiting {
    let ticket: Int
    let wish: Wish
  }

  /// Whether the viewer wants any.
  package private(set) var isShown: Bool
  private let isPossible: Bool
  private var active: Active?
  /// In the order in which they are shown.
  private var waiting: [Waiting] = []
  private var banner: Banner?
  private var nextTicket = 1

  /// - Parameter isPossible: false where nothing is to move: then nothing is ever shown.
  package init(isPossible: Bool = true) {
    self.isPossible = isPossible
    isShown = isPossible
  }

  /// The ticket of the one that is got or shown.
  package var activeTicket: Int? { active?.ticket }
  package var waitingCount: Int { waiting.count }

  /// "heart", "heart x3", "ben: heart"; nil when nothing was sent lately.
  package func banner(at now: Instant) -> String? {
    guard let banner, now < banner.last + ReactionQueue.bannerTime else { return nil }
    let sender = banner.wish.sender.isEmpty ? "" : "\(banner.wish.sender): "
    return sender + banner.wish.title + (banner.count > 1 ? " x\(banner.count)" : "")
  }

  /// When `tick` has something to do, or the banner goes.
  package func deadline(at now: Instant) -> Instant? {
    let end = banner.map { $0.last + ReactionQueue.bannerTime }.flatMap { $0 > now ? $0 : nil }
    return [active?.deadline, end].compactMap { $0 }.min()
  }

  package mutating func handle(_ event: Event, at now: Instant) -> [Effect] {
    switch event {
    case .sent(let wish): return send(wish, at: now)
    case .began(let ticket, let length):
      guard active?.ticket == ticket else { return [] }
      begin(length: length, at: now)
      return tick(at: now)
    case .ended(let ticket), .failed(let ticket):
      guard active?.ticket == ticket else { return [] }
      active = nil
      return showNext(at: now)
    case .storyChanged:
      waiting = []
      guard let current = active, current.leftAt == nil else { return [] }
      active?.leftAt = now
      if let length = current.length { active?.deadline = min(current.deadline, now + length) }
      return []
    case .toggled:
      guard isPossible else { return [] }
      isShown.toggle()
      guard !isShown else { return [] }
      defer {
        active = nil
        waiting = []
        banner = nil
      }
      return active.map { [.stop(ticket: $0.ticket)] } ?? []
    }
  }

  /// Gives up what has taken too long.
  package mutating func tick(at now: Instant) -> [Effect] {
    guard let current = active, now >= current.deadline else { return [] }
    active = nil
    return [.stop(ticket: current.ticket)] + showNext(at: now)
  }

  private mutating func begin(length: Duration, at now: Instant) {
    guard let current = active else { return }
    active?.length = length
    let end = now + length + ReactionQueue.tolerance
    active?.deadline = current.leftAt.map { min(end, $0 + length) } ?? end
  }

  private mutating func send(_ wish: Wish, at now: Instant) -> [Effect] {
    guard isShown else { return [] }
    if let last = banner, last.wish.id == wish.id, last.wish.sender == wish.sender,
      now - last.last <= ReactionQueue.together
    {
      banner?.count += 1
      banner?.last = now
      return []
    }
    banner = Banner(wish: wish, last: now)
    let new = Waiting(ticket: nextTicket, wish: wish)
    nextTicket += 1
    let place = waiting.firstIndex { $0.wish.priority < wish.priority } ?? waiting.endIndex
    waiting.insert(new, at: place)
    guard active != nil else { return showNext(at: now) }
    if waiting.count > ReactionQueue.mostWaiting,
      let oldest = waiting.indices.min(by: { waiting[$0].ticket < waiting[$1].ticket })
    {
      waiting.remove(at: oldest)
    }
    return []
  }

  private mutating func showNext(at now: Instant) -> [Effect] {
    guard active == nil, !waiting.isEmpty else { return [] }
    let next = waiting.removeFirst()
    active = Active(
      ticket: next.ticket, wish: next.wish, deadline: now + ReactionQueue.loadingTime)
    return [.show(ticket: next.ticket, next.wish)]
  }
}
