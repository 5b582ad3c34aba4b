/// A message that a frame can carry.
public protocol WireMessage: Sendable {
  /// Reads the message of this kind from its payload.
  init(frameKind: UInt8, payload: ArraySlice<UInt8>) throws(WireError)
}

extension PlayerMessage: WireMessage {
  /// The numbers of the messages in frames.
  enum Kind: UInt8 {
    case open = 1
    case bytes = 2
    case refused = 3
    case resource = 4
    case shape = 5
    case credit = 6
    case seek = 7
    case effort = 8
    case soundCredit = 9
    case availableUntil = 10
    case playlist = 11
    case playlistLost = 12
  }

  /// The message as one frame.
  public var frame: [UInt8] {
    let room =
      switch self {
      case .bytes(_, let bytes), .playlist(_, let bytes): bytes.count + 16
      default: 0
      }
    var writer = FieldWriter(reserving: room)
    let kind = write(to: &writer)
    return writer.frame(kind: kind.rawValue)
  }

  private func write(to writer: inout FieldWriter) -> Kind {
    switch self {
    case .open(let request):
      writer.put(request.length)
      writer.put(request.shape)
      writer.put(request.soundRate)
      writer.put(request.mostBitsPerSecond)
      writer.put(request.ending)
      writer.put(request.mayNeedHeif)
      writer.put(request.listsParts)
      return .open
    case .bytes(let request, let bytes):
      writer.put(request)
      writer.put(elements: bytes)
      return .bytes
    case .refused(let request, let reason):
      writer.put(request)
      writer.put(reason)
      return .refused
    case .resource(let request, let id, let length):
      writer.put(request)
      writer.put(id)
      writer.put(length)
      return .resource
    case .shape(let shape):
      writer.put(shape)
      return .shape
    case .credit(let pictures):
      writer.put(pictures)
      return .credit
    case .seek(let serial, let time):
      writer.put(serial)
      writer.put(time)
      return .seek
    case .effort(let effort):
      writer.put(effort.rawValue)
      return .effort
    case .soundCredit(let frames):
      writer.put(frames)
      return .soundCredit
    case .availableUntil(let request, let end):
      writer.put(request)
      writer.put(end)
      return .availableUntil
    case .playlist(let list, let bytes):
      writer.put(list)
      writer.put(elements: bytes)
      return .playlist
    case .playlistLost(let list, let reason):
      writer.put(list)
      writer.put(reason)
      return .playlistLost
    }
  }

  public init(frameKind: UInt8, payload: ArraySlice<UInt8>) throws(WireError) {
    guard let kind = Kind(rawValue: frameKind) else { throw .unknownKind(frameKind) }
    var reader = FieldReader(payload, kind: frameKind)
    switch kind {
    case .open:
      self = .open(
        OpenRequest(
          length: try reader.optional { reader throws(WireError) in try reader.number() },
          shape: try reader.shape(),
          soundRate: try reader.optional { reader throws(WireError) in try reader.number() },
          mostBitsPerSecond: try reader.optional { reader throws(WireError) in
            try reader.number()
          }, ending: try reader.text(), mayNeedHeif: try reader.flag(),
          listsParts: try reader.flag()))
    case .bytes: self = .bytes(request: try reader.number(), try reader.elements())
    case .refused: self = .refused(request: try reader.number(), reason: try reader.text())
    case .resource:
      self = .resource(
        request: try reader.number(), id: try reader.number(),
        length: try reader.optional { reader throws(WireError) in try reader.number() })
    case .shape: self = .shape(try reader.shape())
    case .credit: self = .credit(pictures: try reader.number())
    case .seek: self = .seek(serial: try reader.number(), to: try reader.duration())
    case .effort:
      guard let effort = Effort(rawValue: try reader.number()) else { throw reader.malformed }
      self = .effort(effort)
    case .soundCredit: self = .soundCredit(frames: try reader.number())
    case .availableUntil:
      self = .availableUntil(request: try reader.number(), end: try reader.number())
    case .playlist: self = .playlist(list: try reader.number(), try reader.elements())
    case .playlistLost:
      self = .playlistLost(list: try reader.number(), reason: try reader.text())
    }
    try reader.finish()
  }
}

extension DecoderMessage: WireMessage {
  /// The numbers of the messages in frames. They are not those of the player's messages.
  enum Kind: UInt8 {
    case read = 65
    case openResource = 66
    case closeResource = 67
    case opened = 68
    case picture = 69
    case sound = 70
    case ended = 71
    case failed = 72
    case soundEnded = 73
    case queryAvailable = 74
    case note = 75
    case needs = 76
    case follow = 77
    case awaitPlaylist = 78
    case parts = 79
    case unfollow = 80
  }

  /// The message as one frame.
  public var frame: [UInt8] {
    let room =
      switch self {
      case .picture(let picture): picture.bitmap.pixels.count * 4 + 64
      case .sound(let sound): sound.samples.count * 2 + 64
      default: 0
      }
    var writer = FieldWriter(reserving: room)
    let kind = write(to: &writer)
    return writer.frame(kind: kind.rawValue)
  }

  private func write(to writer: inout FieldWriter) -> Kind {
    switch self {
    case .read(let request, let resource, let offset, let length):
      writer.put(request)
      writer.put(resource)
      writer.put(offset)
      writer.put(length)
      return .read
    case .openResource(let request, let url):
      writer.put(request)
      writer.put(url)
      return .openResource
    case .closeResource(let resource):
      writer.put(resource)
      return .closeResource
    case .opened(let info):
      writer.put(info)
      return .opened
    case .picture(let picture):
      writer.put(picture.serial)
      writer.put(picture.time)
      writer.put(picture.duration)
      writer.put(picture.skipped)
      writer.put(picture.bitmap)
      return .picture
    case .sound(let sound):
      writer.put(sound.serial)
      writer.put(sound.time)
      writer.put(elements: sound.samples)
      return .sound
    case .ended(let serial, let picturesEnd, let soundEnd):
      writer.put(serial)
      writer.put(picturesEnd)
      writer.put(soundEnd)
      return .ended
    case .soundEnded(let serial, let time):
      writer.put(serial)
      writer.put(time)
      return .soundEnded
    case .failed(let reason):
      writer.put(reason)
      return .failed
    case .note(let words):
      writer.put(words)
      return .note
    case .queryAvailable(let request, let resource, let offset):
      writer.put(request)
      writer.put(resource)
      writer.put(offset)
      return .queryAvailable
    case .needs(let parts, let reachesEnd):
      writer.put(parts, reachesEnd)
      return .needs
    case .parts(let parts, let isLast):
      writer.put(parts, isLast)
      return .parts
    case .follow(let list, let url, let interval):
      writer.put(list)
      writer.put(url)
      writer.put(interval)
      return .follow
    case .unfollow(let list):
      writer.put(list)
      return .unfollow
    case .awaitPlaylist(let list, let changes):
      writer.put(list)
      writer.put(changes)
      return .awaitPlaylist
    }
  }

  public init(frameKind: UInt8, payload: ArraySlice<UInt8>) throws(WireError) {
    guard let kind = Kind(rawValue: frameKind) else { throw .unknownKind(frameKind) }
    var reader = FieldReader(payload, kind: frameKind)
    switch kind {
    case .read:
      self = .read(
        request: try reader.number(), resource: try reader.number(),
        offset: try reader.number(), length: try reader.number())
    case .openResource:
      self = .openResource(request: try reader.number(), url: try reader.text())
    case .closeResource: self = .closeResource(try reader.number())
    case .opened: self = .opened(try reader.mediaInfo())
    case .picture:
      self = .picture(
        DecodedPicture(
          serial: try reader.number(), time: try reader.duration(),
          duration: try reader.optional { reader throws(WireError) in try reader.duration() },
          skipped: try reader.number(), bitmap: try reader.bitmap()))
    case .sound:
      let sound = DecodedSound(
        serial: try reader.number(), time: try reader.duration(), samples: try reader.elements())
      guard sound.samples.count.isMultiple(of: 2) else { throw reader.malformed }
      self = .sound(sound)
    case .ended:
      self = .ended(
        serial: try reader.number(),
        picturesEnd: try reader.optional { reader throws(WireError) in try reader.duration() },
        soundEnd: try reader.optional { reader throws(WireError) in try reader.duration() })
    case .failed: self = .failed(reason: try reader.text())
    case .soundEnded:
      self = .soundEnded(serial: try reader.number(), at: try reader.duration())
    case .queryAvailable:
      self = .queryAvailable(
        request: try reader.number(), resource: try reader.number(), offset: try reader.number())
    case .note: self = .note(try reader.text())
    case .needs:
      let (parts, reachesEnd) = try reader.neededParts()
      self = .needs(parts, reachesEnd: reachesEnd)
    case .parts:
      let (parts, isLast) = try reader.neededParts()
      self = .parts(parts, isLast: isLast)
    case .follow:
      self = .follow(
        list: try reader.number(),
        url: try reader.optional { reader throws(WireError) in try reader.text() },
        every: try reader.duration())
    case .unfollow: self = .unfollow(list: try reader.number())
    case .awaitPlaylist:
      self = .awaitPlaylist(list: try reader.number(), changes: try reader.number())
    }
    try reader.finish()
  }
}

extension FieldWriter {
  mutating func put(_ shape: PictureRequest) {
    put(shape.width)
    put(shape.height)
    put(shape.pixelAspect)
    put(shape.fit.rawValue)
    put(shape.keepsAlpha)
  }

  mutating func put(_ bitmap: Bitmap) {
    put(UInt32(bitmap.width))
    put(UInt32(bitmap.height))
    put(elements: bitmap.pixels)
  }

  mutating func put(_ info: MediaInfo) {
    put(info.kind.rawValue)
    put(info.isStill)
    put(info.container)
    put(info.pictureCodec)
    put(info.soundCodec)
    put(info.displayWidth)
    put(info.displayHeight)
    put(info.frameRate)
    put(info.duration)
    put(info.isLive)
  }

  /// Parts, and whether they are the last ones.
  mutating func put(_ parts: [NeededPart], _ isLast: Bool) {
    put(isLast)
    put(UInt32(parts.count))
    for part in parts { put(part) }
  }

  private mutating func put(_ part: NeededPart) {
    put(part.url)
    put(part.offset)
    put(part.length)
    put(part.rendition)
    put(part.start)
    put(part.end)
  }
}

extension FieldReader {
  mutating func shape() throws(WireError) -> PictureRequest {
    let shape = PictureRequest(
      width: try number(), height: try number(), pixelAspect: try double(),
      fit: try fit(), keepsAlpha: try flag())
    guard shape.width > 0, shape.height > 0, shape.pixelAspect > 0 else { throw malformed }
    return shape
  }

  private mutating func fit() throws(WireError) -> PictureRequest.Fit {
    guard let fit = PictureRequest.Fit(rawValue: try number()) else { throw malformed }
    return fit
  }

  mutating func bitmap() throws(WireError) -> Bitmap {
    let (width, height) = (try number(UInt32.self), try number(UInt32.self))
    let pixels = try elements(UInt32.self)
    guard width > 0, height > 0, UInt64(width) * UInt64(height) == UInt64(pixels.count) else {
      throw malformed
    }
    return Bitmap(width: Int(width), height: Int(height), pixels: pixels)
  }

  mutating func mediaInfo() throws(WireError) -> MediaInfo {
    guard let kind = MediaInfo.Kind(rawValue: try number()) else { throw malformed }
    return MediaInfo(
      kind: kind, isStill: try flag(), container: try text(),
      pictureCodec: try optional { reader throws(WireError) in try reader.text() },
      soundCodec: try optional { reader throws(WireError) in try reader.text() },
      displayWidth: try number(), displayHeight: try number(),
      frameRate: try optional { reader throws(WireError) in try reader.double() },
      duration: try optional { reader throws(WireError) in try reader.duration() },
      isLive: try flag())
  }

  mutating func neededParts() throws(WireError) -> (parts: [NeededPart], isLast: Bool) {
    let isLast = try flag()
    let count = try number(UInt32.self)
    guard count <= NeededPart.most else { throw malformed }
    var parts: [NeededPart] = []
    for _ in 0..<count { parts.append(try neededPart()) }
    return (parts, isLast)
  }

  private mutating func neededPart() throws(WireError) -> NeededPart {
    NeededPart(
      url: try text(), offset: try number(),
      length: try optional { reader throws(WireError) in try reader.number() },
      rendition: try number(), start: try duration(),
      end: try optional { reader throws(WireError) in try reader.duration() })
  }
}

/// Splits a stream of bytes into messages.
public struct FrameAssembler<Message>: Sendable where Message: WireMessage {
  private var buffer: [UInt8] = []
  private var start = 0

  public init() {}

  /// Adds received bytes.
  public mutating func append(_ bytes: borrowing some Collection<UInt8>) {
    if start > 0, start == buffer.count || start > 1 << 20 {
      buffer.removeSubrange(..<start)
      start = 0
    }
    buffer.append(contentsOf: copy bytes)
  }

  /// The next message; nil until its last byte is received.
  public mutating func next() throws(WireError) -> Message? {
    guard buffer.count - start >= Frame.headerLength else { return nil }
    var length = 0
    for index in 0..<4 { length |= Int(buffer[start + index]) << (8 * index) }
    guard length <= Frame.longest else { throw .frameTooLong(length) }
    let end = start + Frame.headerLength + length
    guard buffer.count >= end else { return nil }
    let payload = buffer[(start + Frame.headerLength)..<end]
    let message = try Message(frameKind: buffer[start + 4], payload: payload)
    start = end
    return message
  }
}
