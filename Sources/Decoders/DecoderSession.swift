import DecoderLink
import Resources
import System

/// A decoder telling one story: serves its bytes, passes on what it says, and ends it when it
/// misbehaves. Everything happens on the player's loop.
public final class DecoderSession {
  /// What a decoder made of its story.
  public enum Event: Sendable {
    case opened(MediaInfo)
    case picture(DecodedPicture)
    case sound(DecodedSound)
    /// Nothing more comes for this serial.
    case ended(serial: UInt32, picturesEnd: Duration?, soundEnd: Duration?)
    /// The story cannot be told (further), in words that follow "cannot play NAME: ". The last event.
    case failed(String)
  }

  /// Time without a picture or a request, while either is owed, after which a decoder hangs.
  public static let patience = Duration.seconds(10)
  private static let largestRead: UInt32 = 4 << 20
  private static let largestBacklog = 1 << 20

  private let process: DecoderProcess
  private let pool: DecoderPool
  private var resources: [UInt32: any Resource]
  private let opener: (any ResourceOpener)?
  private var nextResource: UInt32 = 1
  private var answersOwed = 0
  private var credit = 0
  private var hasEnded = false
  private var hasFailed = false
  private var lastSign: Instant
  /// The serial of the last seek; pictures with an older one are stale.
  public private(set) var serial: UInt32 = 0

  /// Gives a story to a waiting decoder of the pool.
  public init(
    from pool: DecoderPool, telling resource: any Resource, opener: (any ResourceOpener)?,
    shape: PictureRequest, soundRate: UInt32? = nil
  ) throws(SystemError) {
    process = try pool.take()
    self.pool = pool
    resources = [0: resource]
    self.opener = opener
    lastSign = .now
    process.send(
      .open(OpenRequest(length: resource.info?.length, shape: shape, soundRate: soundRate)))
  }

  public var descriptor: Int32 { process.descriptor }
  public var wantsToWrite: Bool { process.wantsToWrite }
  public var identifier: Int32 { process.identifier }
  /// Whether it waits for bytes that the player has not got yet.
  public var isWaitingForBytes: Bool { answersOwed > 0 }

  /// When it counts as hanging unless something comes; nil while it owes nothing.
  public var deadline: Instant? {
    guard !hasFailed, answersOwed == 0, !hasEnded, credit > 0 else { return nil }
    return lastSign + DecoderSession.patience
  }

  /// Allows so many more pictures.
  public func allow(pictures: Int) {
    if credit == 0 { lastSign = .now }
    credit += pictures
    process.send(.credit(pictures: UInt32(pictures)))
  }

  /// Goes to a position: pictures sent before are stale from now on.
  public func seek(to time: Duration) {
    serial += 1
    hasEnded = false
    lastSign = .now
    process.send(.seek(serial: serial, to: time))
  }

  public func reshape(_ shape: PictureRequest) { process.send(.shape(shape)) }
  public func setEffort(_ effort: Effort) { process.send(.effort(effort)) }

  /// The player itself was stopped: the time did not run for the decoder either.
  public func forgive() { lastSign = .now }

  /// Sends, receives and serves what can be without waiting. Stale pictures and ends are left out.
  public func service(_ readiness: Readiness, now: Instant) -> [Event] {
    guard !hasFailed else { return [] }
    if readiness.writable { process.flush() }
    var events: [Event] = []
    do throws(WireError) {
      let isAlive = readiness.readable ? process.receive() : true
      while !hasFailed, let message = try process.next() {
        take(message, now: now, into: &events)
      }
      if !isAlive, !hasFailed { fail(wordsForDeath(), into: &events) }
    } catch {
      fail("the decoder spoke out of turn", into: &events)
    }
    if !hasFailed, let deadline, now >= deadline {
      fail("the decoder hangs", into: &events)
    }
    return events
  }

  private func take(_ message: DecoderMessage, now: Instant, into events: inout [Event]) {
    lastSign = now
    process.renewProcessorTime(now: now)
    switch message {
    case .read(let request, let resource, let offset, let length):
      // One answer is awaited at a time: who asks on without reading would fill the player's memory.
      guard answersOwed == 0, process.backlog < DecoderSession.largestBacklog else {
        return fail("the decoder spoke out of turn", into: &events)
      }
      serve(request: request, resource: resource, offset: offset, length: length)
    case .openResource(let request, let url):
      guard process.backlog < DecoderSession.largestBacklog else {
        return fail("the decoder spoke out of turn", into: &events)
      }
      open(request: request, url: url)
    case .closeResource(let number):
      if number != 0 { resources.removeValue(forKey: number)?.cancel() }
    case .opened(let info):
      events.append(.opened(info))
    case .picture(let picture):
      guard credit > 0 else { return fail("the decoder spoke out of turn", into: &events) }
      credit -= 1
      if picture.serial == serial { events.append(.picture(picture)) } else { allow(pictures: 1) }
    case .sound(let sound):
      if sound.serial == serial { events.append(.sound(sound)) }
    case .ended(let ended, let picturesEnd, let soundEnd):
      guard ended == serial else { return }
      hasEnded = true
      events.append(.ended(serial: ended, picturesEnd: picturesEnd, soundEnd: soundEnd))
    case .failed(let reason):
      fail(reason, into: &events)
    }
  }

  private func fail(_ reason: String, into events: inout [Event]) {
    hasFailed = true
    close()
    events.append(.failed(reason))
  }

  private func wordsForDeath() -> String {
    switch process.end() {
    case .killed(SignalNumber.processorTime):
      return "decoding took more processor time than allowed"
    case .killed(SignalNumber.badCall): return "the decoder tried what it may not do"
    case .killed(let signal): return "the decoder was ended by signal \(signal)"
    case .exited(DecoderPool.outOfMemoryStatus): return "decoding needs more memory than allowed"
    case .exited, nil: return "the decoder ended"
    }
  }

  private func serve(request: UInt32, resource: UInt32, offset: UInt64, length: UInt32) {
    guard let source = resources[resource], length <= DecoderSession.largestRead else {
      return process.send(.refused(request: request, reason: "no such resource"))
    }
    answersOwed += 1
    source.read(offset: offset, length: Int(length)) { [weak self] result in
      guard let self else { return }
      answersOwed -= 1
      lastSign = .now
      switch result {
      case .success(let bytes): process.send(.bytes(request: request, bytes))
      case .failure(let error): process.send(.refused(request: request, reason: error.reason))
      }
    }
  }

  private func open(request: UInt32, url: String) {
    do throws(ResourceError) {
      guard let opener else { throw ResourceError("it names another resource") }
      guard resources.count < 64 else { throw ResourceError("it opens too many resources") }
      let resource = try opener.open(url)
      let number = nextResource
      nextResource += 1
      resources[number] = resource
      process.send(.resource(request: request, id: number, length: resource.info?.length))
    } catch {
      process.send(.refused(request: request, reason: error.reason))
    }
  }

  /// Ends the decoder at once and lets go of its resources. Idempotent.
  public func close() {
    for resource in resources.values { resource.cancel() }
    resources = [:]
    guard !process.isClosed else { return }
    process.kill()
    pool.bury(process)
  }

  deinit { close() }
}

/// The signals that tell why a decoder ended (signal(7), Linux).
private enum SignalNumber {
  static let processorTime: Int32 = 24
  static let badCall: Int32 = 31
}
