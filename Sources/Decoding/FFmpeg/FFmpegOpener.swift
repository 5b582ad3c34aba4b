import CFFmpeg
import DecoderLink

/// Opens what a container refers to (an HLS playlist's segments and keys) through the player, which
/// decides what may be opened. Binding file: unsafe pointers.
final class FFmpegOpener {
  private let connection: PlayerConnection
  /// Knows what the names in a playlist stand for; nil for a container that may name nothing.
  private let playlist: PlaylistStory?
  private var cursor: PlaylistStory.Cursor
  private var opened: [UnsafeMutablePointer<AVIOContext>: FFmpegBytes] = [:]
  /// Why something could not be opened or read; FFmpeg goes on without it and does not report it.
  private(set) var failure: DecodingError?

  /// - Parameter part: which part of the playlist is read.
  init(_ connection: PlayerConnection, playlist: PlaylistStory?, part: Int) {
    self.connection = connection
    self.playlist = playlist
    cursor = PlaylistStory.Cursor(part: part)
  }

  /// Makes a container open through this object, which must outlive it.
  func serve(_ context: UnsafeMutablePointer<AVFormatContext>) {
    context.pointee.opaque = Unmanaged.passUnretained(self).toOpaque()
    context.pointee.io_open = openResource
    context.pointee.io_close2 = closeResource
    // Anything that FFmpeg opens by itself finds no protocol.
    context.pointee.protocol_whitelist = av_strdup("none")
  }

  fileprivate func open(
    _ url: String, key: String?, vector: String?
  ) -> UnsafeMutablePointer<AVIOContext>? {
    do throws(DecodingError) {
      guard let playlist else { throw DecodingError("it names another resource") }
      let stream = try playlist.open(url, key: key, vector: vector, for: &cursor)
      return keep(try FFmpegBytes(stream))
    } catch {
      failure = error
      return nil
    }
  }

  private func keep(_ bytes: FFmpegBytes) -> UnsafeMutablePointer<AVIOContext> {
    opened[bytes.context] = bytes
    return bytes.context
  }

  fileprivate func close(_ context: UnsafeMutablePointer<AVIOContext>) {
    guard let stream = opened.removeValue(forKey: context)?.stream else { return }
    if let reason = stream.failure {
      failure = reason
    } else if let former = failure, !(stream is MemoryStream) {
      // Something after the missing part was opened.
      failure = nil
      connection.send(.note("a part of it is missing: \(former.reason)"))
    }
  }
}

private func opener(of context: UnsafeMutablePointer<AVFormatContext>?) -> FFmpegOpener? {
  guard let opaque = context?.pointee.opaque else { return nil }
  return Unmanaged<FFmpegOpener>.fromOpaque(opaque).takeUnretainedValue()
}

private func openResource(
  _ context: UnsafeMutablePointer<AVFormatContext>?,
  _ out: UnsafeMutablePointer<UnsafeMutablePointer<AVIOContext>?>?, _ url: UnsafePointer<CChar>?,
  _ flags: Int32, _ options: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
  guard let opener = opener(of: context), let out, let url, flags & AVIO_FLAG_WRITE == 0 else {
    return ff_error_refused()
  }
  func option(_ name: String) -> String? {
    guard let entry = av_dict_get(options?.pointee, name, nil, 0) else { return nil }
    return String(cString: entry.pointee.value)
  }
  out.pointee = opener.open(String(cString: url), key: option("key"), vector: option("iv"))
  return out.pointee == nil ? ff_error_refused() : 0
}

private func closeResource(
  _ context: UnsafeMutablePointer<AVFormatContext>?, _ bytes: UnsafeMutablePointer<AVIOContext>?
) -> Int32 {
  if let bytes { opener(of: context)?.close(bytes) }
  return 0
}
