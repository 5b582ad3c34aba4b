import Glibc

/// Reports when files in some directories appear, disappear or change (inotify(7)).
///
/// It does not report what exactly happened, because directories are read again anyway. Names that
/// begin with a dot are ignored.
public final class FolderWatch {
  private let descriptor: Descriptor
  private var watches: Set<Int32> = []
  private var seen: Set<Int32> = []

  public init() throws(SystemError) {
    let number = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    guard number >= 0 else { throw SystemError(step: "watch directories", code: errno) }
    descriptor = Descriptor(adopting: number)
  }

  /// Becomes readable when something happened.
  public var number: Int32 { descriptor.number }

  /// Watches a directory below a folder; may be called again for the same one. ENOSPC: the user's
  /// share of watches is used up.
  public func add(_ relative: String, in folder: RootedFolder) throws(SystemError) {
    let directory = try folder.look(at: relative)
    let events =
      IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_CLOSE_WRITE | IN_ATTRIB
      | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR
    let watch = inotify_add_watch(
      descriptor.number, "/proc/self/fd/\(directory.number)", UInt32(events))
    guard watch >= 0 else {
      throw SystemError(step: "watch", subject: relative, code: errno)
    }
    watches.insert(watch)
    seen.insert(watch)
  }

  /// Stops watching the directories that were not added again since the last call.
  public func forgetOthers() {
    for watch in watches.subtracting(seen) { inotify_rm_watch(descriptor.number, watch) }
    watches = seen
    seen = []
  }

  /// Whether anything happened since the last call; never waits.
  public func take() -> Bool {
    var events: [UInt8] = []
    var happened = false
    while case .bytes = try? descriptor.read(upTo: 64 << 10, into: &events) {
      happened = FolderWatch.matters(events) || happened
      events.removeAll(keepingCapacity: true)
    }
    return happened
  }

  /// Parses `struct inotify_event`s: watch, mask, cookie, length of the name, name.
  private static func matters(_ events: [UInt8]) -> Bool {
    var start = 0
    while start + 16 <= events.count {
      let mask = number(events, at: start + 4)
      let length = Int(number(events, at: start + 12))
      let isHidden = length > 0 && start + 16 < events.count && events[start + 16] == 0x2E
      if mask & UInt32(IN_IGNORED) == 0, !isHidden { return true }
      start += 16 + length
    }
    return false
  }

  private static func number(_ bytes: [UInt8], at index: Int) -> UInt32 {
    (0..<4).reduce(0) { $0 | UInt32(bytes[index + $1]) << (8 * UInt32($1)) }
  }
}
