/// The folder for data that is kept between runs (XDG base directories).
public enum StateFolder {
  /// `$XDG_STATE_HOME/storytty`, or `.local/state/storytty` in the home directory; nil where neither
  /// is known.
  public static var path: String? {
    let state = EnvironmentVariable.value(of: "XDG_STATE_HOME").flatMap(absolute)
    let home = EnvironmentVariable.value(of: "HOME").flatMap(absolute).map { $0 + "/.local/state" }
    return (state ?? home).map { $0 + "/storytty" }
  }

  private static func absolute(_ path: String) -> String? { path.hasPrefix("/") ? path : nil }
}
