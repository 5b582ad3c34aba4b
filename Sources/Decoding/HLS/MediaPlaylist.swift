import System

/// A playlist of the segments of one variant (RFC 8216, section 4.3.3), without those that cannot be
/// played.
package struct MediaPlaylist: Equatable {
  /// A resource that the playlist names, or a range of one.
  package struct Place: Hashable {
    /// As written.
    package var uri: String
    /// In bytes; nil for all of it.
    package var range: Range<UInt64>?

    package init(uri: String, range: Range<UInt64>? = nil) {
      self.uri = uri
      self.range = range
    }
  }

  /// How something is encrypted with AES-128 (section 4.3.2.4).
  package struct Key: Hashable {
    /// Of the key's 16 bytes, as written.
    package var uri: String
    /// The initialization vector, as hexadecimal digits with `0x`.
    package var vector: String
  }

  /// An initialization section (section 4.3.2.5).
  package struct Map: Hashable {
    package var place: Place
    package var key: Key?
  }

  package struct Segment: Equatable {
    package var place: Place
    package var length: Duration
    package var key: Key?
    package var map: Map?
    /// Its media sequence number.
    package var number: UInt64
    /// Its clock or coding need not be those of the segment before (section 4.3.2.3).
    package var beginsAnew: Bool
  }

  package private(set) var segments: [Segment] = []
  /// How many segments are marked as missing (`EXT-X-GAP`).
  package private(set) var gaps = 0
  /// Later segments are protected and were left out.
  package private(set) var endsProtected = false
  /// No segments will be added to it: it says so, or lacks what a playlist that grows must have.
  package private(set) var isOver = true
  /// No segment is longer; nil if the playlist does not say, or says what cannot be.
  package private(set) var targetDuration: Duration?

  /// The length of a segment that declares none.
  private static let usualLength = 10.0
  private static let longestLength = 86_400.0

  /// - Parameter mayBeEmpty: whether a playlist without segments is accepted, as that of a live story
  ///   which has not begun.
  /// - Throws: why it cannot be played.
  package init(_ playlist: PlaylistText, mayBeEmpty: Bool = false) throws(DecodingError) {
    var parser = Parser()
    for line in playlist.lines.dropFirst() where parser.goesOn { try parser.take(line) }
    segments = parser.segments
    gaps = parser.gaps
    endsProtected = parser.endsProtected
    targetDuration = parser.targetDuration
    isOver = parser.hasEnd || parser.endsProtected || targetDuration == nil
    guard segments.isEmpty, isOver || !mayBeEmpty else { return }
    if endsProtected { throw .protected }
    throw DecodingError(gaps > 0 ? "all its segments are missing" : "a playlist without segments")
  }

  /// Reads a playlist line by line.
  private struct Parser {
    var segments: [Segment] = []
    var gaps = 0
    var endsProtected = false
    var hasEnd = false
    var targetDuration: Duration?
    private var isAtEnd = false
    private var key = Encryption.clear
    /// Tags for different systems; those that stand before a segment are alternatives.
    private var keyTags: [Substring] = []
    private var map: (place: Place, encryption: Encryption, whole: Map?)?
    private var length: Double?
    private var range: Substring?
    private var isGap = false
    private var beginsAnew = false
    private var number: UInt64 = 0

    private enum Encryption: Equatable {
      case clear
      /// Without a vector, the segment's number stands for it.
      case block(uri: String, vector: String?)
      case protected
    }

    var goesOn: Bool { !isAtEnd }

    mutating func take(_ line: String) throws(DecodingError) {
      guard line.hasPrefix("#") else { return takeAddress(line) }
      let tag = line.prefix { $0 != ":" }
      let value = line.dropFirst(tag.count + 1)
      switch tag {
      case "#EXT-X-STREAM-INF":
        throw DecodingError("the master playlist names another master playlist, or itself")
      case "#EXT-X-ENDLIST": (hasEnd, isAtEnd) = (true, true)
      case "#EXT-X-PLAYLIST-TYPE": if value.hasPrefix("VOD") { hasEnd = true }
      case "#EXT-X-TARGETDURATION":
        if targetDuration == nil, let seconds = Self.seconds(value), seconds > 0 {
          targetDuration = .milliseconds(Int64(min(seconds, longestLength) * 1_000))
        }
      case "#EXT-X-GAP": isGap = true
      case "#EXT-X-DISCONTINUITY": beginsAnew = true
      case "#EXT-X-KEY": keyTags.append(value)
      case "#EXT-X-MAP":
        let attributes = PlaylistText.attributes(in: value)
        settleKey()
        guard let uri = attributes["URI"], !uri.isEmpty else { break }
        let range = attributes["BYTERANGE"].flatMap { Self.range($0[...], after: 0) }
        let new = Place(uri: uri, range: range)
        if let map, map.place == new, map.encryption == key { break }
        if let map, map.place != new, !segments.isEmpty { beginsAnew = true }
        map = (new, key, nil)
      case "#EXT-X-MEDIA-SEQUENCE": number = UInt64(value) ?? 0
      case "#EXT-X-BYTERANGE": range = value
      case "#EXTINF": length = Self.seconds(value.prefix { $0 != "," && $0 != " " }) ?? 0
      default: break
      }
    }

    private mutating func takeAddress(_ uri: String) {
      settleKey()
      if key == .protected {
        (endsProtected, isAtEnd) = (true, true)
        return
      }
      defer {
        (length, range, isGap) = (nil, nil, false)
        number &+= 1
      }
      if isGap {
        gaps += 1
        return
      }
      if let new = map, new.whole == nil {
        map?.whole = Map(place: new.place, key: Self.key(new.encryption, number))
      }
      let former = segments.last?.place
      let follows = former?.uri == uri ? former?.range?.upperBound : nil
      segments.append(
        Segment(
          place: Place(uri: uri, range: range.flatMap { Self.range($0, after: follows ?? 0) }),
          length: .nanoseconds(
            Int64(min(max(0, length ?? usualLength), longestLength) * 1e9)),
          key: Self.key(key, number),
          map: map?.whole,
          number: number, beginsAnew: beginsAnew))
      beginsAnew = false
    }

    /// One of several keys that is supported is enough.
    private mutating func settleKey() {
      guard !keyTags.isEmpty else { return }
      key = .protected
      for tag in keyTags {
        let attributes = PlaylistText.attributes(in: tag)
        let isPlain = attributes["KEYFORMAT"].map { $0.lowercased() == "identity" } ?? true
        switch attributes["METHOD"] {
        case "NONE": key = .clear
        case "AES-128" where isPlain:
          key = .block(uri: attributes["URI"] ?? "", vector: attributes["IV"])
        default: continue
        }
        break
      }
      keyTags = []
    }

    /// The vector that a segment's number stands for is that of section 5.2.
    private static func key(_ encryption: Encryption, _ number: UInt64) -> Key? {
      guard case .block(let uri, let vector) = encryption else { return nil }
      return Key(uri: uri, vector: vector ?? "0x" + number.padded(32, radix: 16))
    }

    private static func seconds(_ text: Substring) -> Double? {
      Double(text).flatMap { $0.isFinite ? $0 : nil }
    }

    /// The range that `LENGTH@OFFSET` names; nil for one that cannot be.
    ///
    /// - Parameter former: where it begins if no offset is given.
    private static func range(_ text: Substring, after former: UInt64) -> Range<UInt64>? {
      let numbers = text.split(separator: "@", omittingEmptySubsequences: false)
        .map { UInt64($0.filter { $0 != " " }) }
      guard let first = numbers.first, let length = first, length > 0, numbers.count <= 2,
        let start = numbers.count == 2 ? numbers[1] : former
      else { return nil }
      let (end, overflows) = start.addingReportingOverflow(length)
      return overflows ? nil : start..<end
    }
  }
}
