import CFFmpeg

/// One stream of a container; valid while its input lives. Binding file: unsafe pointers.
struct FFmpegStream {
  let raw: UnsafeMutablePointer<AVStream>

  var index: Int { Int(raw.pointee.index) }
  /// The container's own number for it.
  var number: Int { Int(raw.pointee.id) }
  var parameters: AVCodecParameters { raw.pointee.codecpar.pointee }
  var codec: AVCodecID { parameters.codec_id }
  var isVideo: Bool { parameters.codec_type == AVMEDIA_TYPE_VIDEO }
  var isSound: Bool { parameters.codec_type == AVMEDIA_TYPE_AUDIO }
  var isAttachedPicture: Bool { raw.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC != 0 }
  var isDefault: Bool { raw.pointee.disposition & AV_DISPOSITION_DEFAULT != 0 }

  /// The codec's short name; the container's four letters for it if FFmpeg does not know it.
  var codecName: String {
    if codec != AV_CODEC_ID_NONE { return String(cString: avcodec_get_name(codec)) }
    let tag = parameters.codec_tag
    let letters = (0..<4).map { UInt8(truncatingIfNeeded: tag >> (8 * UInt32($0))) }
    return letters.allSatisfy { (0x21...0x7E).contains($0) }
      ? String(decoding: letters, as: UTF8.self) : "unknown"
  }

  /// Whether there is a decoder for its codec.
  var hasDecoder: Bool { avcodec_find_decoder(codec) != nil }

  /// Whether it is empty by its header.
  var isEmpty: Bool { raw.pointee.duration == 0 && raw.pointee.nb_frames == 0 }

  /// Whether its packets are encrypted.
  var isProtected: Bool {
    let tag = parameters.codec_tag
    return tag == fourLetters("encv") || tag == fourLetters("enca")
      || tag == fourLetters("drmi") || tag == fourLetters("drms")
      || av_stream_get_side_data(raw, AV_PKT_DATA_ENCRYPTION_INIT_INFO, nil) != nil
  }

  private func fourLetters(_ text: StaticString) -> UInt32 {
    text.withUTF8Buffer { $0.reversed().reduce(0) { $0 << 8 | UInt32($1) } }
  }

  /// Whether the container says that pictures have a separate alpha channel (WebM).
  var hasAlphaBeside: Bool {
    guard let entry = av_dict_get(raw.pointee.metadata, "alpha_mode", nil, 0),
      let value = entry.pointee.value
    else { return false }
    return String(cString: value) == "1"
  }

  /// The names of an attached picture, in lower case: FFmpeg's words for its type, which it keeps as a
  /// comment, APE's name for it, and the name of its file.
  var pictureNames: [String] {
    let metadata = raw.pointee.metadata
    var names = ["comment", "filename"].compactMap { (key: String) -> String? in
      av_dict_get(metadata, key, nil, 0)?.pointee.value.map { String(cString: $0).lowercased() }
    }
    if let art = av_dict_get(metadata, "cover art (", nil, AV_DICT_IGNORE_SUFFIX) {
      names.insert(String(cString: art.pointee.key).lowercased(), at: 0)
    }
    return names
  }

  /// The packet of an attached picture.
  func attachedPicture() throws(DecodingError) -> FFmpegPacket {
    let packet = try FFmpegPacket()
    guard av_packet_ref(packet.raw, &raw.pointee.attached_pic) >= 0 else { throw .outOfMemory }
    return packet
  }

  func discard(_ all: Bool) { raw.pointee.discard = all ? AVDISCARD_ALL : AVDISCARD_DEFAULT }

  /// Converts a timestamp of this stream; nil for nil.
  func time(_ timestamp: Int64?) -> Duration? {
    guard let timestamp else { return nil }
    let nanoseconds = AVRational(num: 1, den: 1_000_000_000)
    let scaled = av_rescale_q(timestamp, raw.pointee.time_base, nanoseconds)
    return scaled == .min || scaled == .max ? nil : .nanoseconds(scaled)
  }

  /// Converts a time to a timestamp of this stream.
  func timestamp(_ time: Duration) -> Int64 {
    let (seconds, attoseconds) = time.components
    let nanoseconds = seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000
    return av_rescale_q(
      nanoseconds, AVRational(num: 1, den: 1_000_000_000), raw.pointee.time_base)
  }

  /// The track of a fragmented MP4 of `length` bytes, and its start on its own clock.
  func fragments(
    in length: Int64, read: @escaping FragmentedMP4.Read
  ) -> (track: FragmentedMP4, start: Int64)? {
    guard let number = UInt32(exactly: raw.pointee.id), raw.pointee.time_base.num == 1 else {
      return nil
    }
    let track = FragmentedMP4(
      length: length, track: number, timescale: Int64(raw.pointee.time_base.den), read: read)
    return (track, max(0, known(raw.pointee.start_time) ?? 0))
  }

  /// Its start, if the header gives one.
  var start: Duration? { time(known(raw.pointee.start_time)) }

  /// The place of a packet that can be decoded without earlier ones.
  struct IndexEntry: Equatable {
    var timestamp: Int64
    /// From the start of the file, in bytes.
    var offset: Int64
  }

  /// The first entry of the index.
  var firstEntry: IndexEntry? { entry(avformat_index_get_entry(raw, 0)) }

  /// The last entry of the index at or before a timestamp.
  func entry(before timestamp: Int64) -> IndexEntry? {
    entry(avformat_index_get_entry_from_timestamp(raw, timestamp, AVSEEK_FLAG_BACKWARD))
  }

  /// Copies the entry, which FFmpeg keeps only until the next call.
  private func entry(_ lent: UnsafePointer<AVIndexEntry>?) -> IndexEntry? {
    lent.map { IndexEntry(timestamp: $0.pointee.timestamp, offset: $0.pointee.pos) }
  }

  /// Its length, if the header gives one; 32 bits of ones mean that it is unknown (ISO 14496-12,
  /// 8.4.2.3).
  var duration: Duration? {
    let value = raw.pointee.duration
    return value > 0 && value != Int64(UInt32.max) ? time(value) : nil
  }

  /// The width of stored pictures by the header; 0 if it gives none.
  var width: Int { Int(max(0, parameters.width)) }
  var height: Int { Int(max(0, parameters.height)) }

  /// Pictures per second, where it is known and sane.
  var frameRate: Double? {
    for rate in [raw.pointee.avg_frame_rate, raw.pointee.r_frame_rate] {
      guard rate.num > 0, rate.den > 0 else { continue }
      let value = Double(rate.num) / Double(rate.den)
      if value <= 300 { return value }
    }
    return nil
  }

  /// The duration of a picture at the frame rate.
  var frameDuration: Duration? { frameRate.map { .nanoseconds(Int64((1e9 / $0).rounded())) } }

  /// The stream's display matrix.
  var orientation: Orientation {
    var size = 0
    guard let data = av_stream_get_side_data(raw, AV_PKT_DATA_DISPLAYMATRIX, &size), size >= 36
    else { return .upright }
    return Orientation(matrix: data)
  }

  /// Width over height of a stored pixel; nil if the container gives none or an absurd one.
  var pixelAspect: Double? { sane(raw.pointee.sample_aspect_ratio) }
}

extension Orientation {
  /// Reads nine 32-bit numbers in this machine's byte order from FFmpeg's side data.
  init(matrix data: UnsafePointer<UInt8>) {
    let raw = UnsafeRawPointer(data)
    func entry(_ index: Int) -> Int32 {
      raw.loadUnaligned(fromByteOffset: index * 4, as: Int32.self)
    }
    self.init(a: entry(0), b: entry(1), c: entry(3), d: entry(4))
  }
}

/// Nil for a pixel aspect that no picture has.
func sane(_ ratio: AVRational) -> Double? {
  guard ratio.num > 0, ratio.den > 0 else { return nil }
  let value = Double(ratio.num) / Double(ratio.den)
  return (1 / 64...64).contains(value) ? value : nil
}
