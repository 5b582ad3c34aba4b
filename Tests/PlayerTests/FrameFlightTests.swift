import Pictures
import System
import Testing

@testable import Player

extension FrameFlight {
  /// The next frame, of these bytes.
  fileprivate mutating func begin(_ bytes: [UInt8], at now: Instant) {
    let count = begin(at: now) { $0.append(bytes) }
    #expect(count == bytes.count)
  }
}

@Suite struct FrameFlightTests {
  private let start = Instant.now

  private func at(_ milliseconds: Int) -> Instant { start + .milliseconds(milliseconds) }

  /// Sends a frame that takes so long.
  private func send(
    _ flight: inout FrameFlight, from begin: Int, for milliseconds: Int, size: Int = 10
  ) {
    flight.begin([UInt8](repeating: 1, count: size), at: at(begin))
    flight.send(at: at(begin)) { _ in 0 }
    flight.send(at: at(begin + milliseconds)) { $0.count }
  }

  @Test func frame_isSentInTheOrderOfItsBytes_asFarAsTheTerminalTakesIt() {
    var flight = FrameFlight()
    var taken: [UInt8] = []
    flight.begin(Array(0..<100), at: start)
    var room = 0
    for amount in [0, 7, 0, 30, 1, 200] {
      room = amount
      flight.send(at: start) { bytes in
        let count = min(room, bytes.count)
        taken += bytes.prefix(count)
        room -= count
        return count
      }
      #expect(flight.isBusy == (taken.count < 100))
    }
    #expect(taken == Array(0..<100))
  }

  @Test func emptyFrame_isSentAtOnce() {
    var flight = FrameFlight()
    flight.begin([], at: start)
    #expect(!flight.isBusy)
    flight.send(at: at(5)) { _ in
      Issue.record("nothing is to be sent")
      return nil
    }
    #expect(flight.isFast)
  }

  /// A short rest is tried when something else happens, and after 2 ms; from then on the terminal says
  /// when it is ready.
  @Test func shortRest_waitsOnce() {
    var flight = FrameFlight()
    var room = 0
    func send(_ microseconds: Int) {
      flight.send(at: start + .microseconds(microseconds)) { bytes in
        defer { room = 0 }
        return min(room, bytes.count)
      }
    }
    flight.begin([UInt8](repeating: 1, count: 60_000), at: start)
    send(0)
    #expect(flight.restDue == nil)
    room = 60_000 - 32_769
    send(100)
    #expect(flight.restDue == nil)
    room = 1
    send(200)
    #expect(flight.restDue == start + .microseconds(2_200))
    // The terminal takes a bit of it: the rest does not wait anew.
    room = 100
    send(1_000)
    #expect(flight.restDue == start + .microseconds(2_200))
    send(2_200)
    #expect(flight.isBusy && flight.restDue == nil)
    room = 10
    send(2_300)
    #expect(flight.isBusy && flight.restDue == nil)
    room = 60_000
    send(2_400)
    #expect(!flight.isBusy && flight.restDue == nil)
    // So does that of the next frame, and one that goes with something else is through.
    flight.begin([1, 2], at: start)
    send(0)
    #expect(flight.restDue == start + .milliseconds(2))
    room = 2
    send(500)
    #expect(!flight.isBusy && flight.restDue == nil)
  }

  @Test func urgentFrame_restsNever() {
    var flight = FrameFlight()
    _ = flight.begin(at: start, isUrgent: true) { $0.append([1, 2, 3]) }
    flight.send(at: start) { _ in 0 }
    #expect(flight.isBusy && flight.restDue == nil)
    // The next one is as usual.
    flight.send(at: start) { $0.count }
    flight.begin([4], at: start)
    flight.send(at: start) { _ in 0 }
    #expect(flight.restDue == start + .milliseconds(2))
  }

  @Test func terminalThatIsGone_dropsTheRest() {
    var flight = FrameFlight()
    flight.begin([1, 2, 3], at: start)
    flight.send(at: start) { _ in 0 }
    flight.send(at: start) { _ in nil }
    #expect(!flight.isBusy && flight.restDue == nil)
    flight.begin([4], at: start)
    #expect(flight.isBusy)
  }

  @Test(arguments: [(14, true), (15, false), (400, false)])
  func line_isFast_whereFramesTakeLessThan15Milliseconds(took: Int, isFast: Bool) {
    var flight = FrameFlight()
    send(&flight, from: 0, for: took)
    #expect(flight.isFast == isFast)
  }

  @Test func slowTerminal_getsCoarserPictures_andFinerOnesAgain() {
    var flight = FrameFlight()
    let (least, most) = (Coarseness.tolerances.lowerBound, Coarseness.tolerances.upperBound)
    #expect(flight.tolerance == least)
    // A frame that is looked at each 100 ms and does not go.
    flight.begin([1], at: start)
    for look in 1...30 { flight.send(at: at(100 * look)) { _ in 0 } }
    #expect(flight.tolerance == most)
    flight.send(at: at(3_100)) { $0.count }
    #expect(flight.tolerance == most)
    // Then it is fast; the mean of the last frames counts.
    var before = most
    for frame in 1...60 {
      send(&flight, from: 4_000 + 40 * frame, for: 1)
      #expect((before - 1...before).contains(flight.tolerance))
      before = flight.tolerance
    }
    #expect(flight.tolerance == least && flight.isFast)
  }

  @Test func frameUnderWay_for50Milliseconds_isNotSlowYet() {
    var flight = FrameFlight()
    flight.begin([1], at: start)
    flight.send(at: at(50)) { _ in 0 }
    #expect(flight.tolerance == Coarseness.tolerances.lowerBound)
    flight.send(at: at(51)) { _ in 0 }
    #expect(flight.tolerance == Coarseness.tolerances.lowerBound + 1)
    #expect(!flight.isFast)
  }

  /// However much the terminal takes.
  @Test func limit_holdsAtEachMoment_andTheLineIsNeverIdle() {
    var flight = FrameFlight(bandwidth: 100_000)
    flight.begin([UInt8](repeating: 1, count: 10_000), at: start)
    var sent = 0
    var time = start
    while flight.isBusy {
      flight.send(at: time) { bytes in
        sent += bytes.count
        return bytes.count
      }
      // 2 kB at once, and then 100 a millisecond.
      let elapsed = (time - start) / .milliseconds(1)
      #expect(sent == 2_000 + Int((elapsed * 100).rounded()))
      guard flight.isBusy else { break }
      guard let due = flight.restDue else {
        Issue.record("nothing says when the rest goes")
        return
      }
      time = due
    }
    #expect(sent == 10_000)
    #expect(time == at(80))
    // What was not used is not saved for long.
    flight.begin([UInt8](repeating: 1, count: 10_000), at: at(5_000))
    flight.send(at: at(5_000)) { bytes in
      #expect(bytes.count == 2_000)
      return bytes.count
    }
    // At the end all goes.
    flight.send(at: at(5_000), isLimited: false) { bytes in
      #expect(bytes.count == 8_000)
      return bytes.count
    }
    #expect(!flight.isBusy && flight.restDue == nil)
  }
}
