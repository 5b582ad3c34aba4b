import DecoderLink
import Decoders
import Resources
import Stories
import System

/// Saves the picture that the viewer sees, in the story's own size, by a decoder of its own.
package final class StillSaver: LoopSource {
  private let grabber: FrameGrabber
  private let name: String
  /// What became of it, in words for the viewer; nil until that is known.
  private(set) var outcome: String?

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
      grabber = try FrameGrabber(
        from: pool, resource: resource, opener: opener, at: moment, shape: shape)
    } catch {
      throw ResourceError("the decoder does not start: \(error.reason)")
    }
    name = StillSaver.fileName(for: story, at: moment)
  }

  var interest: Interest? { grabber.interest }
  var deadline: Instant? { grabber.deadline }

  func service(_ readiness: Readiness, now: Instant) {
    guard outcome == nil else { return }
    switch grabber.service(readiness, now: now) {
    case .picture(let picture): outcome = save(picture.bitmap)
    case .nothing, .onlyFirst: outcome = "there is no picture to save"
    case .failed(let reason): outcome = "cannot save a still: \(reason)"
    case nil: break
    }
  }

  /// Restarts the time that the decoder has: the player itself was stopped meanwhile.
  func forgive() { grabber.forgive() }

  func close() { grabber.close() }

  private func save(_ bitmap: Bitmap) -> String {
    let channels = bitmap.pixels.flatMap { pixel in
      [16, 8, 0].map { UInt8(truncatingIfNeeded: pixel >> $0) }
    }
    let bytes = PNGWriter.file(
      width: bitmap.width, height: bitmap.height, .redGreenBlue, pixels: channels)
    guard let bytes else { return "cannot save a still: out of memory" }
    do {
      return "saved \(try NewFile.write(bytes, name: name, suffix: ".png"))"
    } catch {
      return "cannot save a still: \(error.reason)"
    }
  }

  /// A name of letters, digits and hyphens, safe for shells and file managers.
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
