import DecoderLink
import Playback
import Resources
import Stories
import System

/// Keeps the account of a run: an entry for each play, and how long viewers waited.
struct PlaybackLog {
  private(set) var metrics = Metrics()
  /// A line for each story that failed, in the order of their first failures.
  private(set) var complaints: [String] = []
  private var complained: Set<String> = []
  private var began: Instant?
  private var isOpen = false
  private var keyPressed: Instant?
  private var gapStart: Instant?
  private var lastPicture: Instant?
  private var awaitsDrain = false
  /// A picture is under way to the screen whose offset from the sound counts.
  private var awaitsSound = false
  private var anyPlayed = false
  private let events: Log
  /// Since when the story stands still, and whether because it was sought in.
  private var standsStill: (since: Instant, isSeek: Bool)?

  init(events: Log) { self.events = events }

  var outcome: PlayOutcome {
    // Another player may have used up the last views since the start.
    if metrics.stories.isEmpty { return .nothingPlayed }
    if complaints.isEmpty { return .allPlayed }
    return anyPlayed ? .somePlayed : .nothingPlayed
  }

  mutating func begin(_ story: Story, now: Instant) {
    metrics.stories.append(
      StoryMetrics(source: story.visibleSource, kind: story.kind?.rawValue))
    events.note(.playback, "begin \(story.loggedSource)")
    began = now
    isOpen = true
    awaitsDrain = false
    lastPicture = nil
  }

  /// The play that was begun last did not come about.
  mutating func withdraw() {
    guard isOpen, !metrics.stories.isEmpty else { return }
    metrics.stories.removeLast()
    isOpen = false
    events.note(.playback, "withdrawn")
  }

  mutating func noteDecoders(peakKibibytes: Int) { metrics.decoderPeakKibibytes = peakKibibytes }

  mutating func noteNetwork(_ network: Network) {
    metrics.network = network.traffic
    metrics.saving = network.saving
  }

  /// A key was read whose answer is another story's picture.
  mutating func keyPressed(at now: Instant) {
    keyPressed = now
    gapStart = nil
  }

  mutating func pictureShown(now: Instant) {
    guard isOpen, !metrics.stories.isEmpty else { return }
    let index = metrics.stories.count - 1
    if metrics.stories[index].framesShown == 0 { awaitsDrain = true }
    awaitsSound = true
    metrics.stories[index].framesShown += 1
    lastPicture = now
    anyPlayed = true
  }

  mutating func painted(bytes: Int) {
    // What is painted after a story's end, such as the end card, is not its own.
    guard isOpen, !metrics.stories.isEmpty else { return }
    metrics.stories[metrics.stories.count - 1].bytesToTerminal += bytes
  }

  /// The terminal has taken all bytes: a first picture is on the screen now.
  mutating func noteDrained(isBusy: Bool, processStart: Instant, now: Instant) {
    guard awaitsDrain, !isBusy, let began, !metrics.stories.isEmpty else { return }
    awaitsDrain = false
    events.note(
      .playback, "first picture after \(Words.fixed((now - began).milliseconds, digits: 1)) ms")
    metrics.stories[metrics.stories.count - 1].firstPictureMs = (now - began).milliseconds
    if metrics.startToFirstPicture == nil { metrics.startToFirstPicture = now - processStart }
    if let pressed = keyPressed { metrics.keyLatencies.add(now - pressed) }
    if let gapStart {
      metrics.transitionGaps.add(now - gapStart)
      let gap = Words.fixed((now - gapStart).milliseconds, digits: 1)
      events.note(.playback, "\(gap) ms after the last story's last picture")
    }
    keyPressed = nil
    gapStart = nil
  }

  /// The terminal has taken all bytes of a picture while the sound was so far ahead of it.
  mutating func notePicture(soundLead lead: Duration?) {
    guard awaitsSound else { return }
    awaitsSound = false
    guard isOpen, let lead, !metrics.stories.isEmpty else { return }
    metrics.stories[metrics.stories.count - 1].soundOffsets.add(lead < .zero ? .zero - lead : lead)
  }

  /// The story goes on to the next by itself: the gap is counted from its last picture, or, where
  /// that one stayed longer than a picture does, from one picture before its end.
  mutating func storyFinished(_ slot: StorySlot, now: Instant) {
    close(.ended, slot, now: now)
    guard let lastPicture else { return }
    let interval = slot.playback.shown?.duration ?? .milliseconds(40)
    gapStart = max(lastPicture, now + .zero - min(interval, .milliseconds(100)))
  }

  mutating func fail(_ story: Story, reason: String) {
    let line = "cannot play \(story.shortName): \(reason)"
    if complained.insert(line).inserted { complaints.append(line) }
    events.note(.playback, .error, "cannot play \(story.loggedName): \(reason)")
    if isOpen, !metrics.stories.isEmpty { metrics.stories[metrics.stories.count - 1].error = line }
    keyPressed = nil
    gapStart = nil
  }

  /// Something of the current story is not as it should be, although it plays.
  mutating func note(_ words: String, of story: Story) {
    events.note(.playback, .warning, "\(story.loggedName): \(words)")
    if isOpen, !metrics.stories.isEmpty {
      metrics.stories[metrics.stories.count - 1].notes.append("\(story.shortName): \(words)")
    }
  }

  /// Ends the account of the current play; what ended already stays as it was.
  mutating func close(_ status: StoryMetrics.Status, _ slot: StorySlot?, now: Instant) {
    guard isOpen, !metrics.stories.isEmpty else { return }
    isOpen = false
    let index = metrics.stories.count - 1
    metrics.stories[index].status = status
    standsStill = nil
    guard let playback = slot?.playback else { return events.note(.playback, status.rawValue) }
    metrics.stories[index].kind = playback.info?.kind.name ?? metrics.stories[index].kind
    metrics.stories[index].framesDecoded = playback.framesDecoded
    metrics.stories[index].framesDropped = playback.framesDropped
    let position = status == .ended ? playback.end : nil
    metrics.stories[index].presentedMs = (position ?? playback.position(at: now)).milliseconds
    metrics.stories[index].waits = playback.stalls(at: now).count
    metrics.stories[index].waitedMs = playback.stalls(at: now).length(at: now).milliseconds
    metrics.stories[index].durationMs = playback.length?.milliseconds
    events.note(.playback, "\(status.rawValue) \(metrics.stories[index].inLog)")
  }

  // MARK: - For the log alone

  /// Notes where the story comes to stand still for want of bytes or pictures, and where it goes on.
  ///
  /// - Parameter rate: what the line gives at present, in bytes a second.
  mutating func watch(_ slot: StorySlot, rate: @autoclosure () -> UInt64?, now: Instant) {
    guard events.isOn(.playback) else { return }
    let playback = slot.playback
    let since = playback.standsSince
    if let (began, isSeek) = standsStill, since != began {
      standsStill = nil
      // What was left or paused meanwhile goes on another time.
      if !playback.state.isPaused || isSeek {
        events.note(
          .playback,
          "\(isSeek ? "sought picture" : "resume") at \(playback.position(at: now).logged) after "
            + (now - began).logged)
      }
    }
    guard standsStill == nil, let since else { return }
    let isSeek = playback.stalls(at: now).since == nil
    standsStill = (since, isSeek)
    if !isSeek {
      events.note(.playback, .warning, "stall at \(slot.wordsForStall(rate: rate(), now: now))")
    }
  }
}

extension StoryMetrics {
  /// What came of a story, for its last line in the log.
  fileprivate var inLog: String {
    func whole(_ number: Double) -> String { Words.fixed(number, digits: 0) }
    return "at \(whole(presentedMs)) ms: \(framesShown) pictures shown, "
      + "\(framesDropped) dropped, \(Words.count(waits, "stall")) of \(whole(waitedMs)) ms"
  }
}

extension StorySlot {
  /// Where it stands still, and what is known of why.
  fileprivate func wordsForStall(rate: UInt64?, now: Instant) -> String {
    let position = playback.position(at: now)
    var words = position.logged
    guard let progress, let total = progress.length, let length = playback.length, length > .zero
    else {
      return words + ": waits for bytes" + wordsForLine(rate: rate, needed: nil)
    }
    let reach = length * progress.reach(from: position.inSeconds / length.inSeconds)
    words += ": \(progress.heldBytes) of \(total) bytes are here, up to about \(reach.logged)"
    let needed = UInt64(Double(total) / length.inSeconds)
    return words + wordsForLine(rate: rate, needed: needed)
      + ", goes on with \(playback.stalls(at: now).resumeThreshold.logged) in hand"
  }

  private func wordsForLine(rate: UInt64?, needed: UInt64?) -> String {
    (rate.map { ", the line gives \($0) bytes/s" } ?? ", the line gives nothing")
      + (needed.map { ", it needs about \($0) bytes/s" } ?? "")
  }
}

extension MediaInfo.Kind {
  /// The kind's name in reports.
  var name: String {
    switch self {
    case .video: "video"
    case .picture: "picture"
    case .sound: "sound"
    case .animation: "animation"
    }
  }
}
