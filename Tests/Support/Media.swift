/// The corpus of media files that STORYTTY_MEDIA names.
public enum Media {
  /// One file and the known facts about it.
  public struct Entry: Sendable, CustomStringConvertible {
    /// The path relative to the corpus.
    public let name: String
    public let kind: String
    public let displayWidth: Int?
    public let displayHeight: Int?
    public let durationSeconds: Double?
    public let frames: Int?
    public let hasAudio: Bool?
    /// What a correct player does, in a sentence.
    public let expected: String
    public let measured: String

    /// The path of the file.
    public var path: String { "\(Media.directory ?? "")/\(name)" }
    public var description: String { name }
  }

  /// The directory of the corpus; nil where none is given.
  public static let directory = variable("STORYTTY_MEDIA").map(absolute)

  public static var isAvailable: Bool { directory != nil }

  /// The path of a file of the corpus; throws when it is not there.
  public static func path(_ name: String) throws -> String {
    guard let directory else { throw SupportError("STORYTTY_MEDIA is not set") }
    let path = "\(directory)/\(name)"
    guard fileExists(path) else { throw SupportError("\(path) is missing") }
    return path
  }

  /// All lines of the manifest; throws if it, or a file that it names, is missing.
  public static func entries() throws -> [Entry] {
    let lines = try readText(path("MANIFEST.tsv")).split(separator: "\n").dropFirst()
    return try lines.map { line in
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      guard fields.count == 14 else { throw SupportError("no manifest line: \(line)") }
      let entry = Entry(
        name: fields[0], kind: fields[1], displayWidth: Int(fields[5]),
        displayHeight: Int(fields[6]), durationSeconds: Double(fields[7]),
        frames: Int(fields[8]), hasAudio: ["yes": true, "no": false][fields[9]],
        expected: fields[10], measured: fields[11])
      guard fileExists(entry.path) else { throw SupportError("\(entry.path) is missing") }
      return entry
    }
  }
}
