import CFFmpeg

/// FFmpeg as a whole.
enum FFmpegLibrary {
  /// Once a process, before the sandbox closes. FFmpeg's log would go nowhere.
  static func prepare() { av_log_set_level(AV_LOG_QUIET) }

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
