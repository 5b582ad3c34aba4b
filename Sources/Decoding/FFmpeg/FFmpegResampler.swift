import CFFmpeg

/// Owns an SwrContext that makes 16-bit stereo of any samples. Binding file: unsafe pointers.
final class FFmpegResampler {
  private var context: OpaquePointer?
  private var source: Source?
  private let wantedRate: Int?
  /// Samples a second of what comes out; nil before the first frame where it is the source's.
  private(set) var rate: Int?

  private struct Source: Equatable {
    var rate: Int32
    var format: Int32
    var channels: Int32
    var mask: UInt64
  }

  init(rate: Int?) {
    wantedRate = rate
    self.rate = rate
  }

  deinit { swr_free(&context) }

  /// A frame's samples; a few may stay inside for the next.
  func convert(_ frame: FFmpegFrame) throws(DecodingError) -> [Int16] {
    let raw = frame.raw.pointee
    guard raw.sample_rate > 0, raw.ch_layout.nb_channels > 0, raw.nb_samples > 0 else { return [] }
    let new = Source(
      rate: raw.sample_rate, format: raw.format, channels: raw.ch_layout.nb_channels,
      mask: raw.ch_layout.u.mask)
    if new != source { try configure(new, frame) }
    guard let context else { return [] }
    let room = Int(swr_get_out_samples(context, raw.nb_samples))
    return samples(room: room) { target in
      var planes = [target, nil]
      return frame.raw.pointee.extended_data.withMemoryRebound(
        to: UnsafePointer<UInt8>?.self, capacity: Int(raw.ch_layout.nb_channels)
      ) { swr_convert(context, &planes, Int32(room), $0, raw.nb_samples) }
    }
  }

  /// What stayed inside.
  func flush() throws(DecodingError) -> [Int16] {
    guard let context else { return [] }
    let room = Int(swr_get_out_samples(context, 0))
    return samples(room: room) { target in
      var planes = [target, nil]
      return swr_convert(context, &planes, Int32(room), nil, 0)
    }
  }

  /// Forgets what stayed inside.
  func restart() {
    swr_free(&context)
    source = nil
  }

  private func configure(_ new: Source, _ frame: FFmpegFrame) throws(DecodingError) {
    var stereo = AVChannelLayout()
    av_channel_layout_default(&stereo, 2)
    var layout = AVChannelLayout()
    if frame.raw.pointee.ch_layout.order == AV_CHANNEL_ORDER_UNSPEC {
      av_channel_layout_default(&layout, new.channels)
    } else {
      av_channel_layout_copy(&layout, &frame.raw.pointee.ch_layout)
    }
    defer { av_channel_layout_uninit(&layout) }
    let out = Int32(wantedRate ?? Int(new.rate))
    let code = swr_alloc_set_opts2(
      &context, &stereo, AV_SAMPLE_FMT_S16, out, &layout, AVSampleFormat(new.format), new.rate, 0,
      nil)
    guard code >= 0, let context, swr_init(context) >= 0 else {
      throw DecodingError("this kind of samples cannot be played")
    }
    source = new
    rate = Int(out)
  }

  private func samples(
    room: Int, _ fill: (UnsafeMutablePointer<UInt8>?) -> Int32
  ) -> [Int16] {
    guard room > 0 else { return [] }
    return [Int16](unsafeUninitializedCapacity: room * 2) { buffer, count in
      let bytes = UnsafeMutableRawPointer(buffer.baseAddress)?.assumingMemoryBound(to: UInt8.self)
      count = max(0, Int(fill(bytes))) * 2
    }
  }
}
