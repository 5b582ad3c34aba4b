import DecoderLink
import System

/// An HLS story as FFmpeg reads it: a single variant, with its sound if that is separate. It gives out
/// the bytes behind the names in the texts of its renditions, tells the player what will be needed
/// next, and follows playlists that grow.
final class PlaylistStory {
  /// How far one demuxer has come in each rendition.
  struct Cursor {
    let part: Int
    /// The segments that were opened last.
    fileprivate(set) var opened: [Int: Int] = [:]

    init(part: Int) { self.part = part }
  }

  private let connection: PlayerConnection
  private var renditions: [Rendition] = []
  private var windows: [LiveWindow] = []
  private var leaps = LiveLeaps()
  /// How often each growing playlist is reloaded, as the player knows.
  private var paces: [Duration?] = []
  private let master: [UInt8]?
  /// What is wrong with the story, in words.
  private(set) var notes: [String] = []
  /// Whether its playlists grow.
  private(set) var isLive = false
  /// Why a growing playlist cannot be followed any more.
  private(set) var loss: DecodingError?
  private var announced: [NeededPart]?
  /// The demuxer that reads; that of a former position is over.
  private var reach: [Int: Int] = [:]

  /// Parts that begin within this time after the end of the one that is read are announced.
  private static let ahead = Duration.seconds(10)

  /// A media playlist that is the story itself.
  init(_ media: MediaPlaylist, over connection: PlayerConnection) throws(DecodingError) {
    self.connection = connection
    master = nil
    try add(nil, media)
  }

  /// A variant. If its sound cannot be fetched, it is left out with a note.
  init(
    _ variant: MasterPlaylist.Variant, sound: String?, over connection: PlayerConnection
  ) throws(DecodingError) {
    self.connection = connection
    var head = "#EXTM3U\n"
    var group = ""
    var soundList: MediaPlaylist?
    let pictures = try Self.read(variant.uri, over: connection)
    if let sound {
      do throws(DecodingError) {
        soundList = try Self.read(sound, over: connection)
        head += "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"s\",NAME=\"s\",DEFAULT=YES,URI=\"l1\"\n"
        group = ",AUDIO=\"s\""
      } catch {
        notes.append("its sound cannot be fetched: \(error.reason)")
      }
    }
    head += "#EXT-X-STREAM-INF:BANDWIDTH=\(variant.bandwidth ?? 1)\(group)\nl0\n"
    master = Array(head.utf8)
    try add(variant.uri, pictures)
    if let soundList { try add(sound, soundList) }
  }

  private static func read(
    _ uri: String, over connection: PlayerConnection
  ) throws(DecodingError) -> MediaPlaylist {
    let (id, length) = try connection.openResource(uri)
    let stream = ResourceStream(connection, resource: id, length: length)
    let text = try PlaylistText(reading: stream)
    guard !text.lines.isEmpty else { throw DecodingError("what it refers to is not a playlist") }
    return try MediaPlaylist(text, mayBeEmpty: true)
  }

  private func add(_ uri: String?, _ media: MediaPlaylist) throws(DecodingError) {
    if media.gaps > 0, media.isOver { notes.append("some of its segments are missing") }
    if media.endsProtected { notes.append("the rest of it is protected content") }
    let number = renditions.count
    windows.append(LiveWindow())
    paces.append(nil)
    guard !media.isOver else {
      return renditions.append(Rendition(uri: uri, number: number, media))
    }
    isLive = true
    renditions.append(Rendition(uri: uri, number: number))
    renditions[number].isOver = false
    // What was read may be an old copy: the player fetches the playlist as it is now.
    connection.follow { [weak self] list, update in self?.take(update, of: list) }
    follow(number, media)
    try waitForMore(of: number) { $0.end > 0 }
  }

  // MARK: - For FFmpeg

  /// The declared lengths of the parts, from the playlist that has most; empty without discontinuities
  /// and for a live story.
  var partLengths: [Duration] {
    guard !isLive else { return [] }
    let lengths = renditions.map(\.partLengths).filter { $0.count > 1 }
    return lengths.max { $0.count < $1.count } ?? []
  }

  /// Whether a live story has a part with this number.
  func hasLivePart(_ number: Int) -> Bool {
    isLive && renditions.contains { number < $0.partCount }
  }

  /// The playlist that the demuxer opens first.
  func text(ofPart part: Int) -> [UInt8] {
    master ?? renditions[0].text(ofPart: number(part, in: 0))
  }

  /// A rendition without discontinuities has one part, whatever others have.
  private func number(_ part: Int, in rendition: Int) -> Int {
    !isLive && renditions[rendition].partCount == 1 ? 0 : part
  }

  /// Opens what a name in a text stands for.
  ///
  /// - Parameters:
  ///   - name: with `crypto:` before it if it is encrypted.
  ///   - key: of its encryption, as hexadecimal digits.
  func open(
    _ name: String, key: String?, vector: String?, for cursor: inout Cursor
  ) throws(DecodingError) -> any ByteStream {
    let isEncrypted = name.hasPrefix("crypto:") || name.hasPrefix("crypto+")
    let name = isEncrypted ? name.dropFirst(7) : name[...]
    if name == FFmpegInput.name { return MemoryStream(try list(0, for: cursor)) }
    let numbers = name.dropFirst().split(separator: ".").map { Int($0) }
    guard let kind = name.first, let first = numbers.first, let rendition = first,
      renditions.indices.contains(rendition)
    else { throw Self.unknown }
    if kind == "l" { return MemoryStream(try list(rendition, for: cursor)) }
    guard numbers.count == 2, let index = numbers[1] else { throw Self.unknown }
    let place: MediaPlaylist.Place?
    switch kind {
    case "s":
      place = renditions[rendition][index]?.segment.place
      noteOpened(index, of: rendition, for: &cursor)
    case "m": place = renditions[rendition].entry(ofMapRun: index)?.segment.map?.place
    case "k":
      place = renditions[rendition].entry(ofKeyRun: index)?.segment.key.map { .init(uri: $0.uri) }
    case "n":
      place = renditions[rendition].entry(ofMapRun: index)?.segment.map?.key.map {
        .init(uri: $0.uri)
      }
    default: place = nil
    }
    guard let place else { throw Self.unknown }
    let stream = try open(place, of: rendition)
    guard isEncrypted else { return stream }
    guard let clear = DecryptingStream(stream, key: key ?? "", vector: vector ?? "") else {
      throw DecodingError.protected
    }
    return clear
  }

  private static let unknown = DecodingError("what it names is gone")

  private func open(
    _ place: MediaPlaylist.Place, of rendition: Int
  ) throws(DecodingError) -> any ByteStream {
    let (id, length) = try connection.openResource(
      reference(place.uri, in: renditions[rendition].uri))
    let whole = ResourceStream(connection, resource: id, length: length)
    return place.range.map { RangeStream(whole, $0) } ?? whole
  }

  /// The text of a rendition. If it grows and nothing of it is left, more is waited for.
  private func list(_ number: Int, for cursor: Cursor) throws(DecodingError) -> [UInt8] {
    let part = self.number(cursor.part, in: number)
    let opened = cursor.opened[number]
    guard isLive else { return renditions[number].text(ofPart: part) }
    try waitForMore(of: number) { rendition in
      let known = rendition.indices(ofPart: part)
      guard let opened else { return !known.isEmpty || part + 1 < rendition.partCount }
      return rendition.isWhole(part: part) || opened + 1 < known.upperBound
    }
    return renditions[number].text(ofPart: part, from: opened)
  }

  // MARK: - What is needed next

  private func noteOpened(_ index: Int, of rendition: Int, for cursor: inout Cursor) {
    cursor.opened[rendition] = index
    reach[rendition] = index
    if isLive { renditions[rendition].forget(before: index) }
    announce()
  }

  /// Tells the player what is read now and what comes next.
  private func announce() {
    var needed: [NeededPart] = []
    var reachesEnd = true
    for (number, rendition) in renditions.enumerated() {
      guard let first = reach[number], let current = rendition[first] else {
        reachesEnd = false
        continue
      }
      // Those of the segment that is read were opened before it.
      var (keyRun, mapRun) = (current.keyRun, current.mapRun)
      var index = first
      while index - first < NeededPart.most, let entry = rendition[index],
        entry.start <= current.end + Self.ahead
      {
        if let key = entry.segment.key, entry.keyRun != keyRun {
          needed.append(part(.init(uri: key.uri), entry, number))
          keyRun = entry.keyRun
        }
        if let map = entry.segment.map, entry.mapRun != mapRun {
          needed.append(part(map.place, entry, number))
          mapRun = entry.mapRun
        }
        needed.append(part(entry.segment.place, entry, number, until: entry.end))
        index += 1
      }
      if index < rendition.end || !rendition.isOver { reachesEnd = false }
    }
    // In the order in which they are needed.
    let order = needed.enumerated().sorted {
      ($0.element.start, $0.offset) < ($1.element.start, $1.offset)
    }
    needed = order.prefix(NeededPart.most).map(\.element)
    if order.count > NeededPart.most { reachesEnd = false }
    guard needed != announced, !needed.isEmpty else { return }
    announced = needed
    connection.send(.needs(needed, reachesEnd: reachesEnd))
  }

  private func part(
    _ place: MediaPlaylist.Place, _ entry: Rendition.Entry, _ rendition: Int,
    until end: Duration? = nil
  ) -> NeededPart {
    NeededPart(
      url: reference(place.uri, in: renditions[rendition].uri),
      offset: place.range?.lowerBound ?? 0,
      length: place.range.map { $0.upperBound - $0.lowerBound }, rendition: UInt8(rendition),
      start: entry.start, end: end)
  }

  /// All parts, in the order of the playlists; none of a story that grows.
  var allParts: [NeededPart] {
    guard !isLive else { return [] }
    var all: [NeededPart] = []
    var known: Set<NeededPart> = []
    for (number, rendition) in renditions.enumerated() {
      if let uri = rendition.uri { all.append(NeededPart(url: uri, start: .zero, end: nil)) }
      for index in 0..<rendition.end {
        guard let entry = rendition[index] else { continue }
        let keys = [entry.segment.key?.uri, entry.segment.map?.key?.uri].compactMap(\.self)
        let places =
          keys.map { MediaPlaylist.Place(uri: $0) }
          + [entry.segment.map?.place]
          .compactMap(\.self) + [entry.segment.place]
        for place in places {
          var part = part(place, entry, number)
          part.start = .zero
          // Renditions may share a key, or be ranges of one file.
          part.rendition = 0
          if known.insert(part).inserted { all.append(part) }
        }
      }
    }
    return all
  }

  // MARK: - A live story

  private func follow(_ number: Int, _ media: MediaPlaylist) {
    let pace = LiveWindow.pace(of: media)
    guard pace != paces[number] else { return }
    paces[number] = pace
    connection.send(
      .follow(list: UInt32(number), url: renditions[number].uri, every: pace))
  }

  private func waitForMore(
    of number: Int, until isEnough: (Rendition) -> Bool
  ) throws(DecodingError) {
    while !isEnough(renditions[number]), loss == nil, !renditions[number].isOver {
      connection.awaitPlaylist(UInt32(number))
    }
    if let loss, renditions[number].end == 0 { throw loss }
    guard renditions[number].end > 0 else { throw DecodingError("a playlist without segments") }
  }

  /// Takes a playlist as it is now, or why it cannot be had.
  private func take(_ update: PlaylistUpdate, of list: UInt32) {
    let number = Int(list)
    guard renditions.indices.contains(number), !renditions[number].isOver else { return }
    switch update {
    case .lost(let reason):
      loss = DecodingError(reason)
      for index in renditions.indices { renditions[index].isOver = true }
    case .bytes(let bytes):
      // A server that is in trouble may send anything for a while.
      guard let media = try? MediaPlaylist(PlaylistText(bytes), mayBeEmpty: true) else { return }
      let opened = reach[number]
      let isFar = isFarBehind(media, number, opened)
      var addition = windows[number].merge(media)
      let step = leaps.reload(
        of: number, leaps: addition.leaps || isFar, isNew: !addition.segments.isEmpty)
      if step != .follows, !addition.leaps {
        addition.segments = Array(media.segments[LiveWindow.start(in: media)...])
      }
      if step == .begins {
        for index in renditions.indices { renditions[index].leap(behind: reach[index]) }
      }
      renditions[number].append(addition.segments)
      if media.isOver {
        renditions[number].isOver = true
        connection.send(.unfollow(list: list))
      } else {
        follow(number, media)
      }
      announce()
    }
  }

  /// Whether what comes next is gone from the playlist for so long that servers need not keep it
  /// (RFC 8216, section 6.2.2), or the story was made ready long before its turn.
  private func isFarBehind(_ media: MediaPlaylist, _ number: Int, _ opened: Int?) -> Bool {
    guard let first = media.segments.first, let opened, let next = renditions[number][opened + 1]
    else { return false }
    let wanted = next.segment.number
    if first.number > wanted { return first.number - wanted >= UInt64(media.segments.count) }
    guard opened == 0, let place = media.segments.firstIndex(where: { $0.number == wanted }) else {
      return false
    }
    return LiveWindow.start(in: media) - place >= 2
  }
}
