import DecoderLink
import Playback
import Testing

@Suite struct PictureQueueTests {
  private func queue(_ milliseconds: [Int]) -> PictureQueue {
    var queue = PictureQueue()
    for time in milliseconds {
      queue.append(
        DecodedPicture(
          serial: 0, time: .milliseconds(time), duration: nil,
          bitmap: Bitmap(width: 1, height: 1, pixels: [0])))
    }
    return queue
  }

  @Test(
    arguments: [
      (39, nil, 0, 3), (40, 40, 0, 2), (79, 40, 0, 2), (80, 80, 1, 1), (500, 120, 2, 0),
    ] as [(Int, Int?, Int, Int)])
  func takeDue_takesTheNewestThatIsDue(at time: Int, taken: Int?, late: Int, left: Int) {
    var queue = queue([40, 80, 120])
    let due = queue.takeDue(at: .milliseconds(time))
    #expect(due?.picture.time == taken.map { .milliseconds($0) })
    #expect(due?.late ?? 0 == late)
    #expect(queue.count == left)
  }

  @Test func takeFirst_ignoresTimes() {
    var queue = queue([40, 80])
    #expect(queue.takeFirst()?.time == .milliseconds(40))
    #expect(queue.nextDue == .milliseconds(80))
  }
}
