import Glibc

/// The program's environment.
public enum EnvironmentVariable {
  /// The value of a variable; nil where it is not set.
  public static func value(of name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }
}
