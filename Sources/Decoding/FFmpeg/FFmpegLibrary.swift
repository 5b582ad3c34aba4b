import CFFmpeg
import DecoderLink
import Glibc
import Synchronization

/// FFmpeg as a whole.
enum FFmpegLibrary {
  /// How many messages one call may log before it counts as endless.
  private static let mostComplaints = 100_000
  private static let complaints = Atomic(0)

  /// Called once a process, before the sandbox closes. FFmpeg's log is not written anywhere, but its
  /// messages are counted: some decoders loop forever on truncated files and log an error in each round
  /// (libjxl's, FFmpeg 5.1).
  static func prepare() {
    av_log_set_callback { _, _, _, _ in
      let count = FFmpegLibrary.complaints.wrappingAdd(1, ordering: .relaxed).newValue
      if count == FFmpegLibrary.mostComplaints { FFmpegLibrary.giveUp() }
    }
  }

  /// Starts counting the messages of a call.
  static func beginCall() { complaints.store(0, ordering: .relaxed) }

  /// Ends the process from within a call that never returns.
  private static func giveUp() -> Never {
    let frame = DecoderMessage.failed(reason: DecodingError.endless.reason).frame
    frame.withUnsafeBytes { _ = write(3, $0.baseAddress, $0.count) }
    _exit(0)
  }

  /// Builds the tables that FFmpeg's commonest decoders build when they are first opened.
  static func warmUp() { for prepare in preparations { prepare() } }

  /// The parts of `warmUp`, each of a few milliseconds.
  static let preparations: [@Sendable () -> Void] = [
    { open(AV_CODEC_ID_H264) }, { open(AV_CODEC_ID_AAC) },
  ]

  private static func open(_ codec: AVCodecID) {
    var context = avcodec_alloc_context3(avcodec_find_decoder(codec))
    context?.pointee.thread_count = 1
    context?.pointee.sample_rate = 48_000
    context?.pointee.ch_layout.nb_channels = 2
    if let context { avcodec_open2(context, nil, nil) }
    avcodec_free_context(&context)
  }

  /// Returns free memory to the system.
  static func giveBackMemory() { ff_give_back_memory() }
}
