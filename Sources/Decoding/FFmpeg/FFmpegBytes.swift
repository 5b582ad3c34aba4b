import CFFmpeg

/// Owns an AVIOContext that reads a resource through the player. Binding file: unsafe pointers.
final class FFmpegBytes {
  /// Valid while this object lives.
  let context: UnsafeMutablePointer<AVIOContext>
  let stream: any ByteStream
  /// The object that the callbacks receive.
  private let holder: Holder

  /// The size of one request to the player; larger requests delay the first picture over a network.
  private static let bufferSize = 128 << 10

  init(_ stream: any ByteStream) throws(DecodingError) {
    self.stream = stream
    holder = Holder(stream)
    guard let buffer = av_malloc(Self.bufferSize) else { throw .outOfMemory }
    // The holder outlives the context, since this object owns both.
    let context = avio_alloc_context(
      buffer.assumingMemoryBound(to: UInt8.self), Int32(Self.bufferSize), 0,
      Unmanaged.passUnretained(holder).toOpaque(), readStream, nil, seekStream)
    guard let context else {
      av_free(buffer)
      throw .outOfMemory
    }
    context.pointee.seekable = stream is ResourceStream ? AVIO_SEEKABLE_NORMAL : 0
    self.context = context
  }

  /// Makes reads small while `body` runs: a search reads a little at many places.
  func search<Result>(_ body: () -> Result) -> Result {
    holder.search(true)
    defer { holder.search(false) }
    return body()
  }

  deinit {
    av_freep(&context.pointee.buffer)
    var raw: UnsafeMutablePointer<AVIOContext>? = context
    avio_context_free(&raw)
  }
}

/// A class, since the callbacks need an address that does not change, which an existential lacks.
private final class Holder {
  let stream: any ByteStream
  /// The most that the next read requests during a search.
  private var most: Int?

  private static let glance = 16 << 10

  init(_ stream: any ByteStream) { self.stream = stream }

  func search(_ isSearching: Bool) { most = isSearching ? Self.glance : nil }

  func move(to position: UInt64) -> Bool {
    if most != nil { most = Self.glance }
    return stream.move(to: position)
  }

  /// Nil if they cannot be read. Sequential reads during a search become larger and larger.
  func read(_ count: Int) -> [UInt8]? {
    let bytes = try? stream.read(min(count, most ?? 1 << 20))
    most = most.map { min($0 * 2, 1 << 20) }
    return bytes
  }
}

private func holder(_ opaque: UnsafeMutableRawPointer?) -> Holder? {
  guard let opaque else { return nil }
  return Unmanaged<Holder>.fromOpaque(opaque).takeUnretainedValue()
}

private func readStream(
  _ opaque: UnsafeMutableRawPointer?, _ target: UnsafeMutablePointer<UInt8>?, _ size: Int32
) -> Int32 {
  guard let holder = holder(opaque), let target, size > 0 else { return ff_error_invalid() }
  guard let bytes = holder.read(Int(size)) else { return ff_error_io() }
  if bytes.isEmpty { return ff_error_eof() }
  let count = min(bytes.count, Int(size))
  bytes.withUnsafeBufferPointer { source in
    guard let base = source.baseAddress else { return }
    target.update(from: base, count: count)
  }
  return Int32(count)
}

private func seekStream(_ opaque: UnsafeMutableRawPointer?, _ offset: Int64, _ whence: Int32)
  -> Int64
{
  guard let holder = holder(opaque) else { return Int64(ff_error_invalid()) }
  switch whence & ~AVSEEK_FORCE {
  case AVSEEK_SIZE:
    guard let length = holder.stream.length, let size = Int64(exactly: length) else {
      return Int64(ff_error_unsupported())
    }
    return size
  case SEEK_SET:
    guard let position = UInt64(exactly: offset), holder.move(to: position) else {
      return Int64(ff_error_invalid())
    }
    return offset
  default: return Int64(ff_error_unsupported())
  }
}
