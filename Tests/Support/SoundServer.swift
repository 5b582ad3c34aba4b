import Glibc
import Synchronization
import System

/// A PulseAudio server with one null device, which plays to nobody in real time; it ends with this
/// object.
public final class SoundServer {
  private let folder: TemporaryDirectory
  private var process: Spawned?

  /// Starts it.
  public init() throws {
    folder = try TemporaryDirectory()
    for name in ["home", "run"] { mkdir(folder.path(name), 0o700) }
    try folder.write(
      SoundServer.alsa("type pulse server \"unix:\(folder.path("socket"))\" device \"out\""),
      to: "alsa.conf")
    try start()
  }

  deinit { stop() }

  /// The environment with which a player's sound goes to this server.
  public var environment: [String: String?] {
    [
      "ALSA_CONFIG_PATH": folder.path("alsa.conf"), "XDG_RUNTIME_DIR": folder.path("run"),
      "PULSE_COOKIE": folder.path("home/cookie"),
    ]
  }

  /// An ALSA configuration with this definition of the default device.
  public static func alsa(_ definition: String) -> String {
    """
    </usr/share/alsa/alsa.conf>
    pcm_type.pulse { lib "libasound_module_pcm_pulse.so" }
    pcm.!default { \(definition) }

    """
  }

  /// Starts the server again after `stop`.
  public func start() throws {
    guard let pulse = Programs.installed("pulseaudio") else {
      throw SupportError("pulseaudio is missing: `make test-deps` installs it")
    }
    unlink(folder.path("socket"))
    process = try Spawned(
      pulse,
      [
        "-n", "--use-pid-file=no", "--daemonize=no", "--exit-idle-time=-1", "--disable-shm=yes",
        "--log-target=file:\(folder.path("log"))", "-L",
        "module-null-sink sink_name=out rate=48000 channels=2 format=s16le", "-L",
        "module-native-protocol-unix socket=\(folder.path("socket")) auth-anonymous=1",
      ], environment: pulseEnvironment, descriptors: [0, 2, 2])
    try eventually("pulseaudio starts") { fileExists(folder.path("socket")) }
  }

  /// Ends the server, like a device that is pulled out.
  public func stop() {
    guard let running = process else { return }
    kill(running.identifier, SIGKILL)
    while running.reap() == nil { usleep(1_000) }
    process = nil
  }

  /// Begins to record the device's output; returns when the recording runs.
  public func record() throws -> SoundRecording {
    guard let parec = Programs.installed("parec") else {
      throw SupportError("parec is missing: `make test-deps` installs pulseaudio-utils")
    }
    return try SoundRecording(
      parec,
      [
        "-s", "unix:\(folder.path("socket"))", "-d", "out.monitor", "--format=s16le",
        "--rate=48000", "--channels=2", "--raw", "--latency-msec=5",
      ], environment: pulseEnvironment)
  }

  private var pulseEnvironment: [String: String] {
    plainEnvironment.merging(
      ["HOME": folder.path("home"), "XDG_RUNTIME_DIR": folder.path("run")]
    ) { $1 }
  }
}

/// The output of a device since the recording began.
public final class SoundRecording {
  private struct State {
    var bytes: [UInt8] = []
    /// When the first frame was heard, as precisely as the arrival of pieces allows.
    var start: Instant?
  }

  private final class Shared: Sendable {
    let state = Mutex(State())
  }

  public static let rate = 48_000
  private let process: Spawned
  private let shared = Shared()

  init(_ path: String, _ arguments: [String], environment: [String: String]) throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw SupportError("cannot make a pipe") }
    let (reader, writer) = (ends[0], ends[1])
    _ = fcntl(reader, F_SETFD, FD_CLOEXEC)
    process = try Spawned(
      path, arguments, environment: environment, descriptors: [0, writer, 2])
    close(writer)
    _ = try WorkerThread { [shared] in
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      while true {
        let count = read(reader, &buffer, buffer.count)
        guard count > 0 else { break }
        let now = Instant.now
        shared.state.withLock { state in
          // A piece never comes before its first frame is heard, and often comes just then: the
          // minimum is the best estimate.
          let start = now + .zero - SoundRecording.duration(state.bytes.count / 4)
          state.start = min(state.start ?? start, start)
          state.bytes += buffer[..<count]
        }
      }
      close(reader)
    }
    try eventually("a second is recorded") {
      shared.state.withLock { $0.bytes.count >= 48_000 }
    }
  }

  deinit {
    kill(process.identifier, SIGKILL)
    while process.reap() == nil { usleep(1_000) }
  }

  private static func duration(_ frames: Int) -> Duration {
    .nanoseconds(frames * 1_000_000_000 / rate)
  }

  /// The left channel so far.
  public var samples: [Int16] {
    let bytes = shared.state.withLock { $0.bytes }
    return (0..<bytes.count / 4).map {
      Int16(truncatingIfNeeded: Int(bytes[4 * $0]) | Int(bytes[4 * $0 + 1]) << 8)
    }
  }

  /// When a frame was heard.
  public func moment(of frame: Int) -> Instant {
    let start = shared.state.withLock { $0.start } ?? .now
    return start + SoundRecording.duration(frame)
  }

  /// The frames at which the sound becomes louder than `level` after at least so many quieter ones.
  public func onsets(above level: Int, after quiet: Int = 9_600) -> [Int] {
    var onsets: [Int] = []
    var last = -quiet
    for (frame, sample) in samples.enumerated() where Int(sample.magnitude) > level {
      if frame - last >= quiet { onsets.append(frame) }
      last = frame
    }
    return onsets
  }

  /// The last frame that is louder than `level`.
  public func last(above level: Int) -> Int? {
    samples.lastIndex { Int($0.magnitude) > level }
  }

  /// The first frame at which the whole `pattern` begins.
  public func find(_ pattern: [Int16]) -> Int? {
    let samples = samples
    guard let first = pattern.first, samples.count >= pattern.count else { return nil }
    return (0...samples.count - pattern.count).first { start in
      samples[start] == first && samples[start..<start + pattern.count].elementsEqual(pattern)
    }
  }

  /// Waits until a sound louder than `level` comes, from a frame on.
  public func waitFor(
    above level: Int, from frame: Int = 0, within limit: Duration = .seconds(15)
  ) -> Bool {
    holds(within: limit, pause: { usleep(20_000) }) {
      samples.dropFirst(frame).contains { Int($0.magnitude) > level }
    }
  }
}

/// A WAV file of 16-bit stereo at 48 kHz with two equal channels.
public func makeWave(_ samples: [Int16]) -> [UInt8] {
  func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    (0..<Number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }
  let data = samples.flatMap { bytes($0) + bytes($0) }
  return Array("RIFF".utf8) + bytes(UInt32(36 + data.count)) + Array("WAVEfmt ".utf8)
    + bytes(UInt32(16)) + bytes(UInt16(1)) + bytes(UInt16(2)) + bytes(UInt32(48_000))
    + bytes(UInt32(192_000)) + bytes(UInt16(4)) + bytes(UInt16(16)) + Array("data".utf8)
    + bytes(UInt32(data.count)) + data
}
