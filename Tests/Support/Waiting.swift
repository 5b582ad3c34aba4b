import Glibc
import System

// The one way in which tests wait: they ask again and again, up to a limit that only a fault reaches.

/// Asks for a value until there is one; nil when the time is over.
///
/// - Parameter pause: what passes between two questions; it must take some time.
public func awaitValue<Value>(
  within limit: Duration = .seconds(20), pause: () -> Void = { usleep(2_000) },
  _ value: () throws -> Value?
) rethrows -> Value? {
  let deadline = Instant.now + limit
  while true {
    if let found = try value() { return found }
    if Instant.now >= deadline { return nil }
    pause()
  }
}

/// Waits until a condition holds; false when the time is over.
public func holds(
  within limit: Duration = .seconds(20), pause: () -> Void = { usleep(2_000) },
  _ condition: () throws -> Bool
) rethrows -> Bool {
  try awaitValue(within: limit, pause: pause) { try condition() ? () : nil } != nil
}

/// Waits until a condition holds; throws when the time is over.
public func eventually(
  _ what: String, within limit: Duration = .seconds(20),
  pause: () -> Void = { usleep(2_000) }, _ condition: () throws -> Bool
) throws {
  guard try holds(within: limit, pause: pause, condition) else {
    throw SupportError("it did not happen: \(what)")
  }
}
