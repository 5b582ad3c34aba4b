import System

/// Opens a story's link in the desktop's browser.
struct LinkOpener {
  private var programs = DetachedPrograms()

  struct Refusal: Error, CustomStringConvertible {
    let description: String
  }

  /// Starts xdg-open with the link as its one argument; other schemes than http and https are
  /// refused.
  mutating func open(_ link: String) throws(Refusal) {
    let lower = link.lowercased()
    guard lower.hasPrefix("https://") || lower.hasPrefix("http://") else {
      throw Refusal(description: "only http and https links are opened")
    }
    do {
      try programs.start("xdg-open", arguments: [link])
    } catch {
      throw Refusal(description: "xdg-open does not start: \(error.reason)")
    }
  }

  /// Reaps browsers that have ended.
  mutating func reap() { programs.reap() }
}
