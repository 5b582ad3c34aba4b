import Resources
import Stories
import System

/// Notes in the log what happens to the story that plays.
final class PlaybackLog: JournalReader {
  private let log: Log
  /// The story that plays, or played last.
  private var name = ""

  init(_ log: Log) { self.log = log }

  func read(_ event: Journal.Event, at now: Instant) {
    switch event {
    case .began(_, let story, _):
      name = story.loggedName
      log.note(.playback, "begin \(story.loggedSource)")
    case .withdrawn: log.note(.playback, "withdrawn")
    case .firstPicture(let first):
      log.note(.playback, "first picture after \(PlaybackLog.milliseconds(first.wait, 1))")
      if let gap = first.gap {
        let words = PlaybackLog.milliseconds(gap, 1)
        log.note(.playback, "\(words) after the last story's last picture")
      }
    case .noted(let words): log.note(.playback, .warning, "\(name): \(words)")
    case .stalled(let position, let facts):
      log.note(.playback, .warning, "stall at \(position.logged)\(facts.words)")
    case .resumed(let position, let wait, let isSeek):
      let what = isSeek ? "sought picture" : "resume"
      log.note(.playback, "\(what) at \(position.logged) after \(wait.logged)")
    case .failed(let reason): log.note(.playback, .error, "cannot play \(name): \(reason)")
    case .ended(let how, let pictures, let summary):
      log.note(
        .playback, how.rawValue + (summary.map { PlaybackLog.words(for: $0, pictures) } ?? ""))
    case .endCard: log.note(.playback, "end card")
    case .keyPressed, .posterShown, .pictureShown, .newPicture, .painted, .drained, .watched,
      .allPlayed, .stopped:
      break
    }
  }

  private static func milliseconds(_ duration: Duration, _ digits: Int = 0) -> String {
    "\(Format.fixed(duration.milliseconds, digits: digits)) ms"
  }

  private static func words(for summary: PlaybackSummary, _ pictures: Int) -> String {
    " at \(milliseconds(summary.presented)): \(Format.count(pictures, "picture")) shown, "
      + "\(summary.framesDropped) dropped, \(Format.count(summary.stalls, "stall")) of "
      + milliseconds(summary.stalled)
  }
}

extension StallFacts {
  /// What follows the position in the log.
  fileprivate var words: String {
    let line = rate.map { ", the line gives \($0) bytes/s" } ?? ", the line gives nothing"
    guard let bytes else { return ": waits for bytes" + line }
    return ": \(bytes.held) of \(bytes.total) bytes are here, up to about \(bytes.reach.logged)"
      + line + ", it needs about \(bytes.needed) bytes/s"
      + ", goes on with \(bytes.threshold.logged) in hand"
  }
}
