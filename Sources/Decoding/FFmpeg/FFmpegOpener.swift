import CFFmpeg

/// Opens what a container names beside itself (an HLS list's segments and keys) through the player,
/// which alone decides what may be opened. Binding file: unsafe pointers.
final class FFmpegOpener {
  private let connection: PlayerConnection
  /// What FFmpeg calls the story itself, and its length.
  private let list: String
  private let length: UInt64?
  /// Which part of a playlist with discontinuities is told.
  private let part: Int
  /// What is opened may still be a list.
  var isOpening = true
  private(set) var partLengths: [Duration] = []
  private var opened: [UnsafeMutablePointer<AVIOContext>: FFmpegBytes] = [:]
  /// Why something could not be opened or read; FFmpeg goes on without it and does not tell.
  private(set) var failure: DecodingError?

  init(_ connection: PlayerConnection, list: String, length: UInt64?, part: Int) {
    self.part = part
    self.connection = connection
    self.list = list
    self.length = length
  }

  /// Makes a container open through this object, which must outlive it.
  func serve(_ context: UnsafeMutablePointer<AVFormatContext>) {
    context.pointee.opaque = Unmanaged.passUnretained(self).toOpaque()
    context.pointee.io_open = openResource
    context.pointee.io_close2 = closeResource
    // What does not come through here finds no protocol at all.
    context.pointee.protocol_whitelist = av_strdup("none")
  }

  fileprivate func open(
    _ url: String, key: String?, vector: String?
  ) -> UnsafeMutablePointer<AVIOContext>? {
    do throws(DecodingError) {
      if url == list {
        let stream = ResourceStream(connection, resource: 0, length: length)
        return keep(try FFmpegBytes(EndedList(stream)))
      }
      let isEncrypted = url.hasPrefix("crypto:") || url.hasPrefix("crypto+")
      let (id, length) = try connection.openResource(isEncrypted ? String(url.dropFirst(7)) : url)
      var stream: any ByteStream = ResourceStream(connection, resource: id, length: length)
      if isEncrypted {
        guard let clear = DecryptingStream(stream, key: key ?? "", vector: vector ?? "") else {
          throw DecodingError.protected
        }
        stream = clear
      } else if isOpening, let list = stream as? ResourceStream {
        stream = try partOfList(list) ?? stream
      }
      return keep(try FFmpegBytes(stream))
    } catch {
      failure = error
      return nil
    }
  }

  /// The part of a playlist that is told, where it has several; nil for all else.
  func partOfList(_ stream: ResourceStream) throws(DecodingError) -> (any ByteStream)? {
    guard try stream.head(7).elementsEqual("#EXTM3U".utf8) else { return nil }
    var text: [UInt8] = []
    while case let more = try stream.read(64 << 10), !more.isEmpty, text.count < Self.longestList {
      text += more
    }
    stream.move(to: 0)
    guard let list = PlaylistParts(text) else { return nil }
    if list.parts.count > partLengths.count { partLengths = list.parts.map(\.length) }
    let none = Array("#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-ENDLIST\n".utf8)
    return TextStream(list.parts.indices.contains(part) ? list.parts[part].text : none)
  }

  private static let longestList = 16 << 20

  private func keep(_ bytes: FFmpegBytes) -> UnsafeMutablePointer<AVIOContext> {
    opened[bytes.context] = bytes
    return bytes.context
  }

  fileprivate func close(_ context: UnsafeMutablePointer<AVIOContext>) {
    if let reason = opened.removeValue(forKey: context)?.stream.failure { failure = reason }
  }
}

/// An HLS list that is read again because it did not say that it is whole (RFC 8216, section
/// 4.3.3.4): the same bytes, and then that it is. What comes to such a list later is not told.
private final class EndedList: ByteStream {
  private let source: ResourceStream
  private var isAtEnd = false
  let length: UInt64? = nil
  var failure: DecodingError? { source.failure }

  init(_ source: ResourceStream) { self.source = source }

  func read(_ count: Int) throws(DecodingError) -> [UInt8] {
    guard !isAtEnd else { return [] }
    let part = try source.read(count)
    isAtEnd = part.isEmpty
    return isAtEnd ? Array("\n#EXT-X-ENDLIST\n".utf8) : part
  }

  func move(to position: UInt64) -> Bool { false }
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
