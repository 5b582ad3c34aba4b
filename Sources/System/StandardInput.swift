import Glibc

/// Standard input.
public enum StandardInput {
  /// Reads its first 64 MiB; what follows is left unread.
  public static func readAll() -> [UInt8] {
    let input = Descriptor(adopting: dup(STDIN_FILENO))
    var bytes: [UInt8] = []
    while bytes.count < mostBytes,
      case .bytes = try? input.read(
        upTo: min(64 << 10, mostBytes - bytes.count), into: &bytes)
    {}
    return bytes
  }

  private static let mostBytes = 64 << 20
}
