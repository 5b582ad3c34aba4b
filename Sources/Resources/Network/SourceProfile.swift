/// How a kind of service gives out its files: a row of a table.
///
/// Each file has one address, whose path names the file. The row says which request is sent for it,
/// and where the bytes are.
public struct SourceProfile: Equatable, Sendable {
  /// The part of an address that names the file.
  enum Naming: Sendable {
    /// The address is the file.
    case address
    /// Its path.
    case path
    /// The first part of its path; a second part may be a name for people.
    case identifier
  }

  /// What the answer to a request is.
  enum Answer: Equatable, Sendable {
    /// The bytes; the request has the range.
    case bytes
    /// A redirect to a link on another origin, which is valid for some time. The range is sent
    /// there.
    case redirect
    /// Such a link, in this member of a JSON object.
    case member(String)
  }

  /// Its name in the configuration.
  public let name: String
  /// The host of the service.
  public var host: String?
  var naming = Naming.address
  /// Path and query of the request, with `{file}` percent-encoded; nil for the address itself.
  var question: String?
  /// Fields of this request only; `{file}` in them is part of a JSON string.
  var fields: [String] = []
  var answer = Answer.bytes
  /// How long a link is used before a new one is asked for.
  var linkSeconds: Int64?
  /// A field that changes with the bytes, if the service sends no strong entity tag.
  var revisionField: String?
  /// Whether addresses that end with a slash are folders that list themselves (RFC 4918).
  var listsFolders = false
  /// Whether it takes a name and a password; else only a header.
  public var takesPasswords = false

  /// The address is the file; nothing else is known.
  public static let plain = SourceProfile(name: "plain", takesPasswords: true)

  /// All of them.
  public static let all: [SourceProfile] = [
    plain,
    SourceProfile(name: "webdav", listsFolders: true, takesPasswords: true),
    // Its links are documented to be valid for a limited time, without saying how long.
    SourceProfile(
      name: "yandex", host: "cloud-api.yandex.net", naming: .path,
      question: "/v1/disk/resources/download?path={file}", answer: .member("href"),
      linkSeconds: 30 * 60),
    // Its links are valid for 15 minutes in most cases.
    SourceProfile(
      name: "box", host: "api.box.com", naming: .identifier,
      question: "/2.0/files/{file}/content", answer: .redirect, linkSeconds: 14 * 60),
    // It answers a GET like a POST, with entity tags and ranges.
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

  /// The profile of this name.
  public static func named(_ name: String) -> SourceProfile? { all.first { $0.name == name } }
}
