import Addresses
import JSONText

/// The reactions that a server, or a folder's `animations.json`, offers: an array of objects, of
/// which only the `id` is required.
public struct AnimationCatalogue: Equatable, Sendable {
  public struct Entry: Equatable, Sendable {
    /// Untrusted text, like the title.
    public var id: String
    public var title: String
    /// The hash of the animation's file, in lower-case hexadecimal digits.
    public var sha256: String?
    /// Entries of a higher priority are shown before others that wait.
    public var priority: Int

    public init(id: String, title: String = "", sha256: String? = nil, priority: Int = 0) {
      self.id = id
      self.title = title.isEmpty ? id : title
      self.sha256 = sha256
      self.priority = priority
    }
  }

  /// Why a text is no catalogue, in words.
  public struct Failure: Error, Equatable, Sendable {
    public let reason: String
  }

  /// A larger text is refused.
  public static let mostBytes = 64 << 20

  /// In the order of the text, each id once.
  public private(set) var entries: [Entry] = []
  private var byID: [String: Entry] = [:]

  public init(entries: [Entry] = []) {
    for entry in entries { add(entry) }
  }

  /// Reads a catalogue. Entries without a usable id are left out.
  public init(_ text: [UInt8]) throws(Failure) {
    var reader = JSONReader(text)
    do throws(JSONReader.Failure) {
      let kind = try reader.peek()
      guard kind == .array else {
        throw JSONReader.Failure(offset: nil, what: "it is \(kind.rawValue), not an array")
      }
      try reader.enter()
      while try reader.nextElement() {
        if let entry = try Self.entry(&reader) { add(entry) }
        guard entries.count <= Limit.items else {
          throw JSONReader.Failure(offset: nil, what: "it has more than \(Limit.items) entries")
        }
      }
      try reader.finish()
    } catch {
      throw Failure(reason: "no list of animations: \(error.what)")
    }
  }

  /// The entry of this id; nil where it is not offered (any more).
  public subscript(id: String) -> Entry? { byID[id] }

  /// Removes an entry.
  public mutating func remove(_ id: String) {
    guard byID.removeValue(forKey: id) != nil else { return }
    entries.removeAll { $0.id == id }
  }

  private mutating func add(_ entry: Entry) {
    guard AnimationID.isUsable(entry.id), byID[entry.id] == nil else { return }
    byID[entry.id] = entry
    entries.append(entry)
  }

  /// Reads the next element; nil where it is no entry.
  private static func entry(_ reader: inout JSONReader) throws(JSONReader.Failure) -> Entry? {
    guard try reader.peek() == .object else {
      try reader.skip()
      return nil
    }
    var entry = Entry(id: "")
    try reader.enter()
    while let key = try reader.nextKey() {
      switch (key, try reader.peek()) {
      case ("id", .string): entry.id = try reader.string()
      case ("title", .string):
        var ignored: String?
        entry.title = try reader.shownText(key, problem: &ignored) ?? ""
      case ("sha256", .string): entry.sha256 = hash(try reader.string())
      case ("priority", .number):
        entry.priority = Int(max(-1_000, min(1_000, Double(try reader.number()) ?? 0)))
      default: try reader.skip()
      }
    }
    if entry.title.isEmpty { entry.title = entry.id }
    return entry
  }

  private static func hash(_ text: String) -> String? {
    let isHash = text.utf8.count == 64 && text.allSatisfy(\.isHexDigit)
    return isHash ? text.lowercased() : nil
  }
}

/// The ids by which animations are requested.
public enum AnimationID {
  private static let longest = 1024

  /// Whether a server can be asked for this id: `.` and `..` would be steps through folders.
  static func isUsable(_ id: String) -> Bool {
    !id.isEmpty && id.utf8.count <= longest && id != "." && id != ".."
  }

  /// The addresses where a server may have an animation, the likelier first: by its own path, or as
  /// a static file.
  public static func addresses(of id: String, below endpoint: String) -> [String] {
    guard isUsable(id) else { return [] }
    let encoded = PercentCoding.encoded(id.utf8)
    return ["\(endpoint)/animation/\(encoded)", "\(endpoint)/\(encoded).json"]
  }

  /// The addresses where a server may have its catalogue.
  public static func catalogues(below endpoint: String) -> [String] {
    ["\(endpoint)/animations", "\(endpoint)/animations.json"]
  }

  /// The files of a folder that may be this animation; none for an id that is no plain name.
  public static func files(of id: String, in folder: String) -> [String] {
    let isPlain =
      isUsable(id) && !id.hasPrefix(".")
      && !id.utf8.contains { $0 < 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "/") }
    return isPlain ? MediaFormat.animationExtensions.map { "\(folder)/\(id).\($0)" } : []
  }

  /// The id of a file in a folder; nil where its name is not that of an animation.
  public static func id(ofFile name: String) -> String? {
    guard !name.hasPrefix("."), name != "animations.json" else { return nil }
    return MediaFormat.animationStem(of: name)
  }
}
