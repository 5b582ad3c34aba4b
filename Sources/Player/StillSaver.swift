import DecoderLink
import Decoders
import Resources
import Stories
import System

/// Saves the picture that the viewer sees, in the story's own size, by a decoder of its own.
package final class StillSaver {
  private let session: DecoderSession
  private let name: String
  private let moment: Duration
  private var hasSought = false

  /// What became of it, in words for the viewer.
  struct Outcome {
    let words: String
  }

  /// The most pixels that one message of a decoder carries.
  private static let mostPixels = 4_000_000.0

  init(
    of story: Story, at moment: Duration, info: MediaInfo, bytes: StoryBytes, pool: DecoderPool
  ) throws(ResourceError) {
    let (resource, opener) = try bytes.open(story)
    let width = Double(max(1, info.displayWidth))
    let height = Double(max(1, info.displayHeight))
    let scale = min(1, (StillSaver.mostPixels / (width * height)).squareRoot())
    let shape = PictureRequest(
      width: UInt32(max(1, width * scale)), height: UInt32(max(1, height * scale)))
    do {
      session = try DecoderSession(
        from: pool, telling: resource, opener: opener, shape: shape, waits: true)
    } catch {
      throw ResourceError("the decoder does not start: \(error.reason)")
    }
    self.moment = moment
    name = StillSaver.fileName(for: story, at: moment)
    session.allow(pictures: 1)
  }

  var interest: Interest { Interest(session.descriptor, writing: session.wantsToWrite) }
  var deadline: Instant? { session.deadline }

  /// Goes on; what became of it once that is known.
  func service(_ readiness: Readiness, now: Instant) -> Outcome? {
    for event in session.service(readiness, now: now) {
      switch event {
      case .picture(let picture):
        if moment > .zero, !hasSought {
          hasSought = true
          session.allow(pictures: 1)
          session.seek(to: moment)
        } else {
          return save(picture)
        }
      case .ended: return Outcome(words: "there is no picture to save")
      case .failed(let reason): return Outcome(words: "cannot save a still: \(reason)")
      case .opened, .sound, .soundEnded, .note: break
      }
    }
    return nil
  }

  /// The player itself stood still for a while.
  func forgive() { session.forgive() }

  func close() { session.close() }

  private func save(_ picture: DecodedPicture) -> Outcome {
    let channels = picture.pixels.flatMap { pixel in
      [16, 8, 0].map { UInt8(truncatingIfNeeded: pixel >> $0) }
    }
    let bytes = PNGWriter.file(
      width: Int(picture.width), height: Int(picture.height), .redGreenBlue, pixels: channels)
    guard let bytes else { return Outcome(words: "cannot save a still: out of memory") }
    do {
      return Outcome(words: "saved \(try NewFile.write(bytes, name: name, suffix: ".png"))")
    } catch {
      return Outcome(words: "cannot save a still: \(error.reason)")
    }
  }

  /// A name that no shell or file manager stumbles over.
  package static func fileName(for story: Story, at moment: Duration) -> String {
    let plain = story.shortName.unicodeScalars.prefix(60).map { scalar in
      scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
        ? Character(scalar) : "-"
    }
    let base = String(plain).split(separator: "-").joined(separator: "-")
    let milliseconds = Int(moment.milliseconds)
    return "\(base.isEmpty ? "story" : base)-\(milliseconds)ms"
  }
}
