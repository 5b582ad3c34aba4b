import DecoderLink
import Testing

@testable import Player

@Suite struct PostersTests {
  private func poster(_ colour: UInt32, pixels: Int = 1 << 18) -> DecodedPicture {
    .at(0, width: pixels, height: 1, colour: colour)
  }

  @Test func poster_isTheFirstPictureOfItsStory() {
    var posters = Posters()
    #expect(posters[3] == nil)
    posters.note(poster(1), of: 3)
    posters.note(poster(2), of: 5)
    #expect(posters[3]?.bitmap.pixels.first == 1 && posters[5]?.bitmap.pixels.first == 2)
  }

  @Test func poster_thatIsNotedAgain_isReplaced() {
    var posters = Posters()
    for colour in 0..<20 as Range<UInt32> { posters.note(poster(colour), of: 0) }
    posters.note(poster(99), of: 1)
    #expect(posters[0]?.bitmap.pixels.first == 19 && posters[1] != nil)
  }

  /// All together have a million pixels.
  @Test func posters_thatWereNotedLongestAgo_makeRoom() {
    var posters = Posters()
    for story in 0..<4 { posters.note(poster(0), of: story) }
    #expect((0..<4).allSatisfy { posters[$0] != nil })
    posters.note(poster(7), of: 0)
    posters.note(poster(0), of: 4)
    // 0 was noted again, so that 1 is the oldest.
    #expect(posters[1] == nil)
    #expect([0, 2, 3, 4].allSatisfy { posters[$0] != nil })
  }

  @Test func poster_thatIsLargerThanAllRoom_isNotKept() {
    var posters = Posters()
    posters.note(poster(0), of: 0)
    posters.note(poster(0, pixels: 1 << 20 + 1), of: 1)
    #expect(posters[1] == nil)
    posters.note(poster(3), of: 2)
    #expect(posters[2] != nil)
  }
}
