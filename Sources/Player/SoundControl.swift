import Resources
import Sound
import System

/// The viewer's volume, the speaker that it applies to, and what the viewer reads about both. Stories are
/// heard through `speaker` itself.
final class SoundControl {
  /// nil where nothing is to be heard. Without descriptors for it, stories are played without sound.
  let speaker: Speaker?
  private let storedVolume: StoredVolume?
  private var volume: Volume
  private var isChanged = false

  init(options: PlayOptions) {
    storedVolume = options.keepsHistory && !options.untimed ? StoredVolume.own : nil
    volume = options.volume.map { Volume(percent: $0) } ?? storedVolume?.read() ?? Volume()
    speaker = options.sound && !options.untimed ? try? Speaker(volume: volume) : nil
  }

  /// Changes the volume by a step. Returns what it is now, in words.
  func turn(up: Bool) -> String { change { $0.turn(up: up) } }

  /// Mutes the sound, or unmutes it. Returns what it is now, in words.
  func toggleMute() -> String { change { $0.isMuted.toggle() } }

  private func change(_ change: (inout Volume) -> Void) -> String {
    guard let speaker else { return "played without sound" }
    change(&volume)
    isChanged = true
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

  /// Ends the sound, and stores the volume if the viewer has changed it.
  func close() {
    speaker?.close()
    if isChanged { storedVolume?.write(volume) }
  }
}

/// Where volume and mute are kept from one run to the next.
struct StoredVolume {
  let folder: String
  private var path: String { folder + "/sound" }

  /// `sound` in the state folder; nil where that is not known.
  static var own: StoredVolume? { StateFolder.path.map { StoredVolume(folder: $0) } }

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

  /// Writes it. Errors are not reported: a state folder that cannot be written is no reason to complain
  /// when a run ends.
  func write(_ volume: Volume) {
    try? PrivateFolder.makeAll(folder)
    let text = "volume \(volume.percent)\(volume.isMuted ? " muted" : "")\n"
    try? PrivateFile.replace(path, with: Array(text.utf8))
  }
}
