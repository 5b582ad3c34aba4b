/// An HLS story as it is given to FFmpeg: a single variant, with its sound if that is separate.
struct PreparedPlaylist {
  /// The playlist that the demuxer opens first.
  private(set) var text: [UInt8]
  /// The media playlists that it opens next, in this order.
  private(set) var lists: [[UInt8]]
  /// The parts of each media playlist, by its discontinuities; nil for a playlist without any.
  private let parts: [PlaylistParts?]
  /// What is wrong with the story, in words.
  private(set) var notes: [String]

  /// Prepares a media playlist that is the story itself.
  init(_ media: MediaPlaylist) {
    text = media.text
    lists = []
    parts = [PlaylistParts(media.text)]
    notes = Self.notes(on: media)
  }

  /// Prepares a variant. If its sound cannot be fetched, it is left out with a note.
  init(
    _ variant: MasterPlaylist.Variant, sound: String?, over connection: PlayerConnection
  ) throws(DecodingError) {
    let pictures = try Self.read(variant.uri, over: connection)
    var lists = [pictures.text]
    notes = Self.notes(on: pictures)
    var head = "#EXTM3U\n"
    var group = ""
    if let sound {
      do throws(DecodingError) {
        lists.insert(try Self.read(sound, over: connection).text, at: 0)
        head += "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"s\",NAME=\"s\",DEFAULT=YES,URI=\"\(sound)\"\n"
        group = ",AUDIO=\"s\""
      } catch {
        notes.append("its sound cannot be fetched: \(error.reason)")
      }
    }
    self.lists = lists
    parts = lists.map { PlaylistParts($0) }
    let stream = "#EXT-X-STREAM-INF:BANDWIDTH=\(variant.bandwidth ?? 1)\(group)\n\(variant.uri)\n"
    text = Array((head + stream).utf8)
  }

  /// The declared lengths of the parts, from the playlist that has most; empty without discontinuities.
  var partLengths: [Duration] {
    let all = parts.compactMap { $0?.parts.map(\.length) }
    return all.max { $0.count < $1.count } ?? []
  }

  /// A part as a playlist of its own.
  func part(_ number: Int) -> PreparedPlaylist {
    var part = self
    let none = Array("#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-ENDLIST\n".utf8)
    func text(of parts: PlaylistParts, _ number: Int) -> [UInt8] {
      parts.parts.indices.contains(number) ? parts.parts[number].text : none
    }
    if lists.isEmpty {
      if let all = parts.first ?? nil { part.text = text(of: all, number) }
    } else {
      for (index, all) in parts.enumerated() {
        if let all { part.lists[index] = text(of: all, number) }
      }
    }
    return part
  }

  private static func read(
    _ uri: String, over connection: PlayerConnection
  ) throws(DecodingError) -> MediaPlaylist {
    let (id, length) = try connection.openResource(uri)
    let stream = ResourceStream(connection, resource: id, length: length)
    let text = try PlaylistText(reading: stream)
    guard !text.lines.isEmpty else { throw DecodingError("what it refers to is not a playlist") }
    return try MediaPlaylist(text)
  }

  private static func notes(on media: MediaPlaylist) -> [String] {
    var notes: [String] = []
    if media.gaps > 0 { notes.append("some of its segments are missing") }
    if media.endsProtected { notes.append("the rest of it is protected content") }
    return notes
  }
}

/// Reads bytes in memory, without seeks.
final class MemoryStream: ByteStream {
  private var rest: ArraySlice<UInt8>
  let length: UInt64?
  let failure: DecodingError? = nil

  init(_ bytes: [UInt8]) {
    rest = bytes[...]
    length = UInt64(bytes.count)
  }

  func read(_ count: Int) throws(DecodingError) -> [UInt8] {
    let part = rest.prefix(count)
    rest = rest.dropFirst(count)
    return Array(part)
  }

  func move(to position: UInt64) -> Bool { false }
}
