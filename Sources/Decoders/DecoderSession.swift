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
    /// No samples follow until the next seek.
    case soundEnded(at: Duration)
    /// Nothing more follows until the next seek. `serial` is for those who seek while they still hold
    /// events of the time before.
    case ended(serial: UInt32, picturesEnd: Duration?, soundEnd: Duration?)
    /// Parts of the story, where they were asked for. `isLast`: these are the last ones.
    case parts([NeededPart], isLast: Bool)
    /// The story plays, but something is wrong with it, in words that follow "NAME: ". Each note comes
    /// once, and only the first few.
    case note(String)
    /// The story cannot be played (further), in words that follow "cannot play NAME: ". The last event.
    case failed(String)
  }

  /// What is read of a story before a decoder gets it.
  private static let firstRead = max(PlaylistMark.length, HeifMark.length)
  private static let largestRead: UInt32 = 4 << 20
  private static let largestBacklog = 1 << 20
  private static let longestReason = 200
  private static let mostNotes = 8
  private static let mostResources = 64
  /// The number by which the decoder knows the story's own bytes.
  private static let storyResource: UInt32 = 0

  private let process: DecoderProcess
  private let pool: DecoderPool
  private var resources: [UInt32: any Resource]
  private var urgency = ResourceUrgency.playing
  /// Whether the viewer has stopped the story.
  private var isPaused = false
  /// Whether the story is an HLS playlist (`PlaylistMark`), whose segments are resources of their own.
  public private(set) var isPlaylist = false
  /// Opens the segments and playlists that the story names, if it is a playlist.
  private var opener: (any ResourceOpener)?
  /// What it needs beside its own bytes, if it is a playlist.
  private var supply: PlaylistSupply?
  /// Messages to send after the `open` request; nil once that was sent.
  private var queuedUntilOpen: [PlayerMessage]? = []
  private var startFailure: String?
  private var notes: [String] = []
  private var nextResource: UInt32 = 1
  /// Requests of the decoder, and of `detectPlaylist`, that are not answered yet.
  private var unansweredRequests = 0
  /// Pictures that the decoder may still send.
  private var picturesAllowed = 0
  /// Frames of sound that the decoder may still send.
  public private(set) var soundFramesAllowed = 0
  private let hasSound: Bool
  private let mayWaitForNetwork: Bool
  private let listsParts: Bool
  private var protocolChecker: ProtocolChecker
  private var animationHasher = AnimationHasher()
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
  ///   - mayWaitForNetwork: whether only one complete picture is wanted, which may take its time: all
  ///     of a sound is then fetched for its waveform.
  ///   - listsParts: whether it is not to be played, but the parts of a playlist are wanted.
  public init(
    from pool: DecoderPool, decoding resource: any Resource, opener: (any ResourceOpener)?,
    shape: PictureRequest, soundRate: UInt32? = nil, mayWaitForNetwork: Bool = false,
    listsParts: Bool = false
  ) throws(SystemError) {
    self.listsParts = listsParts
    self.mayWaitForNetwork = mayWaitForNetwork
    process = try pool.take()
    self.pool = pool
    resources = [DecoderSession.storyResource: resource]
    self.opener = opener
    hasSound = soundRate != nil
    protocolChecker = ProtocolChecker(shape: shape, hasSound: hasSound)
    detectPlaylist(in: resource, reading: DecoderSession.firstRead) { [weak self] head in
      self?.begin(
        OpenRequest(
          length: resource.info?.length, shape: shape, soundRate: soundRate,
          mostBitsPerSecond: listsParts ? resource.usualBitRate : resource.bearableBitRate,
          ending: resource.ending, mayNeedHeif: HeifMark.mayBegin(head), listsParts: listsParts))
    }
  }

  /// Detects whether the story is a playlist, the only format that may refer to other resources.
  /// The first bytes decide for nearly all files; comments before the mark need a second, longer read.
  private func detectPlaylist(
    in resource: any Resource, reading count: Int, whenKnown begin: @escaping ([UInt8]) -> Void
  ) {
    unansweredRequests += 1
    resource.read(offset: 0, length: count) { [weak self] result in
      guard let self else { return }
      unansweredRequests -= 1
      patience.noteSign(at: .now)
      switch result {
      case .success(let head):
        let isPlaylist = PlaylistMark.isPlaylist(head)
        if isPlaylist == nil, head.count == DecoderSession.firstRead {
          return detectPlaylist(in: resource, reading: PlaylistMark.reach, whenKnown: begin)
        }
        self.isPlaylist = isPlaylist == true
        if self.isPlaylist, let opener {
          supply = PlaylistSupply(
            opener, urgency: urgency, isPaused: isPaused,
            readsAhead: !mayWaitForNetwork && !listsParts,
            hasRoom: { [weak self] in
              self.map { $0.process.backlog < DecoderSession.largestBacklog } ?? false
            },
            send: { [weak self] message in
              self?.process.send(message)
              self?.updatePatience()
            })
        }
        opener = nil
        begin(head)
      case .failure(let error): startFailure = error.reason
      }
    }
  }

  private func begin(_ request: OpenRequest) {
    process.send(.open(request))
    for message in queuedUntilOpen ?? [] { process.send(message) }
    queuedUntilOpen = nil
  }

  private func send(_ message: PlayerMessage) {
    if queuedUntilOpen == nil { process.send(message) } else { queuedUntilOpen?.append(message) }
  }

  public var descriptor: Int32 { process.descriptor }
  public var wantsToWrite: Bool { process.wantsToWrite }
  /// The decoder's process identifier; 0 as long as it is not known, and after its end.
  public var identifier: Int32 { process.identifier }
  /// Calls a closure with the process identifier, once that is known.
  public func whenKnown(_ note: @escaping (Int32) -> Void) { process.whenKnown(note) }
  /// Whether the decoder has ended by a fault of its own, such as a segmentation fault.
  public var hasCrashed: Bool { process.hasCrashed }
  /// Whether it waits for bytes that the player does not have yet.
  public var isWaitingForBytes: Bool { unansweredRequests > 0 || supply?.isAwaited ?? false }
  /// Whether bytes are being fetched for it.
  public var isFetching: Bool {
    supply?.isFetching ?? false || resources.values.contains { $0.isFetching }
  }
  /// How far a playlist has come; nil for anything else, and before its first part is opened.
  public var partsAhead: PartsAhead? { supply?.ahead }

  /// When it will count as hanging, or a playlist is reloaded; nil while neither is expected.
  public var deadline: Instant? {
    guard !hasFailed else { return nil }
    // So that the loop calls `service` at once, which reports it.
    if startFailure != nil { return .now }
    return [patience.deadline, supply?.deadline, process.deadline].compactMap(\.self).min()
  }

  /// Whether it has something to do, and all the bytes that it requested.
  private var isAtWork: Bool {
    guard !hasFailed, !isWaitingForBytes, !hasEnded, picturesAllowed > 0 else { return false }
    // It may have sent all pictures and wait for credit for the rest of the sound.
    return !hasSound || soundFramesAllowed > 0
  }

  private func updatePatience(at now: Instant = .now) { patience.watch(isAtWork, at: now) }

  /// Allows so many more pictures.
  public func allow(pictures: Int) {
    guard pictures > 0 else { return }
    picturesAllowed += pictures
    send(.credit(pictures: UInt32(pictures)))
    updatePatience()
  }

  /// Allows so many more frames of sound.
  public func allow(soundFrames frames: Int) {
    guard frames > 0 else { return }
    soundFramesAllowed += frames
    send(.soundCredit(frames: UInt32(frames)))
    updatePatience()
  }

  /// Seeks to a position: earlier pictures and sound are stale from now on.
  public func seek(to time: Duration) {
    serial += 1
    hasEnded = false
    patience.noteProgress(at: .now)
    send(.seek(serial: serial, to: time))
    updatePatience()
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
    supply?.setUrgency(urgency)
  }

  /// Sets whether the viewer has stopped the story: nothing is reloaded meanwhile.
  public func setPaused(_ paused: Bool) {
    isPaused = paused
    supply?.setPaused(paused)
  }

  /// Restarts the time that the decoder has: the player itself was stopped meanwhile.
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
    process.checkFork()
    do throws(WireError) {
      let isAlive = readiness.readable ? process.receive() : true
      while !hasFailed, let message = try process.next() {
        guard protocolChecker.isInTurn(message, serial: serial) else {
          fail(DecoderSession.outOfTurn, into: &events)
          break
        }
        take(message, now: now, into: &events)
      }
      if !isAlive, !hasFailed { fail(reapAndDescribe(), into: &events) }
    } catch {
      fail(DecoderSession.outOfTurn, into: &events)
    }
    if !hasFailed { supply?.service(at: now) }
    updatePatience(at: now)
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
      guard unansweredRequests == 0, process.backlog < DecoderSession.largestBacklog else {
        return fail(DecoderSession.outOfTurn, into: &events)
      }
      patience.noteRead(of: resource, to: offset, length, at: now)
      serve(request: request, resource: resource, offset: offset, length: length)
      updatePatience(at: now)
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
      guard number != DecoderSession.storyResource,
        let resource = resources.removeValue(forKey: number)
      else {
        return fail(DecoderSession.outOfTurn, into: &events)
      }
      resource.cancel()
    case .needs, .follow, .unfollow, .awaitPlaylist:
      patience.noteSign(at: now)
      guard supply?.take(message, now: now) == true else {
        return fail(DecoderSession.outOfTurn, into: &events)
      }
    case .opened(let info):
      patience.noteProgress(at: now)
      events.append(.opened(info))
    case .parts(let parts, let isLast):
      guard listsParts else { return fail(DecoderSession.outOfTurn, into: &events) }
      hasEnded = isLast
      patience.noteProgress(at: now)
      events.append(.parts(parts, isLast: isLast))
    case .picture(var picture):
      guard picturesAllowed > 0 else { return fail(DecoderSession.outOfTurn, into: &events) }
      // A stale picture is dropped, and its credit returned.
      guard picture.serial == serial else {
        return returnCredit(.credit(pictures: 1), into: &events)
      }
      picturesAllowed -= 1
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
        returnCredit(.soundCredit(frames: UInt32(sound.frames)), into: &events)
      }
      return
    }
    soundFramesAllowed -= sound.frames
    if sound.frames > 0 { patience.noteProgress(at: now) }
    events.append(.sound(sound))
  }

  /// Gives back the credit that the decoder spent on a stale picture or run of sound. The player's own
  /// count was not reduced by it.
  private func returnCredit(_ credit: PlayerMessage, into events: inout [Event]) {
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

  /// Reaps a decoder that has ended by itself, and says why it did. An animation that was too slow is
  /// not tried again.
  private func reapAndDescribe() -> String {
    switch process.end() {
    case .killed(SignalNumber.processorTime):
      return "decoding took more processor time than allowed"
    case .killed(SignalNumber.profile), .killed(SignalNumber.alarm):
      if let hash = animationHasher.fileHash { pool.refusedAnimations.insert(hash) }
      return DecoderSession.tooSlow
    case .killed(SignalNumber.badCall): return "the decoder tried a forbidden call"
    case .killed(let signal): return "the decoder was ended by signal \(signal)"
    case .exited(DecoderPool.outOfMemoryStatus): return "decoding needs more memory than allowed"
    case .exited, nil: return process.isAbsent ? "no decoder could be started" : "the decoder ended"
    }
  }

  private func serve(request: UInt32, resource: UInt32, offset: UInt64, length: UInt32) {
    guard let source = resources[resource] else {
      return process.send(.refused(request: request, reason: "no such resource"))
    }
    guard length <= DecoderSession.largestRead else {
      return process.send(.refused(request: request, reason: "it requests too much at once"))
    }
    unansweredRequests += 1
    // The bytes that are there already: the decoder requests the rest.
    source.readSome(offset: offset, length: Int(length)) { [weak self] result in
      guard let self else { return }
      unansweredRequests -= 1
      patience.noteSign(at: .now)
      updatePatience()
      switch result {
      case .success(let bytes):
        if resource == DecoderSession.storyResource {
          animationHasher.note(
            bytes, at: offset, asked: Int(length), length: resources[resource]?.info?.length)
          if isKnownTooSlow {
            return process.send(.refused(request: request, reason: DecoderSession.tooSlow))
          }
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
    if mayWaitForNetwork { return .max }
    let end = resource.availableEnd(from: offset)
    // A playlist that is not a local file (all of which is at hand) may be here already, but its
    // segments have yet to be fetched.
    return isPlaylist && end < .max ? offset : end
  }

  /// Whether all of the story was read, and it is an animation that was given up before.
  private var isKnownTooSlow: Bool {
    animationHasher.fileHash.map(pool.refusedAnimations.contains) ?? false
  }

  private func open(request: UInt32, url: String) {
    do throws(ResourceError) {
      guard let supply else { throw ResourceError("it names another resource") }
      guard resources.count < DecoderSession.mostResources else {
        throw ResourceError("it opens too many resources")
      }
      let resource = try supply.open(url)
      resource.setUrgency(urgency)
      let number = nextResource
      nextResource += 1
      resources[number] = resource
      unansweredRequests += 1
      resource.whenOpened { [weak self] error in
        guard let self else { return }
        unansweredRequests -= 1
        answerOpen(number, request: request, error)
      }
    } catch {
      process.send(.refused(request: request, reason: error.reason))
    }
  }

  private func answerOpen(_ number: UInt32, request: UInt32, _ error: ResourceError?) {
    if let error {
      resources[number] = nil
      process.send(.refused(request: request, reason: error.reason))
    } else {
      let length = resources[number]?.info?.length
      process.send(.resource(request: request, id: number, length: length))
    }
    updatePatience()
  }

  /// Closes its resources; requests that are open will not be answered. For a story that is left before
  /// its decoder is ended by `close`.
  public func giveUpBytes() {
    for resource in resources.values { resource.cancel() }
    resources = [:]
    supply?.close()
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
