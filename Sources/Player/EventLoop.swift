import Reactions
import System

/// Something that the loop waits for.
protocol LoopSource: AnyObject {
  /// What it waits for; nil while nothing can come.
  var interest: Interest? { get }
  /// When `service` must be called at the latest, whatever has become ready.
  var deadline: Instant? { get }
  /// Takes in what has come. It is called in each turn, also where nothing is ready.
  func service(_ readiness: Readiness, now: Instant)
  /// Takes in what has come while nothing else has. True where that concerns nobody else yet: then the
  /// turn goes on, and `service` is called at its end.
  func absorb(_ readiness: Readiness, now: Instant) -> Bool
}

extension LoopSource {
  func absorb(_ readiness: Readiness, now: Instant) -> Bool { false }
}

/// Waits for many sources at once, on the thread that calls it.
struct EventLoop {
  /// Kept from turn to turn for its memory.
  private var interests: [Interest] = []
  /// How often it has returned from waiting.
  private(set) var wakeUps = 0

  /// One turn: waits until a source is ready, a deadline of a source has passed or a moment has come,
  /// and then services all sources, in their order.
  ///
  /// - Parameter moment: when the turn ends at the latest; nil where nothing is due.
  mutating func turn(
    of sources: [any LoopSource], until moment: Instant?
  ) throws(SystemError) {
    interests.removeAll(keepingCapacity: true)
    var next = Earliest(moment)
    for source in sources {
      // poll(2) passes over negative descriptors.
      interests.append(source.interest ?? Interest(-1, reading: false))
      next.add(source.deadline)
    }
    var ready: [Readiness]
    var now: Instant
    repeat {
      ready = try awaitReadiness(of: interests, until: next.moment)
      now = .now
      wakeUps += 1
    } while isAbsorbed(ready, by: sources, now: now) && next.moment.map { now < $0 } ?? true
    for (source, readiness) in zip(sources, ready) { source.service(readiness, now: now) }
  }

  /// Whether only one source was ready, and has taken in all that matters of it.
  private func isAbsorbed(
    _ ready: [Readiness], by sources: [any LoopSource], now: Instant
  ) -> Bool {
    guard let index = ready.firstIndex(where: \.isAny),
      !ready[(index + 1)...].contains(where: \.isAny)
    else { return false }
    return sources[index].absorb(ready[index], now: now)
  }
}

extension Readiness {
  /// Whether it is ready for anything.
  fileprivate var isAny: Bool { readable || writable }
}

/// The earliest of several moments.
struct Earliest {
  /// nil while none was added.
  private(set) var moment: Instant?

  init(_ moment: Instant? = nil) { self.moment = moment }

  mutating func add(_ other: Instant?) {
    guard let other else { return }
    moment = min(moment ?? other, other)
  }
}

/// A descriptor that is only read, by a function.
final class ReadSource: LoopSource {
  let interest: Interest?
  private let read: (Instant) -> Void

  /// - Parameter read: called in each turn in which the descriptor is readable.
  init(_ descriptor: Int32, read: @escaping (Instant) -> Void) {
    interest = Interest(descriptor)
    self.read = read
  }

  var deadline: Instant? { nil }

  func service(_ readiness: Readiness, now: Instant) {
    if readiness.readable { read(now) }
  }
}

extension ReactionShow: LoopSource {}
extension Previews: LoopSource {}
