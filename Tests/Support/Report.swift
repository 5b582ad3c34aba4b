import FoundationEssentials

/// The report that `--report` writes.
public struct Report: Decodable, Sendable {
  public struct Story: Decodable, Sendable {
    public let source: String
    public let kind: String?
    public let status: String
    public let error: String?
    public let notes: [String]
    public let firstPictureMs: Double?
    public let framesDecoded: Int
    public let framesShown: Int
    public let framesDropped: Int
    public let bytesToTerminal: Int
    public let presentedMs: Double
    public let durationMs: Double?
    public let waits: Int
    public let waitedMs: Double
    public let avOffsetMsP50: Double?
    public let avOffsetMsP99: Double?

    /// The last part of the source.
    public var name: String { source.split(separator: "/").last.map(String.init) ?? source }
  }
  public struct Keys: Decodable, Sendable {
    public let count: Int
    public let latencyMsP50: Double?
    public let latencyMsP99: Double?
  }
  public struct Transitions: Decodable, Sendable {
    public let count: Int
    public let gapMsP50: Double?
    public let gapMsP99: Double?
  }
  public struct Network: Decodable, Sendable {
    public let requests: Int
    public let bytes: Int
  }
  public struct Cache: Decodable, Sendable {
    public let hits: Int
    public let misses: Int
    public let bytesServed: Int
    public let bytesFetched: Int
  }
  /// One value for the player, and one for all decoders.
  public struct Share: Decodable, Sendable {
    public let player: Double
    public let decoders: Double
  }

  /// How often the player woke up in a state, and how long it was in it.
  public struct WakeUpTally: Decodable, Sendable {
    public let count: Int
    public let seconds: Double
    public let perSecond: Double?
  }
  public struct WakeUps: Decodable, Sendable {
    public let playing: WakeUpTally
    public let paused: WakeUpTally
  }

  public let stories: [Story]
  public let keys: Keys
  public let transitions: Transitions
  public let network: Network
  public let cache: Cache
  public let cpuMs: Share
  public let maxRssKiB: Share
  public let startToFirstPictureMs: Double?
  public let wakeUps: WakeUps

  /// Reads a report file.
  public init(path: String) throws {
    guard fileExists(path) else { throw SupportError("no report at \(path)") }
    self = try JSONDecoder().decode(Report.self, from: Data(readFile(path)))
  }
}

/// Any JSON value, to check the form of texts.
public enum JSONValue: Decodable, Equatable, Sendable {
  case null
  case bool(Bool)
  case number(Double)
  case text(String)
  case array([JSONValue])
  case object([String: JSONValue])

  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .text(value)
    } else if let value = try? container.decode([JSONValue].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: JSONValue].self))
    }
  }

  /// Parses a text.
  public init(parsing bytes: [UInt8]) throws {
    self = try JSONDecoder().decode(JSONValue.self, from: Data(bytes))
  }

  /// A member of an object; null where there is none.
  public subscript(_ key: String) -> JSONValue {
    if case .object(let members) = self { members[key] ?? .null } else { .null }
  }

  /// The elements of an array; none for anything else.
  public var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }
  /// The names of an object's members, sorted.
  public var keys: [String] {
    if case .object(let members) = self { members.keys.sorted() } else { [] }
  }
  public var text: String? { if case .text(let text) = self { text } else { nil } }
  public var number: Double? { if case .number(let number) = self { number } else { nil } }
}
