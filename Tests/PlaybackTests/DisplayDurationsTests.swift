import Playback
import Testing

/// Pictures last `image-time`, animations one time through, but at least 3 s; a feed may say
/// otherwise for both.
@Suite struct DisplayDurationsTests {
  @Test(arguments: [(nil, 5, 3), (8, 8, 8), (1, 1, 1)] as [(Int?, Int, Int)])
  func init_followsTheFeed_elseTheViewer(own: Int?, picture: Int, animation: Int) {
    let durations = DisplayDurations(own: own.map { .seconds($0) }, imageTime: .seconds(5))
    #expect(durations.picture == .seconds(picture))
    #expect(durations.animation == .seconds(animation))
  }
}
