import CFFmpeg

/// Owns an SwrContext that converts any samples to 16-bit stereo. If FFmpeg cannot mix the channels
/// (more than eight without names, ambisonic), the first ones are used. Binding file: unsafe pointers.
final class FFmpegResampler {
  private var context: OpaquePointer?
  private var source: Source?
  private let wantedRate: Int?
  /// Samples a second of the output; nil before the first frame if it is the source's rate.
  private(set) var rate: Int?
  /// The channels that become left and right; nil if all are mixed.
  private var chosen: (left: Int, right: Int)?

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

  /// Which channels are heard, in words, if they cannot be mixed; nil if all are mixed.
  var omission: String? {
    guard let chosen, let source else { return nil }
    let heard = chosen.left == chosen.right ? "the first is" : "the first two are"
    return "of its sound's \(source.channels) channels \(heard) heard"
  }

  /// Converts a frame; a few samples may stay inside for the next one.
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
      ) { source in
        guard let chosen else {
          return swr_convert(context, &planes, Int32(room), source, raw.nb_samples)
        }
        return withChannels(chosen, of: raw, at: source) {
          swr_convert(context, &planes, Int32(room), $0, raw.nb_samples)
        }
      }
    }
  }

  /// Passes two channels of a frame to `body`: their planes, or copies taken out of one interleaved
  /// plane.
  private func withChannels<Result>(
    _ chosen: (left: Int, right: Int), of raw: AVFrame,
    at source: UnsafeMutablePointer<UnsafePointer<UInt8>?>,
    _ body: (UnsafeMutablePointer<UnsafePointer<UInt8>?>) -> Result
  ) -> Result {
    let format = AVSampleFormat(raw.format)
    if av_sample_fmt_is_planar(format) != 0 {
      var pair = [source[chosen.left], source[chosen.right]]
      return pair.withUnsafeMutableBufferPointer { $0.baseAddress.map(body) ?? body(source) }
    }
    let size = Int(av_get_bytes_per_sample(format))
    let stride = size * Int(raw.ch_layout.nb_channels)
    let count = Int(raw.nb_samples)
    guard let all = source[0], size > 0 else { return body(source) }
    var pair = [UInt8]()
    pair.reserveCapacity(2 * size * count)
    for sample in 0..<count {
      for channel in [chosen.left, chosen.right] {
        let start = all + sample * stride + channel * size
        pair.append(contentsOf: UnsafeBufferPointer(start: start, count: size))
      }
    }
    return pair.withUnsafeBufferPointer { lent in
      var plane = lent.baseAddress
      return withUnsafeMutablePointer(to: &plane, body)
    }
  }

  /// The samples that stayed inside.
  func flush() throws(DecodingError) -> [Int16] {
    guard let context else { return [] }
    let room = Int(swr_get_out_samples(context, 0))
    return samples(room: room) { target in
      var planes = [target, nil]
      return swr_convert(context, &planes, Int32(room), nil, 0)
    }
  }

  /// Drops the samples that stayed inside.
  func restart() {
    swr_free(&context)
    source = nil
    chosen = nil
  }

  private func configure(_ new: Source, _ frame: FFmpegFrame) throws(DecodingError) {
    source = nil
    chosen = nil
    var layout = AVChannelLayout()
    let given = frame.raw.pointee.ch_layout
    if given.order == AV_CHANNEL_ORDER_UNSPEC {
      av_channel_layout_default(&layout, new.channels)
    } else {
      av_channel_layout_copy(&layout, &frame.raw.pointee.ch_layout)
    }
    defer { av_channel_layout_uninit(&layout) }
    if !prepare(new, from: &layout) {
      // The first channel of ambisonic sound is the sound from all directions; other layouts are most
      // often stereo with further channels.
      let isOne = given.order == AV_CHANNEL_ORDER_AMBISONIC || new.channels == 1
      chosen = (0, isOne ? 0 : 1)
      var stereo = AVChannelLayout()
      av_channel_layout_default(&stereo, 2)
      guard prepare(new, from: &stereo) else {
        throw DecodingError("this kind of samples cannot be played")
      }
    }
    source = new
    rate = wantedRate ?? Int(new.rate)
  }

  /// Whether FFmpeg can mix that layout to stereo.
  private func prepare(_ new: Source, from layout: inout AVChannelLayout) -> Bool {
    var stereo = AVChannelLayout()
    av_channel_layout_default(&stereo, 2)
    let out = Int32(wantedRate ?? Int(new.rate))
    let code = swr_alloc_set_opts2(
      &context, &stereo, AV_SAMPLE_FMT_S16, out, &layout, AVSampleFormat(new.format), new.rate, 0,
      nil)
    guard code >= 0, let context else { return false }
    return swr_init(context) >= 0
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
