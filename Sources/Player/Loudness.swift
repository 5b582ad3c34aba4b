import Resources
import Sound
import System

/// The loudspeaker of a run, how loud it is, and what the viewer reads about it.
final class Loudness {
  /// nil where nothing is to be heard.
  let speaker: Speaker?
  private let memory: SoundMemory?
  private var volume: Volume
  private var isTurned = false

  init(options: PlayOptions) {
    memory = options.keepsHistory && !options.untimed ? SoundMemory.own : nil
    volume = options.volume.map { Volume(percent: $0) } ?? memory?.read() ?? Volume()
    speaker = options.sound && !options.untimed ? try? Speaker(volume: volume) : nil
  }

  /// Changes the volume; what it is now, in words.
  func turn(_ action: Action) -> String {
    guard let speaker else { return "played without sound" }
    switch action {
    case .volumeUp: volume.turn(up: true)
    case .volumeDown: volume.turn(up: false)
    default: volume.isMuted.toggle()
    }
    isTurned = true
    speaker.volume = volume
    return "volume \(volume.percent) %\(volume.isMuted ? ", muted" : "")"
  }

  var isMuted: Bool { speaker != nil && volume.isMuted }

  /// What happened to the device, in words.
  func takeNotices() -> [String] {
    guard let speaker else { return [] }
    return speaker.takeNotices().map { notice in
      switch notice {
      case .lost(let reason): "no sound: \(reason)"
      case .back: "sound is back"
      }
    }
  }

  /// Silence; remembers what the viewer chose.
  func close() {
    speaker?.close()
    if isTurned { memory?.write(volume) }
  }
}

/// Where volume and mute are kept from one run to the next.
struct SoundMemory {
  let path: String

  /// `sound` in the state folder; nil where that is not known.
  static var own: SoundMemory? { StateFolder.path.map { SoundMemory(path: $0 + "/sound") } }

  /// What was written last; nil where nothing was, or nothing that can be understood.
  func read() -> Volume? {
    guard let file = try? Descriptor.open(reading: path),
      let bytes = try? file.read(at: 0, count: 64)
    else { return nil }
    let words = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
    guard words.count >= 2, words[0] == "volume", let percent = Int(words[1]),
      Volume.range.contains(percent)
    else { return nil }
    return Volume(percent: percent, isMuted: words.dropFirst(2).first == "muted")
  }

  /// A state directory that cannot be written is no reason to complain at the end of a story.
  func write(_ volume: Volume) {
    try? PrivateFolder.makeAll(String(path.dropLast("/sound".count)))
    let text = "volume \(volume.percent)\(volume.isMuted ? " muted" : "")\n"
    try? PrivateFile.replace(path, with: Array(text.utf8))
  }
}
