/// How a kind of service gives out its files: a row of a table.
///
/// A service gets each file by one address, whose path is the file. What is asked for it, and where
/// the bytes are, the row says.
public struct SourceProfile: Equatable, Sendable {
  /// What of an address names the file.
  enum Naming: Sendable {
    /// The address is the file.
    case address
    /// Its path.
    case path
    /// The first part of its path; one more part may give the file a name for people.
    case identifier
  }

  /// What a question is answered by.
  enum Answer: Equatable, Sendable {
    /// The bytes: the question takes the range.
    case bytes
    /// A redirect to a link that is good for a time, on another origin. The range goes there.
    case redirect
    /// Such a link in this member of a JSON object.
    case member(String)
  }

  /// What the configuration calls it.
  public let name: String
  /// The host of the service.
  public var host: String?
  var naming = Naming.address
  /// Path and query to ask for; `{file}` is percent-encoded in it. Nil for the address itself.
  var question: String?
  /// Fields of the question and of nothing else; `{file}` is a part of a JSON string in them.
  var fields: [String] = []
  var answer = Answer.bytes
  /// For how long a link is used before it is asked for again.
  var linkSeconds: Int64?
  /// A field that changes with the bytes, where a service sends no strong entity tag.
  var revisionField: String?
  /// Whether addresses that end with a slash are folders that list themselves (RFC 4918).
  var listsFolders = false
  /// Whether it takes a name and a password, or else only what a header says.
  public var takesPasswords = false

  /// An address is a file, and that is all.
  public static let plain = SourceProfile(name: "plain", takesPasswords: true)

  /// All of them.
  public static let all: [SourceProfile] = [
    plain,
    SourceProfile(name: "webdav", listsFolders: true, takesPasswords: true),
    // Its links are said to live for a limited time, not for how long.
    SourceProfile(
      name: "yandex", host: "cloud-api.yandex.net", naming: .path,
      question: "/v1/disk/resources/download?path={file}", answer: .member("href"),
      linkSeconds: 30 * 60),
    // Its links live for 15 minutes in most cases.
    SourceProfile(
      name: "box", host: "api.box.com", naming: .identifier,
      question: "/2.0/files/{file}/content", answer: .redirect, linkSeconds: 14 * 60),
    // Answers a GET like a POST, with entity tags and ranges.
    SourceProfile(
      name: "dropbox", host: "content.dropboxapi.com", naming: .path,
      question: "/2/files/download", fields: ["Dropbox-API-Arg: {\"path\":\"{file}\"}"]),
    SourceProfile(
      name: "gdrive", host: "www.googleapis.com", naming: .identifier,
      question: "/drive/v3/files/{file}?alt=media", revisionField: "x-goog-hash"),
    SourceProfile(
      name: "onedrive", host: "graph.microsoft.com", naming: .identifier,
      question: "/v1.0/me/drive/items/{file}/content", answer: .redirect, linkSeconds: 30 * 60),
  ]

  /// The one of this name.
  public static func named(_ name: String) -> SourceProfile? { all.first { $0.name == name } }
}
