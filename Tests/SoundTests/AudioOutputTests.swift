import Sound
import System
import Testing

/// The thread's steps on a device and a clock that the test moves.
@Suite struct AudioOutputTests {
  private let start = Instant.now

  /// A speaker, the output of its device, and time.
  private final class Room {
    let speaker: Speaker
    var output: AudioOutput
    var now: Instant
    private(set) var next: Instant?

    init(at now: Instant, opening: @escaping AudioOutput.Opening) throws {
      let state = try SpeakerState()
      speaker = Speaker(state)
      output = AudioOutput(state, open: opening)
      self.now = now
    }

    /// One step; the first one after a device was opened is followed by the next at once.
    func step(after time: Duration = .zero) {
      now = now + time
      repeat { next = output.step(at: now) } while next == now
    }

    /// Time passes in steps of 25 ms in which the device plays.
    func play(_ device: FakeDevice, for time: Duration) {
      var left = time
      while left > .zero {
        let part = min(left, .milliseconds(25))
        left -= part
        device.heard = min(device.frames, device.heard + SoundFormat.frames(part))
        step(after: part)
      }
    }
  }

  private func room(_ device: FakeDevice) throws -> Room {
    try Room(at: start) { () throws(DeviceFault) in device }
  }

  private func voice(_ room: Room, seconds: Int = 1) -> Voice {
    let voice = room.speaker.makeVoice()
    voice.add(Waves.counting(48_000 * seconds), at: .zero)
    return voice
  }

  @Test func play_startsTheDeviceAndItsClock() throws {
    let device = FakeDevice()
    let room = try room(device)
    let voice = voice(room)
    #expect(!room.speaker.isOpen)
    room.speaker.play(voice, from: .milliseconds(500))
    #expect(voice.time(at: room.now) == nil)
    room.step()
    #expect(room.speaker.isOpen && device.isStarted)
    #expect(device.frames == 4800)
    #expect(Waves.left(device.written)[0..<3] == Waves.counted(24_001..<24_004)[...])
    #expect(voice.time(at: room.now) == .milliseconds(500))
    #expect(voice.time(at: room.now + .milliseconds(10)) == .milliseconds(510))
    room.play(device, for: .milliseconds(250))
    #expect(voice.time(at: room.now) == .milliseconds(750))
    #expect(Waves.left(device.written) == Waves.counted(24_001..<24_001 + device.frames))
  }

  @Test func time_isNeverBeyondWhatWasWritten() throws {
    let device = FakeDevice()
    let room = try room(device)
    let voice = voice(room)
    room.speaker.play(voice, from: .zero)
    room.step()
    #expect(voice.time(at: room.now + .seconds(5)) == .milliseconds(100))
  }

  @Test func start_waitsFor20MillisecondsOfSamples() throws {
    let device = FakeDevice()
    let room = try room(device)
    let voice = room.speaker.makeVoice()
    room.speaker.play(voice, from: .zero)
    room.step()
    voice.add(Waves.counting(959), at: .zero)
    room.step()
    #expect(!device.isStarted && voice.isStarved)
    voice.add(Waves.counting(1), at: .milliseconds(20))
    room.step()
    #expect(device.isStarted && !voice.isStarved)
  }

  @Test func pause_isSilentAtOnceAndGoesOnWhereItWas() throws {
    let device = FakeDevice()
    let room = try room(device)
    let voice = voice(room)
    room.speaker.play(voice, from: .zero)
    room.step()
    room.play(device, for: .milliseconds(100))
    device.heard += 480
    room.speaker.setPaused(true)
    room.step(after: .milliseconds(10))
    #expect(device.drops == 1 && !device.isStarted)
    #expect(device.frames == 5280)
    #expect(voice.time(at: room.now) == nil)
    room.step(after: .seconds(2))
    #expect(device.drops == 1 && device.frames == 5280)
    room.speaker.setPaused(false)
    room.step()
    #expect(device.isStarted)
    #expect(voice.time(at: room.now) == .milliseconds(110))
    // Nothing is lost or heard twice.
    #expect(Waves.left(device.written) == Waves.counted(1..<device.frames + 1))
  }

  /// A sound server that hangs keeps the thread in the library.
  @Test func device_thatDoesNotAnswer_isSaidOnce() throws {
    let door = try Waker()
    let speaker = Speaker(try SpeakerState()) { () throws(DeviceFault) in
      _ = try? awaitReadiness(of: [Interest(door.number)], until: nil)
      return FakeDevice()
    }
    speaker.want()
    speaker.watch(at: .now)
    #expect(speaker.takeNotices() == [])
    var notices: [SoundNotice] = []
    let deadline = Instant.now + .seconds(20)
    while notices.isEmpty, Instant.now < deadline {
      speaker.watch(at: .now + .seconds(4))
      notices += speaker.takeNotices()
    }
    speaker.watch(at: .now + .seconds(8))
    #expect(notices == [.lost("the sound device does not answer")])
    #expect(speaker.takeNotices() == [])
    door.wake()
    while notices.count < 2, Instant.now < deadline {
      _ = try awaitReadiness(of: [Interest(speaker.descriptor)], until: .now + .milliseconds(50))
      notices += speaker.takeNotices()
    }
    #expect(notices.last == .back && speaker.isOpen)
    speaker.close()
  }

  /// A pause that is over before the device has begun again does not make the sound count as over.
  @Test func moment_ofAShortPause_isUnknown_andOfTheEndOver() throws {
    let device = FakeDevice()
    let room = try room(device)
    let voice = voice(room)
    #expect(voice.moment(at: room.now) == .over)
    room.speaker.play(voice, from: .zero)
    voice.finish(at: .seconds(1))
    #expect(voice.moment(at: room.now) == .unknown)
    room.step()
    room.play(device, for: .milliseconds(100))
    #expect(voice.moment(at: room.now) == .heard(.milliseconds(100)))
    room.speaker.setPaused(true)
    room.step()
    room.speaker.setPaused(false)
    #expect(voice.moment(at: room.now) == .unknown)
    room.step()
    #expect(voice.moment(at: room.now) == .heard(.milliseconds(100)))
    room.play(device, for: .milliseconds(1000))
    #expect(voice.moment(at: room.now) == .over)
  }

  @Test func cut_isSilentAtOnce() throws {
    let device = FakeDevice()
    let room = try room(device)
    let (first, second) = (voice(room), voice(room))
    room.speaker.play(first, from: .zero)
    room.step()
    room.speaker.cut()
    #expect(first.time(at: room.now) == nil)
    room.step()
    #expect(device.drops == 1 && device.frames == 0)
    room.speaker.play(second, from: .milliseconds(1))
    #expect(second.time(at: room.now) == nil)
    room.step()
    #expect(Waves.left(device.written).prefix(2) == [49, 50])
    #expect(second.time(at: room.now) == .milliseconds(1))
  }

  @Test func queue_behindAStoryThatEnds_leavesNoGap() throws {
    let device = FakeDevice()
    let room = try room(device)
    let (first, second) = (voice(room), room.speaker.makeVoice())
    second.add(Waves.counting(48_000, from: 48_001), at: .zero)
    room.speaker.play(first, from: .zero)
    room.step()
    let isEarly = room.speaker.queue(second, from: .zero)
    #expect(!isEarly)
    first.finish(at: .seconds(1))
    let isQueued = room.speaker.queue(second, from: .zero)
    #expect(isQueued)
    room.play(device, for: .milliseconds(900))
    #expect(second.time(at: room.now) == .milliseconds(-100))
    room.play(device, for: .milliseconds(600))
    #expect(first.time(at: room.now) == nil)
    #expect(second.time(at: room.now) == .milliseconds(500))
    #expect(device.drops == 0)
    #expect(Waves.left(device.written) == Waves.counted(1..<device.frames + 1))
  }

  @Test func queue_withNothingBefore_startsAtItsTime() throws {
    let device = FakeDevice()
    let room = try room(device)
    let voice = voice(room)
    let isQueued = room.speaker.queue(voice, from: .milliseconds(250))
    #expect(isQueued)
    room.step()
    #expect(voice.time(at: room.now) == .milliseconds(250))
  }

  @Test func end_ofAll_stopsTheDevice() throws {
    let device = FakeDevice()
    let room = try room(device)
    let voice = voice(room)
    voice.finish(at: .seconds(1))
    room.speaker.play(voice, from: .zero)
    room.step()
    room.play(device, for: .seconds(2))
    #expect(device.frames == 48_000 && device.drops == 1)
    #expect(voice.time(at: room.now) == nil)
    #expect(room.speaker.isOpen)
    // Others may have it then.
    room.step(after: .seconds(10))
    #expect(!room.speaker.isOpen && !room.speaker.isAbsent && room.next == nil)
    let next = self.voice(room)
    let isQueued = room.speaker.queue(next, from: .zero)
    #expect(isQueued)
    room.step()
    #expect(room.speaker.isOpen && device.isStarted)
  }

  @Test func device_thatRanDry_goesOnWithWhatComes() throws {
    let device = FakeDevice()
    let room = try room(device)
    let voice = room.speaker.makeVoice()
    voice.add(Waves.counting(4800), at: .zero)
    room.speaker.play(voice, from: .zero)
    room.step()
    device.heard = 4800
    device.fault = .ranDry
    room.step(after: .milliseconds(200))
    // The time stands where the samples ended.
    #expect(voice.time(at: room.now + .seconds(1)) == .milliseconds(100))
    #expect(voice.isStarved)
    voice.add(Waves.counting(4800, from: 4801), at: .milliseconds(100))
    room.step(after: .milliseconds(100))
    #expect(device.isStarted)
    #expect(voice.time(at: room.now) == .milliseconds(100))
    #expect(room.speaker.takeNotices() == [])
  }

  @Test func device_thatIsGone_isSaidOnceAndTriedAgain() throws {
    var devices = [FakeDevice()]
    let room = try Room(at: start) { () throws(DeviceFault) in
      guard let device = devices.last else { throw .lost("no such device") }
      return device
    }
    let voice = voice(room)
    room.speaker.play(voice, from: .zero)
    room.step()
    let device = devices.removeLast()
    device.heard = 2400
    device.fault = .lost("it was pulled out")
    room.step(after: .milliseconds(50))
    #expect(room.speaker.isAbsent)
    #expect(voice.time(at: room.now) == nil)
    #expect(room.speaker.takeNotices() == [.lost("it was pulled out")])
    #expect(room.next == room.now + .seconds(3))
    room.step(after: .seconds(3))
    #expect(room.speaker.isAbsent && room.speaker.takeNotices() == [])
    devices = [FakeDevice()]
    room.step(after: .seconds(2))
    #expect(room.speaker.isAbsent)
    room.step(after: .seconds(1))
    #expect(room.speaker.isOpen && room.speaker.takeNotices() == [.back])
    #expect(voice.time(at: room.now) == .zero)
  }

  @Test func device_thatIsMissing_isLookedForOnlyWhileWanted() throws {
    var attempts = 0
    let room = try Room(at: start) { () throws(DeviceFault) in
      attempts += 1
      throw .lost("no such device")
    }
    room.step()
    #expect(attempts == 0)
    room.speaker.want()
    room.step()
    room.step(after: .seconds(3))
    #expect(attempts == 2)
    room.speaker.setPaused(true)
    room.step(after: .seconds(30))
    #expect(attempts == 2 && room.next == nil)
    room.speaker.setPaused(false)
    room.step()
    #expect(attempts == 3)
  }

  /// As ALSA's `null` does.
  @Test func device_thatSwallowsAll_givesNoFasterTime() throws {
    let device = FakeDevice()
    device.claimedDelay = 0
    let room = try room(device)
    let voice = voice(room, seconds: 3)
    room.speaker.play(voice, from: .zero)
    room.step()
    for _ in 0..<40 {
      device.heard = device.frames
      room.step(after: .milliseconds(25))
    }
    let time = try #require(voice.time(at: room.now))
    #expect(time > .milliseconds(995) && time < .milliseconds(1020))
    #expect(device.frames <= 48_000 + 480 + 48 + 2 * 4800)
  }

  @Test func device_thatStandsStill_isLeft() throws {
    let device = FakeDevice()
    let room = try room(device)
    room.speaker.play(voice(room), from: .zero)
    room.step()
    for _ in 0..<39 { room.step(after: .milliseconds(25)) }
    #expect(room.speaker.isOpen)
    for _ in 0..<3 { room.step(after: .milliseconds(25)) }
    #expect(room.speaker.takeNotices() == [.lost("the sound device has stopped")])
  }

  @Test func device_thatNobodyNeeds_isClosed() throws {
    weak var opened: FakeDevice?
    let room = try Room(at: start) { () throws(DeviceFault) in
      let device = FakeDevice()
      opened = device
      return device
    }
    let voice = voice(room)
    room.speaker.play(voice, from: .zero)
    room.step()
    room.speaker.setPaused(true)
    room.step()
    room.step(after: .seconds(9))
    #expect(opened != nil)
    room.step(after: .seconds(1))
    #expect(opened == nil)
    room.speaker.setPaused(false)
    room.step()
    #expect(opened?.isStarted == true)
    #expect(voice.time(at: room.now) == .zero)
  }

  @Test func volume_isHeardInWhatIsWrittenNext() throws {
    let device = FakeDevice()
    let room = try room(device)
    let voice = room.speaker.makeVoice()
    voice.add(Waves.level(8000, 48_000), at: .zero)
    room.speaker.volume = Volume(percent: 50)
    room.speaker.play(voice, from: .zero)
    room.step()
    #expect(Waves.left(device.written)[480...].allSatisfy { $0 == 1000 })
    room.speaker.volume.isMuted = true
    room.play(device, for: .milliseconds(100))
    #expect(Waves.left(device.written)[5040...].allSatisfy { $0 == 0 })
  }
}

@Suite struct SoundClockTests {
  private let start = Instant.now

  @Test func frame_runsFromWhatTheDeviceSaid() {
    let clock = SoundClock(frame: -480, said: start)
    #expect(clock.frame(at: start, written: 4800) == -480)
    #expect(clock.frame(at: start + .milliseconds(20), written: 4800) == 480)
    #expect(clock.frame(at: start + .seconds(9), written: 4800) == 4800)
    #expect(clock.frame(at: start + .seconds(-9), written: 4800) == -480)
  }
}
