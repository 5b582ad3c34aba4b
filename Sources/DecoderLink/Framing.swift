extension PlayerMessage {
  /// The message as one frame.
  public var frame: [UInt8] {
    switch self {
    case .open(let request):
      var writer = FieldWriter(kind: 1)
      writer.put(request.length)
      writer.put(request.shape)
      writer.put(request.soundRate)
      writer.put(request.start)
      writer.put(request.mostBitsPerSecond)
      writer.put(request.ending)
      return writer.finish()
    case .bytes(let request, let bytes):
      var writer = FieldWriter(kind: 2)
      writer.bytes.reserveCapacity(bytes.count + 16)
      writer.put(request)
      writer.put(elements: bytes)
      return writer.finish()
    case .refused(let request, let reason):
      var writer = FieldWriter(kind: 3)
      writer.put(request)
      writer.put(reason)
      return writer.finish()
    case .resource(let request, let id, let length):
      var writer = FieldWriter(kind: 4)
      writer.put(request)
      writer.put(id)
      writer.put(length)
      return writer.finish()
    case .shape(let shape):
      var writer = FieldWriter(kind: 5)
      writer.put(shape)
      return writer.finish()
    case .credit(let pictures):
      var writer = FieldWriter(kind: 6)
      writer.put(pictures)
      return writer.finish()
    case .seek(let serial, let time):
      var writer = FieldWriter(kind: 7)
      writer.put(serial)
      writer.put(time)
      return writer.finish()
    case .effort(let effort):
      var writer = FieldWriter(kind: 8)
      writer.put(effort.rawValue)
      return writer.finish()
    case .soundCredit(let frames):
      var writer = FieldWriter(kind: 9)
      writer.put(frames)
      return writer.finish()
    case .availableUntil(let request, let end):
      var writer = FieldWriter(kind: 10)
      writer.put(request)
      writer.put(end)
      return writer.finish()
    }
  }

  init(kind: UInt8, payload: ArraySlice<UInt8>) throws(WireError) {
    var reader = FieldReader(payload, kind: kind)
    switch kind {
    case 1:
      self = .open(
        OpenRequest(
          length: try reader.optional { reader throws(WireError) in try reader.number() },
          shape: try reader.shape(),
          soundRate: try reader.optional { reader throws(WireError) in try reader.number() },
          start: try reader.duration(),
          mostBitsPerSecond: try reader.optional { reader throws(WireError) in
            try reader.number()
          }, ending: try reader.text()))
    case 2: self = .bytes(request: try reader.number(), try reader.elements())
    case 3: self = .refused(request: try reader.number(), reason: try reader.text())
    case 4:
      self = .resource(
        request: try reader.number(), id: try reader.number(),
        length: try reader.optional { reader throws(WireError) in try reader.number() })
    case 5: self = .shape(try reader.shape())
    case 6: self = .credit(pictures: try reader.number())
    case 7: self = .seek(serial: try reader.number(), to: try reader.duration())
    case 8:
      guard let effort = Effort(rawValue: try reader.number()) else { throw reader.malformed }
      self = .effort(effort)
    case 9: self = .soundCredit(frames: try reader.number())
    case 10: self = .availableUntil(request: try reader.number(), end: try reader.number())
    default: throw .unknownKind(kind)
    }
    try reader.finish()
  }
}

extension DecoderMessage {
  /// The message as one frame.
  public var frame: [UInt8] {
    switch self {
    case .read(let request, let resource, let offset, let length):
      var writer = FieldWriter(kind: 65)
      writer.put(request)
      writer.put(resource)
      writer.put(offset)
      writer.put(length)
      return writer.finish()
    case .openResource(let request, let url):
      var writer = FieldWriter(kind: 66)
      writer.put(request)
      writer.put(url)
      return writer.finish()
    case .closeResource(let resource):
      var writer = FieldWriter(kind: 67)
      writer.put(resource)
      return writer.finish()
    case .opened(let info):
      var writer = FieldWriter(kind: 68)
      writer.put(info)
      return writer.finish()
    case .picture(let picture):
      var writer = FieldWriter(kind: 69)
      writer.bytes.reserveCapacity(picture.bitmap.pixels.count * 4 + 64)
      writer.put(picture.serial)
      writer.put(picture.time)
      writer.put(picture.duration)
      writer.put(picture.bitmap)
      return writer.finish()
    case .sound(let sound):
      var writer = FieldWriter(kind: 70)
      writer.bytes.reserveCapacity(sound.samples.count * 2 + 64)
      writer.put(sound.serial)
      writer.put(sound.time)
      writer.put(elements: sound.samples)
      return writer.finish()
    case .ended(let serial, let picturesEnd, let soundEnd):
      var writer = FieldWriter(kind: 71)
      writer.put(serial)
      writer.put(picturesEnd)
      writer.put(soundEnd)
      return writer.finish()
    case .soundEnded(let serial, let time):
      var writer = FieldWriter(kind: 73)
      writer.put(serial)
      writer.put(time)
      return writer.finish()
    case .failed(let reason):
      var writer = FieldWriter(kind: 72)
      writer.put(reason)
      return writer.finish()
    case .note(let words):
      var writer = FieldWriter(kind: 75)
      writer.put(words)
      return writer.finish()
    case .queryAvailable(let request, let resource, let offset):
      var writer = FieldWriter(kind: 74)
      writer.put(request)
      writer.put(resource)
      writer.put(offset)
      return writer.finish()
    }
  }

  init(kind: UInt8, payload: ArraySlice<UInt8>) throws(WireError) {
    var reader = FieldReader(payload, kind: kind)
    switch kind {
    case 65:
      self = .read(
        request: try reader.number(), resource: try reader.number(),
        offset: try reader.number(), length: try reader.number())
    case 66: self = .openResource(request: try reader.number(), url: try reader.text())
    case 67: self = .closeResource(try reader.number())
    case 68: self = .opened(try reader.mediaInfo())
    case 69:
      let picture = DecodedPicture(
        serial: try reader.number(), time: try reader.duration(),
        duration: try reader.optional { reader throws(WireError) in try reader.duration() },
        bitmap: try reader.bitmap())
      self = .picture(picture)
    case 70:
      let sound = DecodedSound(
        serial: try reader.number(), time: try reader.duration(), samples: try reader.elements())
      guard sound.samples.count.isMultiple(of: 2) else { throw reader.malformed }
      self = .sound(sound)
    case 71:
      self = .ended(
        serial: try reader.number(),
        picturesEnd: try reader.optional { reader throws(WireError) in try reader.duration() },
        soundEnd: try reader.optional { reader throws(WireError) in try reader.duration() })
    case 72: self = .failed(reason: try reader.text())
    case 73: self = .soundEnded(serial: try reader.number(), at: try reader.duration())
    case 74:
      self = .queryAvailable(
        request: try reader.number(), resource: try reader.number(), offset: try reader.number())
    case 75: self = .note(try reader.text())
    default: throw .unknownKind(kind)
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
      duration: try optional { reader throws(WireError) in try reader.duration() })
  }
}

/// Cuts a stream of bytes back into messages, however the socket cut it.
public struct FrameAssembler<Message>: Sendable where Message: WireMessage {
  private var buffer: [UInt8] = []
  private var start = 0

  public init() {}

  /// Adds bytes as they came.
  public mutating func append(_ bytes: borrowing some Collection<UInt8>) {
    if start > 0, start == buffer.count || start > 1 << 20 {
      buffer.removeSubrange(..<start)
      start = 0
    }
    buffer.append(contentsOf: copy bytes)
  }

  /// The next whole message, nil until its last byte is there.
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

/// A message that a frame can carry.
public protocol WireMessage: Sendable {
  /// Reads the message of this kind from its payload.
  init(frameKind: UInt8, payload: ArraySlice<UInt8>) throws(WireError)
}

extension PlayerMessage: WireMessage {
  public init(frameKind: UInt8, payload: ArraySlice<UInt8>) throws(WireError) {
    try self.init(kind: frameKind, payload: payload)
  }
}

extension DecoderMessage: WireMessage {
  public init(frameKind: UInt8, payload: ArraySlice<UInt8>) throws(WireError) {
    try self.init(kind: frameKind, payload: payload)
  }
}
