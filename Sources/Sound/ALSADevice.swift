import CALSA
import Glibc

/// Owns one snd_pcm_t of the user's default device. Binding file: unsafe pointers.
///
/// Nothing here blocks for longer than libasound and its plug-ins do by themselves.
final class ALSADevice: SoundDevice {
  private let library: ca_library
  /// Valid while this object lives; closed by deinit.
  private let pcm: OpaquePointer
  let bufferFrames: Int

  /// Long enough for a busy machine, short enough for the volume keys to act soon.
  private static let bufferMicroseconds: UInt32 = 100_000

  /// The library, loaded at first use; nil if it is not installed.
  static let library: ca_library? = {
    var library = ca_library()
    return ca_load(&library) == 1 ? library : nil
  }()

  /// Opens the device that the user's configuration calls `default`.
  init() throws(DeviceFault) {
    guard let library = Self.library else { throw .lost("libasound is not installed") }
    self.library = library
    // ALSA caches the meaning of `default`, which depends on whether a sound server is running.
    _ = library.snd_config_update_free_global()
    var opened: OpaquePointer?
    let code = library.snd_pcm_open(
      &opened, "default", SND_PCM_STREAM_PLAYBACK, Int32(SND_PCM_NONBLOCK))
    guard code >= 0, let opened else {
      throw .lost("the sound device does not open: \(Self.words(code, library))")
    }
    pcm = opened
    let set = library.snd_pcm_set_params(
      opened, SND_PCM_FORMAT_S16, SND_PCM_ACCESS_RW_INTERLEAVED, UInt32(SoundFormat.channels),
      UInt32(SoundFormat.rate), 1, Self.bufferMicroseconds)
    var buffer: snd_pcm_uframes_t = 0
    var period: snd_pcm_uframes_t = 0
    guard set >= 0, library.snd_pcm_get_params(opened, &buffer, &period) >= 0, buffer > 0 else {
      _ = library.snd_pcm_close(opened)
      throw .lost("the sound device does not accept 48 kHz stereo: \(Self.words(set, library))")
    }
    bufferFrames = Int(buffer)
    // After each underrun, PulseAudio waits until as much is buffered again.
    var own = library
    _ = ca_set_start_threshold(&own, opened, period)
  }

  deinit {
    _ = library.snd_pcm_drop(pcm)
    _ = library.snd_pcm_close(pcm)
  }

  /// The device in words: its kind, the size of its buffer, and the library's version.
  var description: String {
    let version = library.snd_asoundlib_version().map { String(cString: $0) } ?? "?"
    let milliseconds = bufferFrames * 1000 / SoundFormat.rate
    return "\(name ?? "default"), 48000 Hz stereo, \(milliseconds) ms buffer, ALSA \(version)"
  }

  private var name: String? {
    var info: OpaquePointer?
    guard library.snd_pcm_info_malloc(&info) >= 0, let info else { return nil }
    defer { library.snd_pcm_info_free(info) }
    guard library.snd_pcm_info(pcm, info) >= 0, let name = library.snd_pcm_info_get_name(info)
    else { return nil }
    return String(cString: name)
  }

  func room() throws(DeviceFault) -> Int {
    let count = library.snd_pcm_avail_update(pcm)
    try check(Int(count))
    return min(Int(count), bufferFrames)
  }

  func write(_ samples: ArraySlice<Int16>) throws(DeviceFault) -> Int {
    let frames = samples.count / SoundFormat.channels
    guard frames > 0 else { return 0 }
    let count = samples.withUnsafeBytes { raw in
      library.snd_pcm_writei(pcm, raw.baseAddress, snd_pcm_uframes_t(frames))
    }
    if count == -snd_pcm_sframes_t(EAGAIN) { return 0 }
    try check(Int(count))
    return Int(count)
  }

  func start() throws(DeviceFault) {
    let code = library.snd_pcm_start(pcm)
    // It starts by itself when its buffer is full.
    if code != -EBADFD { try check(Int(code)) }
  }

  func delay() throws(DeviceFault) -> Int? {
    var frames: snd_pcm_sframes_t = 0
    let code = library.snd_pcm_delay(pcm, &frames)
    // The delay is unknown before it runs.
    if code == -EIO || code == -EAGAIN { return nil }
    try check(Int(code))
    return max(0, Int(frames))
  }

  func drop() throws(DeviceFault) {
    try check(Int(library.snd_pcm_drop(pcm)))
    try check(Int(library.snd_pcm_prepare(pcm)))
  }

  private func check(_ code: Int) throws(DeviceFault) {
    guard code < 0 else { return }
    // An underrun, or the machine was suspended.
    if code == -Int(EPIPE) || code == -Int(ESTRPIPE) { throw .ranDry }
    throw .lost("the sound device is gone: \(Self.words(Int32(code), library))")
  }

  private static func words(_ code: Int32, _ library: ca_library) -> String {
    library.snd_strerror(code).map { String(cString: $0) } ?? "error \(code)"
  }
}
