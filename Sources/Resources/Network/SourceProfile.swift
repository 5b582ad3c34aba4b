/// How a kind of service gives out its files: a row of a table.
public struct SourceProfile: Equatable, Sendable {
  /// What the configuration calls it.
  public let name: String
  /// Whether addresses that end with a slash are folders that list themselves (RFC 4918).
  let listsFolders: Bool

  /// An address is a file, and that is all.
  public static let plain = SourceProfile(name: "plain", listsFolders: false)

  /// All of them.
  public static let all: [SourceProfile] = [
    plain,
    SourceProfile(name: "webdav", listsFolders: true),
  ]

  /// The one of this name.
  public static func named(_ name: String) -> SourceProfile? { all.first { $0.name == name } }
}
