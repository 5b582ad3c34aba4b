import CFFmpeg

/// Owns an AVIOContext that reads a resource through the player. Binding file: unsafe pointers.
final class FFmpegBytes {
  /// Valid while this object lives.
  let context: UnsafeMutablePointer<AVIOContext>
  let stream: any ByteStream
  /// What the callbacks find again.
  private let holder: Holder

  /// One request to the player; larger ones cost a network story its first picture.
  private static let bufferSize = 128 << 10

  init(_ stream: any ByteStream) throws(DecodingError) {
    self.stream = stream
    holder = Holder(stream)
    guard let buffer = av_malloc(Self.bufferSize) else { throw .outOfMemory }
    // The holder outlives the context: this object has both.
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

  deinit {
    av_freep(&context.pointee.buffer)
    var raw: UnsafeMutablePointer<AVIOContext>? = context
    avio_context_free(&raw)
  }
}

/// A class to point to: an existential has no address that stays.
private final class Holder {
  let stream: any ByteStream

  init(_ stream: any ByteStream) { self.stream = stream }
}

private func stream(_ opaque: UnsafeMutableRawPointer?) -> (any ByteStream)? {
  guard let opaque else { return nil }
  return Unmanaged<Holder>.fromOpaque(opaque).takeUnretainedValue().stream
}

private func readStream(
  _ opaque: UnsafeMutableRawPointer?, _ target: UnsafeMutablePointer<UInt8>?, _ size: Int32
) -> Int32 {
  guard let stream = stream(opaque), let target, size > 0 else { return ff_error_invalid() }
  guard let bytes = try? stream.read(min(Int(size), 1 << 20)) else { return ff_error_io() }
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
  guard let stream = stream(opaque) else { return Int64(ff_error_invalid()) }
  switch whence & ~AVSEEK_FORCE {
  case AVSEEK_SIZE:
    guard let length = stream.length, let size = Int64(exactly: length) else {
      return Int64(ff_error_unsupported())
    }
    return size
  case SEEK_SET:
    guard let position = UInt64(exactly: offset), stream.move(to: position) else {
      return Int64(ff_error_invalid())
    }
    return offset
  default: return Int64(ff_error_unsupported())
  }
}
