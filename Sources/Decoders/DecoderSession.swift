import DecoderLink
import Resources
import System

/// A decoder of one story: answers its reads, passes on what it sends, and ends it if it misbehaves.
/// Everything happens on the player's loop.
public final class DecoderSession {
  /// What a decoder has sent.
  public enum Event: Sendable {
    case opened(MediaInfo)
    case picture(DecodedPicture)
    case sound(DecodedSound)
    /// No samples follow for this serial.
    case soundEnded(at: Duration)
    /// Nothing more follows for this serial.
    case ended(serial: UInt32, picturesEnd: Duration?, soundEnd: Duration?)
    /// The story plays, but something is wrong with it, in words that follow "NAME: ". Each note comes
    /// once, and only the first few.
    case note(String)
    /// The story cannot be played (further), in words that follow "cannot play NAME: ". The last event.
    case failed(String)
  }

  private static let largestRead: UInt32 = 4 << 20
  private static let largestBacklog = 1 << 20
  private static let longestReason = 200
  private static let mostNotes = 8

  private let process: DecoderProcess
  private let pool: DecoderPool
  private var resources: [UInt32: any Resource]
  private var urgency = ResourceUrgency.playing
  /// Whether the story is a playlist, whose segments are resources of their own.
  public private(set) var isPlaylist = false
  /// Opens what the story refers to, if it is a playlist.
  private var opener: (any ResourceOpener)?
  /// Messages to send once the story is open; nil from then on.
  private var unsent: [PlayerMessage]? = []
  private var startFailure: String?
  private var notes: [String] = []
  private var nextResource: UInt32 = 1
  private var answersOwed = 0
  private var credit = 0
  /// Frames of sound that the decoder may still send.
  public private(set) var soundFramesAllowed = 0
  private let hasSound: Bool
  private let waits: Bool
  private var protocolChecker: ProtocolChecker
  private var watch = AnimationWatch()
  private var hasEnded = false
  private var hasFailed = false
  private var isClosed = false
  var patience = Patience()
  /// The serial of the last seek; pictures with an older one are stale.
  public private(set) var serial: UInt32 = 0

  /// Gives a story to a decoder of the pool, as soon as its first bytes are read and its length is
  /// known.
  ///
  /// - Parameters:
  ///   - opener: for what the story refers to, used only if it is a playlist.
  ///   - waits: whether to wait for the network for a complete picture: a sound's waveform is then
  ///     fetched and scanned, too.
  public init(
    from pool: DecoderPool, decoding resource: any Resource, opener: (any ResourceOpener)?,
    shape: PictureRequest, soundRate: UInt32? = nil, waits: Bool = false
  ) throws(SystemError) {
    self.waits = waits
    process = try pool.take()
    self.pool = pool
    resources = [0: resource]
    self.opener = opener
    hasSound = soundRate != nil
    protocolChecker = ProtocolChecker(shape: shape, hasSound: hasSound)
    look(at: resource, PlaylistMark.length) { [weak self] in
      self?.begin(
        OpenRequest(
          length: resource.info?.length, shape: shape, soundRate: soundRate,
          mostBitsPerSecond: resource.bearableBitRate, ending: resource.ending))
    }
  }

  /// Detects whether the story is a playlist, the only format that may refer to other resources.
  private func look(
    at resource: any Resource, _ count: Int, whenKnown begin: @escaping () -> Void
  ) {
    answersOwed += 1
    resource.read(offset: 0, length: count) { [weak self] result in
      guard let self, !isClosed else { return }
      answersOwed -= 1
      patience.noteSign(at: .now)
      switch result {
      case .success(let head):
        let isPlaylist = PlaylistMark.isPlaylist(head)
        if isPlaylist == nil, head.count == PlaylistMark.length {
          return look(at: resource, PlaylistMark.reach, whenKnown: begin)
        }
        self.isPlaylist = isPlaylist == true
        if !self.isPlaylist { opener = nil }
        begin()
      case .failure(let error): startFailure = error.reason
      }
    }
  }

  private func begin(_ request: OpenRequest) {
    process.send(.open(request))
    for message in unsent ?? [] { process.send(message) }
    unsent = nil
  }

  private func send(_ message: PlayerMessage) {
    if unsent == nil { process.send(message) } else { unsent?.append(message) }
  }

  public var descriptor: Int32 { process.descriptor }
  public var wantsToWrite: Bool { process.wantsToWrite }
  public var identifier: Int32 { process.identifier }
  /// Whether it waits for bytes that the player does not have yet.
  public var isWaitingForBytes: Bool { answersOwed > 0 }
  /// Whether bytes are being fetched for it.
  public var isFetching: Bool { resources.values.contains { $0.isFetching } }

  /// When it will count as hanging; nil while nothing is expected from it.
  public var deadline: Instant? {
    guard !hasFailed else { return nil }
    if startFailure != nil { return .now }
    return patience.deadline
  }

  /// Whether something is expected from it, and it has all the bytes that it requested.
  private var isAtWork: Bool {
    guard !hasFailed, answersOwed == 0, !hasEnded, credit > 0 else { return false }
    // It may have sent all pictures and wait for credit for the rest of the sound.
    return !hasSound || soundFramesAllowed > 0
  }

  private func watch(at now: Instant = .now) { patience.watch(isAtWork, at: now) }

  /// Allows so many more pictures.
  public func allow(pictures: Int) {
    guard pictures > 0 else { return }
    credit += pictures
    send(.credit(pictures: UInt32(pictures)))
    watch()
  }

  /// Allows so many more frames of sound.
  public func allow(soundFrames frames: Int) {
    guard frames > 0 else { return }
    soundFramesAllowed += frames
    send(.soundCredit(frames: UInt32(frames)))
    watch()
  }

  /// Seeks to a position: earlier pictures and sound are stale from now on.
  public func seek(to time: Duration) {
    serial += 1
    hasEnded = false
    patience.noteProgress(at: .now)
    send(.seek(serial: serial, to: time))
    watch()
  }

  public func reshape(_ shape: PictureRequest) {
    protocolChecker.allow(shape)
    send(.shape(shape))
  }
  public func setEffort(_ effort: Effort) { send(.effort(effort)) }

  /// Sets the priority of the story's bytes among those of other stories.
  public func setUrgency(_ urgency: ResourceUrgency) {
    guard urgency != self.urgency else { return }
    self.urgency = urgency
    for resource in resources.values { resource.setUrgency(urgency) }
  }

  /// The player itself was stopped, so that time does not count for the decoder either.
  public func forgive() { patience.forgive(at: .now) }

  /// Sends, receives and answers without waiting. Stale pictures and ends are left out.
  public func service(_ readiness: Readiness, now: Instant) -> [Event] {
    guard !hasFailed else { return [] }
    if readiness.writable { process.flush() }
    var events: [Event] = []
    if let startFailure {
      fail(startFailure, into: &events)
      return events
    }
    do throws(WireError) {
      let isAlive = readiness.readable ? process.receive() : true
      while !hasFailed, let message = try process.next() {
        guard protocolChecker.isInTurn(message, serial: serial) else {
          fail(DecoderSession.outOfTurn, into: &events)
          break
        }
        take(message, now: now, into: &events)
      }
      if !isAlive, !hasFailed { fail(reasonForEnd(), into: &events) }
    } catch {
      fail(DecoderSession.outOfTurn, into: &events)
    }
    watch(at: now)
    if !hasFailed, process.hasTooManyThreads(now: now) {
      fail("the decoder starts too many threads", into: &events)
    }
    if !hasFailed, let words = patience.verdict(at: now) { fail(words, into: &events) }
    return events
  }

  private static let outOfTurn = "the decoder broke the protocol"
  private static let tooSlow = "the animation takes too long to be drawn"

  /// Handles a message. Only pictures, sound and ends count as progress.
  private func take(_ message: DecoderMessage, now: Instant, into events: inout [Event]) {
    process.renewProcessorTime(now: now)
    switch message {
    case .read(let request, let resource, let offset, let length):
      // Only one request may be open: a decoder that requests on and on without reading the answers
      // would fill the player's memory.
      guard answersOwed == 0, process.backlog < DecoderSession.largestBacklog else {
        return fail(DecoderSession.outOfTurn, into: &events)
      }
      patience.noteRead(of: resource, to: offset, length, at: now)
      serve(request: request, resource: resource, offset: offset, length: length)
      watch(at: now)
    case .queryAvailable(let request, let resource, let offset):
      guard process.backlog < DecoderSession.largestBacklog else {
        return fail(DecoderSession.outOfTurn, into: &events)
      }
      let end = availableEnd(of: resource, from: offset)
      process.send(.availableUntil(request: request, end: end))
    case .openResource(let request, let url):
      guard process.backlog < DecoderSession.largestBacklog else {
        return fail(DecoderSession.outOfTurn, into: &events)
      }
      patience.noteSign(at: now)
      open(request: request, url: url)
    case .closeResource(let number):
      guard number != 0, let resource = resources.removeValue(forKey: number) else {
        return fail(DecoderSession.outOfTurn, into: &events)
      }
      resource.cancel()
    case .opened(let info):
      patience.noteProgress(at: now)
      events.append(.opened(info))
    case .picture(var picture):
      guard credit > 0 else { return fail(DecoderSession.outOfTurn, into: &events) }
      // A stale picture is dropped, and its credit returned.
      guard picture.serial == serial else {
        return grantAnother(.credit(pictures: 1), into: &events)
      }
      credit -= 1
      patience.noteProgress(at: now)
      picture.time = max(.zero, picture.time)
      events.append(.picture(picture))
    case .sound(let sound): take(sound, now: now, into: &events)
    case .soundEnded(let ended, let time):
      if ended == serial { events.append(.soundEnded(at: time)) }
    case .ended(let ended, let picturesEnd, let soundEnd):
      guard ended == serial else { return }
      hasEnded = true
      patience.noteProgress(at: now)
      events.append(.ended(serial: ended, picturesEnd: picturesEnd, soundEnd: soundEnd))
    case .note(let words):
      let words = String(words.prefix(DecoderSession.longestReason))
      guard notes.count < DecoderSession.mostNotes, !notes.contains(words) else { return }
      notes.append(words)
      events.append(.note(words))
    case .failed(let reason):
      fail(String(reason.prefix(DecoderSession.longestReason)), into: &events)
    }
  }

  private func take(_ sound: DecodedSound, now: Instant, into events: inout [Event]) {
    guard soundFramesAllowed >= sound.frames else {
      return fail(DecoderSession.outOfTurn, into: &events)
    }
    guard sound.serial == serial else {
      if sound.frames > 0 {
        grantAnother(.soundCredit(frames: UInt32(sound.frames)), into: &events)
      }
      return
    }
    soundFramesAllowed -= sound.frames
    if sound.frames > 0 { patience.noteProgress(at: now) }
    events.append(.sound(sound))
  }

  /// Returns the credit of a stale picture or run of sound.
  private func grantAnother(_ credit: PlayerMessage, into events: inout [Event]) {
    guard process.backlog < DecoderSession.largestBacklog else {
      return fail(DecoderSession.outOfTurn, into: &events)
    }
    process.send(credit)
  }

  private func fail(_ reason: String, into events: inout [Event]) {
    hasFailed = true
    process.whyEnded = reason
    close()
    events.append(.failed(reason))
  }

  private func reasonForEnd() -> String {
    switch process.end() {
    case .killed(SignalNumber.processorTime):
      return "decoding took more processor time than allowed"
    case .killed(SignalNumber.profile), .killed(SignalNumber.alarm):
      if let hash = watch.finished { pool.refusedAnimations.insert(hash) }
      return DecoderSession.tooSlow
    case .killed(SignalNumber.badCall): return "the decoder tried a forbidden call"
    case .killed(let signal): return "the decoder was ended by signal \(signal)"
    case .exited(DecoderPool.outOfMemoryStatus): return "decoding needs more memory than allowed"
    case .exited, nil: return "the decoder ended"
    }
  }

  private func serve(request: UInt32, resource: UInt32, offset: UInt64, length: UInt32) {
    guard let source = resources[resource] else {
      return process.send(.refused(request: request, reason: "no such resource"))
    }
    guard length <= DecoderSession.largestRead else {
      return process.send(.refused(request: request, reason: "it requests too much at once"))
    }
    answersOwed += 1
    source.readSome(offset: offset, length: Int(length)) { [weak self] result in
      guard let self else { return }
      answersOwed -= 1
      patience.noteSign(at: .now)
      watch()
      switch result {
      case .success(let bytes):
        if resource == 0, isRefused(bytes, at: offset, asked: Int(length)) {
          return process.send(.refused(request: request, reason: DecoderSession.tooSlow))
        }
        process.send(.bytes(request: request, bytes))
      case .failure(let error): process.send(.refused(request: request, reason: error.reason))
      }
    }
  }

  /// The end of the bytes of a resource that can be read from an offset on without waiting for a
  /// network.
  private func availableEnd(of number: UInt32, from offset: UInt64) -> UInt64 {
    guard let resource = resources[number] else { return offset }
    if waits { return .max }
    let end = resource.endAtHand(from: offset)
    // The segments of a playlist from the network have yet to be fetched.
    return isPlaylist && end < .max ? offset : end
  }

  /// Whether these bytes complete an animation that was given up before.
  private func isRefused(_ bytes: [UInt8], at offset: UInt64, asked: Int) -> Bool {
    watch.note(bytes, at: offset, asked: asked, length: resources[0]?.info?.length)
    return watch.finished.map(pool.refusedAnimations.contains) ?? false
  }

  private func open(request: UInt32, url: String) {
    do throws(ResourceError) {
      guard let opener else { throw ResourceError("it names another resource") }
      guard resources.count < 64 else { throw ResourceError("it opens too many resources") }
      let resource = try opener.open(url)
      resource.setUrgency(urgency)
      let number = nextResource
      nextResource += 1
      resources[number] = resource
      answersOwed += 1
      resource.whenOpened { [weak self] error in
        guard let self, !isClosed else { return }
        answersOwed -= 1
        opened(number, request: request, error)
      }
    } catch {
      process.send(.refused(request: request, reason: error.reason))
    }
  }

  private func opened(_ number: UInt32, request: UInt32, _ error: ResourceError?) {
    if let error {
      resources[number] = nil
      process.send(.refused(request: request, reason: error.reason))
    } else {
      let length = resources[number]?.info?.length
      process.send(.resource(request: request, id: number, length: length))
    }
    watch()
  }

  /// Closes its resources; requests that are open will not be answered.
  public func giveUpBytes() {
    for resource in resources.values { resource.cancel() }
    resources = [:]
  }

  /// Ends the decoder at once and closes its resources. Idempotent.
  public func close() {
    giveUpBytes()
    guard !isClosed else { return }
    isClosed = true
    process.whyEnded = process.whyEnded ?? "its story is left"
    process.kill()
    pool.reapLater(process)
  }

  deinit { close() }
}

/// The signals that show why a decoder ended (signal(7), Linux).
private enum SignalNumber {
  static let alarm: Int32 = 14
  static let processorTime: Int32 = 24
  static let profile: Int32 = 27
  static let badCall: Int32 = 31
}
