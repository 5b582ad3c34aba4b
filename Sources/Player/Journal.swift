import Playback
import Reactions
import Stories
import System

/// Somebody who follows what happens to the story that plays.
protocol JournalReader: AnyObject {
  func read(_ event: Journal.Event, at now: Instant)
}

/// What happens to the stories of a run, in its order. The report, the log, the history, the screen and
/// the reactions read it, and know the current story from nowhere else.
///
/// A play of a story goes from `began` to `ended` or `withdrawn`. What is noted of a play while there
/// is none is dropped.
final class Journal {
  enum Event: Equatable {
    /// A key was pressed that another story's first picture answers.
    case keyPressed
    /// A story's turn has come; nothing of it is on the screen.
    case began(number: Int, Story, slide: Director.Slide?)
    /// The play that has begun does not count: others have used up the story's views.
    case withdrawn
    /// A picture from an earlier play stands for the story.
    case posterShown
    /// A picture of the story comes on the screen.
    case pictureShown
    /// What came on the screen counts as another picture: the picture that follows a poster is the
    /// same one.
    case newPicture
    /// A frame was painted that takes so many bytes.
    case painted(bytes: Int)
    /// The terminal has taken all bytes, while the sound was so far ahead of the picture; nil where
    /// no sound is heard.
    case drained(soundLead: Duration?)
    /// The first picture is on the screen.
    case firstPicture(FirstPicture)
    /// Something in the story is not as it should be, although it plays: in words that follow "NAME: ".
    case noted(String)
    /// How the story plays at present.
    case watched(PlaybackReading)
    /// It stands still for want of bytes.
    case stalled(at: Duration, StallFacts)
    /// It goes on after a stall, or shows the picture that was sought.
    case resumed(at: Duration, after: Duration, isSeek: Bool)
    /// It cannot be played (further): the reason in words that follow "cannot play NAME: ".
    case failed(reason: String)
    /// The play is over; `pictures` of it were shown.
    case ended(Showing.End, pictures: Int, PlaybackSummary?)
    /// All stories have played, and the end card is on the screen.
    case endCard
    /// All stories have played, and the program ends.
    case allPlayed
    /// The program ends within the stories: a later run can go on from here.
    case stopped(story: Int, position: Duration)
  }

  /// How long the viewer waited for a first picture.
  struct FirstPicture: Equatable {
    /// Since the story's turn came.
    var wait: Duration
    /// Since the key that asked for the story.
    var sinceKey: Duration?
    /// Since the last picture of the story before, which has played to its end.
    var gap: Duration?
  }

  /// What the next first picture is measured from.
  private enum Cause {
    case key(Instant)
    case lastPicture(Instant)
  }

  private struct Play {
    let began: Instant
    var pictures = 0
    var lastPicture: Instant?
    /// The picture on the screen is one from an earlier play.
    var showsPoster = false
    /// A new picture is under way to the terminal.
    var awaitsScreen = false
    /// Since when it stands still, and whether because the viewer has sought in it.
    var standing: PlaybackReading.Standing?
  }

  private let readers: [any JournalReader]
  private var play: Play?
  private var cause: Cause?

  /// - Parameter readers: read each event in this order.
  init(readers: [any JournalReader]) { self.readers = readers }

  /// Since when the story is known to stand still.
  var standsSince: Instant? { play?.standing?.since }

  /// Whether `drained` is of interest.
  var awaitsScreen: Bool { play?.awaitsScreen ?? false }

  /// Notes that the play is over; a play is over only once.
  func end(_ how: Showing.End, _ summary: PlaybackSummary?, at now: Instant) {
    guard let play else { return }
    self.play = nil
    if how == .ended, let last = play.lastPicture {
      // From its last picture, or, where that stayed longer than a picture does, from one picture
      // before its end.
      let interval = summary?.lastPictureDuration ?? .milliseconds(40)
      cause = .lastPicture(max(last, now + .zero - min(interval, .milliseconds(100))))
    }
    publish(.ended(how, pictures: play.pictures, summary), at: now)
  }

  /// Notes what has happened.
  func note(_ event: Event, at now: Instant) {
    switch event {
    case .keyPressed: cause = .key(now)
    case .began: play = Play(began: now)
    // A story that rests after its end may still have notes.
    case .noted, .endCard, .allPlayed, .stopped: break
    default:
      guard play != nil else { return }
    }
    publish(event, at: now)
    switch event {
    case .withdrawn: play = nil
    case .failed: cause = nil
    case .posterShown:
      play?.showsPoster = true
      addPicture(at: now)
    case .pictureShown:
      if play?.showsPoster != true { addPicture(at: now) }
      play?.showsPoster = false
    case .drained: drained(at: now)
    case .watched(let reading): watch(reading, at: now)
    default: break
    }
  }

  private func publish(_ event: Event, at now: Instant) {
    for reader in readers { reader.read(event, at: now) }
  }

  private func addPicture(at now: Instant) {
    play?.pictures += 1
    play?.lastPicture = now
    play?.awaitsScreen = true
    publish(.newPicture, at: now)
  }

  private func drained(at now: Instant) {
    guard let play, play.awaitsScreen else { return }
    self.play?.awaitsScreen = false
    guard play.pictures == 1 else { return }
    var first = FirstPicture(wait: now - play.began)
    switch cause {
    case .key(let pressed): first.sinceKey = now - pressed
    case .lastPicture(let shown): first.gap = now - shown
    case nil: break
    }
    cause = nil
    publish(.firstPicture(first), at: now)
  }

  private func watch(_ reading: PlaybackReading, at now: Instant) {
    if let before = play?.standing, before.since != reading.standing?.since {
      play?.standing = nil
      // What was paused meanwhile goes on another time.
      if !reading.isPaused || before.isSeek {
        publish(
          .resumed(at: reading.position, after: now - before.since, isSeek: before.isSeek), at: now)
      }
    }
    guard play?.standing == nil, let standing = reading.standing else { return }
    play?.standing = standing
    if !standing.isSeek {
      publish(.stalled(at: reading.position, standing.facts ?? StallFacts()), at: now)
    }
  }
}

extension ReactionDesk: JournalReader {
  func read(_ event: Journal.Event, at now: Instant) {
    switch event {
    case .began(_, let story, _): storyBegan(story, at: now)
    case .endCard: storyBegan(nil, at: now)
    default: break
    }
  }
}
