/// An HLS story as FFmpeg is given it: one version alone, with its sound where that lies apart.
struct PreparedPlaylist {
  /// What the demuxer opens first.
  let text: [UInt8]
  /// The media playlists that it opens then, in this order.
  let lists: [[UInt8]]
  /// What is not as it should be, in words.
  private(set) var notes: [String]

  /// A media playlist that is the story itself.
  init(_ media: MediaPlaylist) {
    text = media.text
    lists = []
    notes = Self.notes(on: media)
  }

  /// A version of a story; its sound may be missing.
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
        notes.append("its sound cannot be had: \(error.reason)")
      }
    }
    self.lists = lists
    let stream = "#EXT-X-STREAM-INF:BANDWIDTH=\(variant.bandwidth ?? 1)\(group)\n\(variant.uri)\n"
    text = Array((head + stream).utf8)
  }

  private static func read(
    _ uri: String, over connection: PlayerConnection
  ) throws(DecodingError) -> MediaPlaylist {
    let (id, length) = try connection.openResource(uri)
    let stream = ResourceStream(connection, resource: id, length: length)
    let text = try PlaylistText(reading: stream)
    guard !text.lines.isEmpty else { throw DecodingError("a part of it is not a playlist") }
    return try MediaPlaylist(text)
  }

  private static func notes(on media: MediaPlaylist) -> [String] {
    var notes: [String] = []
    if media.gaps > 0 { notes.append("parts of it are missing") }
    if media.endsProtected { notes.append("the rest of it is protected content") }
    return notes
  }
}

/// Bytes in memory, from front to back.
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
