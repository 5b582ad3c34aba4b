import Testing

@testable import Decoding

/// Jumps of clocks are corrected, and gaps stay.
@Suite struct TimelineTests {
  private static let picture = Duration.milliseconds(40)
  private static let sound = Duration.milliseconds(20)

  /// Packets of a part of a recording: pictures (0) and sound (1) in the order of a file, the sound a
  /// little later than its pictures.
  private static func stretch(
    at start: Duration, seconds: Double, pictures: Bool = true, sounds: Bool = true,
    step: Duration = picture
  ) -> [Timeline.Packet] {
    var packets: [(Duration, Timeline.Packet)] = []
    if pictures {
      for (number, time) in times(start, seconds, step).enumerated() {
        packets.append(
          (
            time - .milliseconds(300),
            Timeline.Packet(
              stream: 0, time: time, duration: picture, isVideo: true, isKey: number == 0)
          ))
      }
    }
    if sounds {
      for time in times(start, seconds, sound) {
        packets.append(
          (
            time,
            Timeline.Packet(
              stream: 1, time: time, duration: sound, isVideo: false, isKey: true)
          ))
      }
    }
    return packets.sorted { $0.0 < $1.0 }.map(\.1)
  }

  private static func times(_ start: Duration, _ seconds: Double, _ step: Duration) -> [Duration] {
    (0..<Int((seconds / (step / .seconds(1))).rounded())).map { start + step * $0 }
  }

  /// The corrected times of each stream in milliseconds, as in a router.
  private static func placed(_ packets: [Timeline.Packet]) -> [Int: [Int]] {
    var timeline = Timeline()
    var result: [Int: [Int]] = [:]
    func hand(_ packet: Timeline.Packet, _ verdict: Timeline.Verdict?) -> Bool {
      guard let offset = timeline.place(packet, verdict: verdict) else { return false }
      if let time = packet.time {
        result[packet.stream, default: []].append(
          Int(((time + offset) / .milliseconds(1)).rounded()))
      }
      return true
    }
    var index = 0
    while index < packets.count {
      if hand(packets[index], nil) {
        index += 1
        continue
      }
      var lookahead = Timeline.Lookahead(timeline, at: packets[index])
      var verdict: Timeline.Verdict?
      for packet in packets[(index + 1)...] where verdict == nil {
        verdict = lookahead.look(packet)
      }
      _ = hand(packets[index], verdict ?? lookahead.alone)
      index += 1
    }
    return result
  }

  /// How many times do not follow the one before at the usual pace, and the last.
  private static func breaks(_ times: [Int], step: Int) -> (count: Int, last: Int) {
    let count = zip(times, times.dropFirst()).filter { abs($1 - $0 - step) > 100 }.count
    return (count, times.last ?? -1)
  }

  private static let jumps: [Duration] = [
    .seconds(600), .seconds(-1_000), .seconds(95_443), .seconds(5), .milliseconds(2_500),
    .milliseconds(-1_500), .milliseconds(800), .seconds(10), .seconds(-5),
  ]

  @Test(arguments: jumps) func jump_ofBothStreams_isJoinedUp(by jump: Duration) {
    let start = Duration.seconds(2_000)
    let placed = Self.placed(
      Self.stretch(at: start, seconds: 2)
        + Self.stretch(at: start + .seconds(2) + jump, seconds: 2)
        + Self.stretch(at: start, seconds: 2))
    let pictures = Self.breaks(placed[0] ?? [], step: 40)
    let sounds = Self.breaks(placed[1] ?? [], step: 20)
    #expect(pictures.count == 0 && sounds.count == 0)
    #expect(abs(pictures.last - 2_005_960) <= 100 && abs(sounds.last - 2_005_980) <= 100)
    // By the same amount: what was recorded together is played together.
    #expect(abs(pictures.last - sounds.last) <= 25)
  }

  @Test(arguments: jumps.filter { $0 < .zero || $0 > .seconds(10) }, [false, true])
  func jump_ofTheOnlyStream_isJoinedUp(by jump: Duration, isSound: Bool) {
    let start = Duration.seconds(2_000)
    let placed = Self.placed(
      [start, start + .seconds(2) + jump].flatMap {
        Self.stretch(at: $0, seconds: 2, pictures: !isSound, sounds: isSound)
      })
    let times = Self.breaks(placed[isSound ? 1 : 0] ?? [], step: isSound ? 20 : 40)
    #expect(times.count == 0)
    #expect(times.last == (isSound ? 2_003_980 : 2_003_960))
  }

  @Test func jump_ofTheSoundAlone_leavesThePictures() {
    let jumped = Self.stretch(at: .zero, seconds: 8).map { packet in
      var packet = packet
      if packet.stream == 1, let time = packet.time, time >= .seconds(4) {
        packet.time = time + .seconds(600)
        packet.shown = packet.time
      }
      return packet
    }
    let placed = Self.placed(jumped)
    #expect(placed[0] == Array(stride(from: 0, to: 8_000, by: 40)))
    #expect(abs((placed[1]?.last ?? 0) - 7_980) <= 500)
  }

  /// A picture every five seconds beside a sound that goes on.
  @Test func slides_besideASound_keepTheirTimes() {
    let packets = Self.stretch(at: .seconds(1), seconds: 30, step: .seconds(5))
    #expect(Self.placed(packets)[0] == [1, 6, 11, 16, 21, 26].map { $0 * 1_000 })
    #expect(Self.placed(packets)[1] == Array(stride(from: 1_000, to: 31_000, by: 20)))
  }

  @Test(arguments: [3, 8, 60]) func silence_besidePictures_keepsItsLength(seconds: Int) {
    let packets = Self.stretch(at: .zero, seconds: Double(seconds) + 4).filter { packet in
      packet.stream == 0
        || packet.time.map { $0 < .seconds(2) || $0 >= .seconds(2 + seconds) } ?? true
    }
    let placed = Self.placed(packets)
    #expect(placed[0] == Array(stride(from: 0, to: seconds * 1_000 + 4_000, by: 40)))
    #expect(placed[1]?.last == seconds * 1_000 + 3_980)
  }

  /// Pictures of a variable rate, alone.
  @Test func variableRate_keepsItsTimes() {
    let steps = [40, 40, 900, 40, 3_000, 120, 40, 8_000, 40]
    var time = 0
    var packets: [Timeline.Packet] = []
    for step in steps {
      packets.append(
        Timeline.Packet(
          stream: 0, time: .milliseconds(time), duration: Self.picture, isVideo: true, isKey: true))
      time += step
    }
    #expect(Self.placed(packets)[0]?.last == steps.dropLast().reduce(0, +))
  }

  @Test func packet_withoutATime_isPlacedLikeTheOnesBefore() {
    var timeline = Timeline(offset: .seconds(3))
    let packet = Timeline.Packet(
      stream: 0, time: nil, duration: nil, isVideo: true, isKey: false)
    #expect(timeline.place(packet) == .seconds(3))
  }
}
