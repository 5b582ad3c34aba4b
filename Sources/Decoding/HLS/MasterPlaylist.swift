import DecoderLink

/// A playlist that offers the same story in several variants (RFC 8216, section 4.3.4).
package struct MasterPlaylist: Equatable {
  /// A variant (`EXT-X-STREAM-INF`).
  package struct Variant: Equatable {
    /// The URI of its media playlist, as written.
    package var uri: String
    /// Peak bits a second; nil if not given.
    package var bandwidth: UInt64?
    /// In pixels; nil if not given.
    package var size: (width: UInt32, height: UInt32)?
    /// Named as in RFC 6381; empty if not given.
    package var codecs: [String]
    /// The group of its sound, if the sound is not only in its own segments.
    package var soundGroup: String?

    package static func == (one: Variant, other: Variant) -> Bool {
      one.uri == other.uri && one.bandwidth == other.bandwidth && one.codecs == other.codecs
        && one.soundGroup == other.soundGroup && one.size?.width == other.size?.width
        && one.size?.height == other.size?.height
    }
  }

  /// A sound in a group (`EXT-X-MEDIA`).
  package struct Sound: Equatable {
    package var group: String
    /// Nil if it is in the variant's own segments.
    package var uri: String?
    package var isDefault: Bool
    package var isAutomatic: Bool
  }

  /// In the order of the playlist.
  package private(set) var variants: [Variant] = []
  package private(set) var sounds: [Sound] = []

  /// Nil if the playlist is not a master playlist.
  package init?(_ text: PlaylistText) {
    var pending: Variant?
    var isMaster = false
    for line in text.lines {
      if let value = PlaylistText.value(ofTag: "#EXT-X-STREAM-INF", in: line) {
        isMaster = true
        pending = Self.variant(PlaylistText.attributes(in: value))
      } else if let value = PlaylistText.value(ofTag: "#EXT-X-MEDIA", in: line) {
        if let sound = Self.sound(PlaylistText.attributes(in: value)) { sounds.append(sound) }
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

  /// The URI of a variant's sound; nil if it is in the variant's own segments. Of several, such as
  /// languages, the first default one is chosen, else the first that may be chosen automatically.
  package func soundURI(of variant: Variant) -> String? {
    let group = sounds.filter { $0.group == variant.soundGroup }
    let chosen = group.first(where: \.isDefault) ?? group.first(where: \.isAutomatic) ?? group.first
    // A variant without pictures may name itself as its sound.
    return chosen?.uri == variant.uri ? nil : chosen?.uri
  }
}
