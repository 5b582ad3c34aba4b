import DecoderLink

/// A playlist that names the same story in several versions (RFC 8216, section 4.3.4).
package struct MasterPlaylist: Equatable {
  /// One version (`EXT-X-STREAM-INF`).
  package struct Variant: Equatable {
    /// Its media playlist, as it is written.
    package var uri: String
    /// Bits a second at most; nil where it is not said.
    package var bandwidth: UInt64?
    /// In pixels; nil where it is not said.
    package var size: (width: UInt32, height: UInt32)?
    /// As RFC 6381 names them; empty where it is not said.
    package var codecs: [String]
    /// The group that its sound is in, beside what its own parts hold.
    package var soundGroup: String?

    package static func == (one: Variant, other: Variant) -> Bool {
      one.uri == other.uri && one.bandwidth == other.bandwidth && one.codecs == other.codecs
        && one.soundGroup == other.soundGroup && one.size?.width == other.size?.width
        && one.size?.height == other.size?.height
    }
  }

  /// A sound of a group (`EXT-X-MEDIA`).
  package struct Sound: Equatable {
    package var group: String
    /// Nil where the variant's own parts hold it.
    package var uri: String?
    package var isDefault: Bool
    package var isAutomatic: Bool
  }

  /// In the order of the playlist.
  package private(set) var variants: [Variant] = []
  package private(set) var sounds: [Sound] = []

  /// Nil where the playlist is none that names variants.
  package init?(_ text: PlaylistText) {
    var pending: Variant?
    var isMaster = false
    for line in text.lines {
      if let list = PlaylistText.value(of: line, "#EXT-X-STREAM-INF") {
        isMaster = true
        pending = Self.variant(PlaylistText.attributes(list))
      } else if let list = PlaylistText.value(of: line, "#EXT-X-MEDIA") {
        if let sound = Self.sound(PlaylistText.attributes(list)) { sounds.append(sound) }
      } else if !line.hasPrefix("#"), var variant = pending {
        variant.uri = line
        variants.append(variant)
        pending = nil
      }
    }
    guard isMaster else { return nil }
  }

  private static func variant(_ attributes: [String: String]) -> Variant {
    let sides = (attributes["RESOLUTION"] ?? "").split { $0 == "x" || $0 == "X" }.map { UInt32($0) }
    var size: (width: UInt32, height: UInt32)?
    if sides.count == 2, let width = sides[0], let height = sides[1], width > 0, height > 0 {
      size = (width, height)
    }
    let codecs = (attributes["CODECS"] ?? "").split(separator: ",").map {
      $0.filter { $0 != " " }.lowercased()
    }
    return Variant(
      uri: "", bandwidth: attributes["BANDWIDTH"].flatMap { UInt64($0) }, size: size,
      codecs: codecs, soundGroup: attributes["AUDIO"])
  }

  private static func sound(_ attributes: [String: String]) -> Sound? {
    guard attributes["TYPE"] == "AUDIO", let group = attributes["GROUP-ID"] else { return nil }
    return Sound(
      group: group, uri: attributes["URI"].flatMap { $0.isEmpty ? nil : $0 },
      isDefault: attributes["DEFAULT"] == "YES", isAutomatic: attributes["AUTOSELECT"] == "YES")
  }

  /// Where the sound of a variant is, if not in its own parts.
  package func soundURI(of variant: Variant) -> String? {
    let group = sounds.filter { $0.group == variant.soundGroup }
    let chosen = group.first(where: \.isDefault) ?? group.first(where: \.isAutomatic) ?? group.first
    return chosen?.uri == variant.uri ? nil : chosen?.uri
  }
}
