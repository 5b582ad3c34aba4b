import Glibc

/// What the program was started with.
public enum EnvironmentVariable {
  /// The value of a variable; nil where it is not set.
  public static func value(of name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }
}
