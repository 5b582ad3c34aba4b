import CFFmpeg

/// FFmpeg as a whole.
enum FFmpegLibrary {
  /// Once a process, before the sandbox closes. FFmpeg's log would go nowhere.
  static func prepare() { av_log_set_level(AV_LOG_QUIET) }

  /// Gives memory that nobody uses back to the machine.
  static func giveBackMemory() { ff_give_back_memory() }
}
