import DecoderLink
import Glibc
import Support
import System

/// Acts as the player of a decoder: serves resources and collects what is sent.
final class DecoderConversation {
  /// The answer to an `openResource`: a resource's bytes, or nil to refuse it.
  typealias Opener = (String) -> [UInt8]?

  /// The answer to a read of bytes that are not available.
  enum Lacking {
    /// It is answered once they are available.
    case waits
    case fails
  }

  private static let processorSeconds: UInt64 = 20
  /// Options for the address sanitizer, if the decoder was built with it (`make asan`); such a decoder
  /// is slow.
  private static let sanitizer = variable("ASAN_OPTIONS").map { ["ASAN_OPTIONS=\($0)"] } ?? []
  private let started: ChildProcess.Started
  private var assembler = FrameAssembler<DecoderMessage>()
  private var resources: [UInt32: [UInt8]]
  private let opener: Opener
  private(set) var info: MediaInfo?
  private(set) var pictures: [DecodedPicture] = []
  private(set) var sounds: [DecodedSound] = []
  private(set) var soundEnd: Duration?
  private(set) var ended: (serial: UInt32, pictures: Duration?, sound: Duration?)?
  private(set) var failure: String?
  /// The notes that were sent.
  private(set) var notes: [String] = []
  private(set) var isDead = false
  /// The URLs that were requested.
  private(set) var urls: [String] = []
  /// What the decoder said that it needs, each time.
  private(set) var needs: [[NeededPart]] = []
  /// Whether nothing follows what it needs.
  private(set) var needsReachEnd = false
  /// The parts that the decoder was asked to list, and whether those are all.
  private(set) var listed: [NeededPart] = []
  private(set) var isListed = false
  /// The playlists that the decoder wants to be reloaded, by their numbers.
  private(set) var followed: [UInt32: (url: String?, interval: Duration)] = [:]
  private(set) var unfollowed: [UInt32] = []
  /// A playlist that the decoder waits for.
  private(set) var awaited: UInt32?
  /// How often each playlist has changed.
  private var changes: [UInt32: UInt32] = [:]
  /// The bytes of the story itself that were requested.
  private(set) var bytesRead = 0
  /// How many of the story's first bytes are available; the others come over a network.
  private var available = Int.max
  private let lacking: Lacking
  /// Whether anything was read that was not available.
  private(set) var hasLacked = false
  /// The player waits for at least so many bytes (`CachedResource`).
  private static let worthHaving = 8 << 10
  /// A read of bytes that are not available yet.
  private var waitingRead: DecoderMessage?
  /// The largest resident set so far, in KiB.
  private(set) var peakKibibytes = 0
  private var turns = 0

  convenience init(
    _ bytes: [UInt8], width: UInt32 = 120, height: UInt32 = 80, fit: PictureRequest.Fit = .contain,
    soundRate: UInt32? = nil, start: Duration = .zero, length: Bool = true,
    available: Int = .max, lacking: Lacking = .waits, arguments: [String] = [],
    most: UInt64? = nil, ending: String = "", opener: @escaping Opener = { _ in nil }
  ) throws {
    try self.init(
      bytes, shape: PictureRequest(width: width, height: height, fit: fit), soundRate: soundRate,
      start: start, length: length, available: available, lacking: lacking, arguments: arguments,
      most: most, ending: ending, opener: opener)
  }

  init(
    _ bytes: [UInt8], shape: PictureRequest, soundRate: UInt32? = nil, start: Duration = .zero,
    length: Bool = true, available: Int = .max, lacking: Lacking = .waits, arguments: [String] = [],
    most: UInt64? = nil, ending: String = "", listsParts: Bool = false,
    opener: @escaping Opener = { _ in nil }
  ) throws {
    self.available = available
    self.lacking = lacking
    started = try ChildProcess.start(
      Programs.decoder, arguments: arguments, environment: ["PATH=/usr/bin:/bin"] + Self.sanitizer)
    // As the player does.
    if Self.sanitizer.isEmpty {
      started.process.limitProcessorTime(seconds: Self.processorSeconds)
    }
    resources = [0: bytes]
    self.opener = opener
    try send(
      .open(
        OpenRequest(
          length: length ? UInt64(bytes.count) : nil, shape: shape, soundRate: soundRate,
          mostBitsPerSecond: most, ending: ending, listsParts: listsParts)))
    if start > .zero { try seek(1, to: start) }
  }

  convenience init(corpus name: String, width: UInt32 = 120, height: UInt32 = 80) throws {
    try self.init(try contents(Media.path(name)), width: width, height: height)
  }

  func send(_ message: PlayerMessage) throws {
    var rest = message.frame[...]
    while !rest.isEmpty, !isDead {
      switch try started.socket.write(rest) {
      case .bytes(let count): rest = rest.dropFirst(count)
      case .wouldBlock: break
      case .end: isDead = true
      }
    }
  }

  func allow(_ pictures: UInt32) throws { try send(.credit(pictures: pictures)) }

  func seek(_ serial: UInt32, to position: Duration) throws {
    ended = nil
    try send(.seek(serial: serial, to: position))
  }

  var isOver: Bool { ended != nil || failure != nil || isDead }

  /// Receives messages until `isEnough`, the story's end or the time limit; false for the last.
  @discardableResult
  func listen(
    within limit: Duration = .seconds(20),
    until isEnough: (DecoderConversation) -> Bool = { _ in false }
  ) throws -> Bool {
    let end = Instant.now + limit
    while !isOver, !isEnough(self) {
      if let message = try assembler.next() {
        try take(message)
        continue
      }
      let ready = try awaitReadiness(of: [Interest(started.socket.number)], until: end)
      guard ready[0].readable else {
        if Instant.now >= end { return false }
        continue
      }
      if turns % 32 == 0 { notePeak() }
      turns += 1
      var bytes: [UInt8] = []
      switch try started.socket.take(upTo: 64 << 10, into: &bytes) {
      case .bytes: assembler.append(bytes)
      case .wouldBlock: break
      case .end: isDead = true
      }
    }
    notePeak()
    return true
  }

  /// Receives messages for so long.
  func listen(for time: Duration) throws { try listen(within: time) { _ in false } }

  private func take(_ message: DecoderMessage) throws {
    switch message {
    case .read(let request, let resource, let offset, let length):
      // As the player does (`DecoderSession`).
      guard length <= 4 << 20 else {
        return try send(.refused(request: request, reason: "it requests too much at once"))
      }
      let bytes = resources[resource] ?? []
      let start = min(bytes.count, Int(clamping: offset))
      let here = resource == 0 ? min(bytes.count, available) : bytes.count
      let part = bytes[start..<max(start, min(here, start + Int(length)))]
      let least = min(Self.worthHaving, Int(length), bytes.count - start)
      guard part.count >= least else {
        hasLacked = true
        if lacking == .waits { return waitingRead = message }
        return try send(.refused(request: request, reason: "the network is gone"))
      }
      if resource == 0 { bytesRead += part.count }
      try send(.bytes(request: request, Array(part)))
    case .queryAvailable(let request, let resource, let offset):
      let isHere = resource != 0 || available >= resources[0]?.count ?? 0
      try send(
        .availableUntil(request: request, end: isHere ? .max : max(offset, UInt64(available))))
    case .openResource(let request, let url):
      urls.append(url)
      if let bytes = opener(url) {
        let id = (resources.keys.max() ?? 0) + 1
        resources[id] = bytes
        try send(.resource(request: request, id: id, length: UInt64(bytes.count)))
      } else {
        try send(.refused(request: request, reason: "not allowed"))
      }
    case .closeResource(let id): resources[id] = nil
    case .needs(let parts, let reachesEnd):
      needs.append(parts)
      needsReachEnd = reachesEnd
    case .parts(let parts, let isLast):
      listed += parts
      isListed = isLast
    case .follow(let list, let url, let interval):
      let isFirst = followed[list] == nil
      followed[list] = (url, interval)
      guard isFirst, let bytes = url.map(opener) ?? resources[0] else { return }
      try give(bytes, as: list)
    case .unfollow(let list): unfollowed.append(list)
    case .awaitPlaylist(let list, let known):
      if changes[list] == known { awaited = list }
    case .opened(let info): self.info = info
    case .picture(let picture): pictures.append(picture)
    case .sound(let sound): sounds.append(sound)
    case .soundEnded(_, let time): soundEnd = time
    case .ended(let serial, let pictures, let sound): ended = (serial, pictures, sound)
    case .note(let words): notes.append(words)
    case .failed(let reason): failure = reason
    }
  }

  /// Gives a playlist that is followed, as it is now.
  func give(_ bytes: [UInt8], as list: UInt32 = 0) throws {
    changes[list, default: 0] += 1
    if awaited == list { awaited = nil }
    try send(.playlist(list: list, bytes))
  }

  /// Says that a playlist brings nothing more.
  func lose(_ list: UInt32 = 0, reason: String) throws {
    awaited = nil
    try send(.playlistLost(list: list, reason: reason))
  }

  /// Makes more of the story's first bytes available.
  func bring(to count: Int) throws {
    available = count
    if let read = waitingRead {
      waitingRead = nil
      try take(read)
    }
  }

  private func notePeak() {
    peakKibibytes = max(peakKibibytes, status("VmHWM") ?? 0)
  }

  /// The number in a line of the process's status in /proc; sizes are in KiB.
  func status(_ name: String) -> Int? {
    let path = "/proc/\(started.process.identifier)/status"
    let lines = ((try? readText(path)) ?? "").split(separator: "\n")
    return lines.first { $0.hasPrefix(name + ":") }.flatMap { Int($0.filter(\.isNumber)) }
  }

  /// Waits for the process to end by itself.
  func ending(within limit: Duration = .seconds(5)) -> ChildProcess.Ending? {
    awaitValue(within: limit) { started.process.poll() }
  }

  func kill() { _ = started.process.kill() }
}

/// A file's bytes.
func contents(_ path: String) throws -> [UInt8] {
  let file = try Descriptor.open(reading: path)
  var bytes: [UInt8] = []
  while case .bytes = try file.read(upTo: 1 << 20, into: &bytes) {}
  return bytes
}

/// The mean colours of a picture's quarters: top left, top right, bottom left, bottom right.
func quarters(_ picture: DecodedPicture) -> [[Int]] {
  let (width, height) = (picture.bitmap.width, picture.bitmap.height)
  func half(_ length: Int) -> [Range<Int>] {
    [0..<max(1, length / 2), length / 2..<length]
  }
  return half(height).flatMap { rows in
    half(width).map { columns in
      var sums = [0, 0, 0]
      for y in rows {
        for x in columns {
          let pixel = Int(picture.bitmap.pixels[y * width + x])
          for part in 0..<3 { sums[part] += pixel >> (16 - 8 * part) & 0xFF }
        }
      }
      let count = rows.count * columns.count
      return sums.map { ($0 + count / 2) / count }
    }
  }
}
