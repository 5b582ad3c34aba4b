import CFFmpeg
import DecoderLink
import Glibc
import Synchronization

/// FFmpeg as a whole.
enum FFmpegLibrary {
  /// What one call of a decoder may have to say before it counts as endless.
  private static let mostComplaints = 100_000
  private static let complaints = Atomic(0)

  /// Once a process, before the sandbox closes. FFmpeg's log would go nowhere, but it tells of
  /// decoders that turn in a circle for want of data (libjxl's does on files cut short, FFmpeg 5.1):
  /// they complain without end.
  static func prepare() {
    av_log_set_callback { _, _, _, _ in
      let count = FFmpegLibrary.complaints.wrappingAdd(1, ordering: .relaxed).newValue
      if count == FFmpegLibrary.mostComplaints { FFmpegLibrary.giveUp() }
    }
  }

  /// A call begins whose complaints are counted by themselves.
  static func beginCall() { complaints.store(0, ordering: .relaxed) }

  /// Ends the process from within a call that never returns.
  private static func giveUp() -> Never {
    let frame = DecoderMessage.failed(reason: DecodingError.endless.reason).frame
    frame.withUnsafeBytes { _ = write(3, $0.baseAddress, $0.count) }
    _exit(0)
  }

  /// Makes the tables that FFmpeg's commonest decoders make when they are first opened.
  static func warmUp() {
    for codec in [AV_CODEC_ID_H264, AV_CODEC_ID_AAC] {
      var context = avcodec_alloc_context3(avcodec_find_decoder(codec))
      context?.pointee.thread_count = 1
      context?.pointee.sample_rate = 48_000
      context?.pointee.ch_layout.nb_channels = 2
      if let context { avcodec_open2(context, nil, nil) }
      avcodec_free_context(&context)
    }
  }

  /// Gives memory that nobody uses back to the machine.
  static func giveBackMemory() { ff_give_back_memory() }
}
