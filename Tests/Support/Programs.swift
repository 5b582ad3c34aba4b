import Glibc

/// Paths of the built programs.
public enum Programs {
  /// The directory that STORYTTY_BIN names, or the build directory of this configuration.
  public static let directory: String = {
    if let given = variable("STORYTTY_BIN") { return absolute(given) }
    let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    #if DEBUG
      return "/\(root)/.build/debug"
    #else
      return "/\(root)/.build/release"
    #endif
  }()

  public static var player: String { "\(directory)/storytty" }
  public static var decoder: String { "\(directory)/storytty-decoder" }

  /// The path of a program of this machine by its name; nil where it is not installed.
  public static func installed(_ name: String) -> String? {
    ["/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin"].map { "\($0)/\(name)" }
      .first { access($0, X_OK) == 0 }
  }
}

/// The value of an environment variable; nil where it is not set or empty.
public func variable(_ name: String) -> String? {
  guard let value = getenv(name), value.pointee != 0 else { return nil }
  return String(cString: value)
}

/// The absolute path.
public func absolute(_ path: String) -> String {
  guard let resolved = realpath(path, nil) else { return path }
  defer { free(resolved) }
  return String(cString: resolved)
}
