import CFFmpeg

/// Owns an AVIOContext that reads a resource through the player. Binding file: unsafe pointers.
final class FFmpegBytes {
  /// Valid while this object lives.
  let context: UnsafeMutablePointer<AVIOContext>
  let stream: ResourceStream

  /// One request to the player; larger ones cost a network story its first picture.
  private static let bufferSize = 128 << 10

  init(_ stream: ResourceStream) throws(DecodingError) {
    self.stream = stream
    guard let buffer = av_malloc(Self.bufferSize) else { throw .outOfMemory }
    // The stream outlives the context: this object holds both.
    let context = avio_alloc_context(
      buffer.assumingMemoryBound(to: UInt8.self), Int32(Self.bufferSize), 0,
      Unmanaged.passUnretained(stream).toOpaque(), readStream, nil, seekStream)
    guard let context else {
      av_free(buffer)
      throw .outOfMemory
    }
    context.pointee.seekable = AVIO_SEEKABLE_NORMAL
    self.context = context
  }

  deinit {
    av_freep(&context.pointee.buffer)
    var raw: UnsafeMutablePointer<AVIOContext>? = context
    avio_context_free(&raw)
  }
}

private func stream(_ opaque: UnsafeMutableRawPointer?) -> ResourceStream? {
  guard let opaque else { return nil }
  return Unmanaged<ResourceStream>.fromOpaque(opaque).takeUnretainedValue()
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
    guard let position = UInt64(exactly: offset) else { return Int64(ff_error_invalid()) }
    stream.move(to: position)
    return offset
  default: return Int64(ff_error_unsupported())
  }
}
