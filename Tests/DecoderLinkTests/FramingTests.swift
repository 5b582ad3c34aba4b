import DecoderLink
import Support
import Testing

@Suite struct FramingTests {
  /// All messages of a stream, read in pieces that end at the given places.
  private func read<Message: WireMessage>(_ bytes: [UInt8], cutAt cuts: [Int]) throws -> [Message] {
    var assembler = FrameAssembler<Message>()
    var messages: [Message] = []
    var start = 0
    for cut in cuts + [bytes.count] {
      assembler.append(bytes[start..<cut])
      start = cut
      while let message = try assembler.next() { messages.append(message) }
    }
    return messages
  }

  @Test(arguments: Samples.player)
  func playerMessage_frame_comesBack(message: PlayerMessage) throws {
    #expect(try read(message.frame, cutAt: []) == [message])
  }

  @Test(arguments: Samples.decoder)
  func decoderMessage_frame_comesBack(message: DecoderMessage) throws {
    #expect(try read(message.frame, cutAt: []) == [message])
  }

  @Test func frame_header_isLengthAndKind() {
    #expect(PlayerMessage.credit(pictures: 0x0102_0304).frame == [4, 0, 0, 0, 6, 4, 3, 2, 1])
    #expect(DecoderMessage.closeResource(5).frame == [4, 0, 0, 0, 67, 5, 0, 0, 0])
  }

  @Test func next_streamCutAnywhere_givesTheSameMessages() throws {
    let bytes = Samples.decoder.flatMap(\.frame)
    for cut in 0...bytes.count {
      #expect(try read(bytes, cutAt: [cut]) == Samples.decoder)
    }
  }

  @Test(arguments: [1, 2, 3, 5, 7, 64])
  func next_streamInSmallPieces_givesTheSameMessages(size: Int) throws {
    let bytes = Samples.player.flatMap(\.frame)
    let cuts = Array(stride(from: 0, to: bytes.count, by: size))
    #expect(try read(bytes, cutAt: cuts) == Samples.player)
  }

  @Test func next_longStream_keepsItsPlace() throws {
    let message = DecoderMessage.picture(
      DecodedPicture(
        serial: 0, time: .zero, duration: nil,
        bitmap: Bitmap(width: 400, height: 200, pixels: Array(0..<80_000))))
    let frame = message.frame
    var assembler = FrameAssembler<DecoderMessage>()
    var count = 0
    for _ in 0..<20 {
      // A whole frame and the start of the next: what is read must be dropped at some time.
      assembler.append(frame[..<100_000])
      #expect(try assembler.next() == nil)
      assembler.append(frame[100_000...])
      while let next = try assembler.next() {
        count += 1
        #expect(next == message)
      }
    }
    #expect(count == 20)
  }

  @Test func text_tooLong_isCut() throws {
    let text = String(repeating: "x", count: 100_000)
    let messages: [DecoderMessage] = try read(
      DecoderMessage.failed(reason: text).frame, cutAt: [])
    #expect(messages == [.failed(reason: String(repeating: "x", count: 65_536))])
  }

  // MARK: Hostile frames

  private func frame(kind: UInt8, _ payload: some Collection<UInt8>) -> [UInt8] {
    let length = UInt32(payload.count)
    return (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) } + [kind] + payload
  }

  @Test(arguments: Samples.decoder)
  func decoderMessage_everyTruncation_isMalformed(message: DecoderMessage) {
    let whole = message.frame
    for count in 0..<whole.count - 5 {
      var assembler = FrameAssembler<DecoderMessage>()
      assembler.append(frame(kind: whole[4], whole[5..<5 + count]))
      #expect(throws: WireError.malformed(kind: whole[4])) { try assembler.next() }
    }
  }

  @Test(arguments: Samples.player)
  func playerMessage_everyTruncation_isMalformed(message: PlayerMessage) {
    let whole = message.frame
    for count in 0..<whole.count - 5 {
      var assembler = FrameAssembler<PlayerMessage>()
      assembler.append(frame(kind: whole[4], whole[5..<5 + count]))
      #expect(throws: WireError.malformed(kind: whole[4])) { try assembler.next() }
    }
  }

  @Test(arguments: Samples.decoder)
  func decoderMessage_tooLong_isMalformed(message: DecoderMessage) {
    let whole = message.frame
    var assembler = FrameAssembler<DecoderMessage>()
    assembler.append(frame(kind: whole[4], whole[5...] + [0]))
    #expect(throws: WireError.malformed(kind: whole[4])) { try assembler.next() }
  }

  @Test(arguments: [0, 13, 64, 81, 255] as [UInt8])
  func next_unknownKind_throws(kind: UInt8) {
    var fromDecoder = FrameAssembler<DecoderMessage>()
    fromDecoder.append(frame(kind: kind, []))
    #expect(throws: WireError.unknownKind(kind)) { try fromDecoder.next() }
    var fromPlayer = FrameAssembler<PlayerMessage>()
    fromPlayer.append(frame(kind: kind, []))
    #expect(throws: WireError.unknownKind(kind)) { try fromPlayer.next() }
  }

  @Test func next_theOtherSidesMessage_isUnknown() {
    var assembler = FrameAssembler<DecoderMessage>()
    assembler.append(PlayerMessage.credit(pictures: 1).frame)
    #expect(throws: WireError.unknownKind(6)) { try assembler.next() }
  }

  /// The length is judged before the bytes are awaited.
  @Test(arguments: [(17 << 20) + 1, 0x7FFF_FFFF, 0xFFFF_FFFF])
  func next_frameTooLong_throwsAtItsHeader(length: Int) {
    var assembler = FrameAssembler<DecoderMessage>()
    assembler.append((0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) } + [69])
    #expect(throws: WireError.frameTooLong(length)) { try assembler.next() }
  }

  @Test(
    arguments: [(0, 1, 0), (1, 0, 0), (2, 2, 3), (2, 2, 5), (.max, .max, 1)]
      as [(UInt32, UInt32, Int)])
  func picture_wrongCountOfPixels_isMalformed(width: UInt32, height: UInt32, count: Int) {
    let picture = DecodedPicture(
      serial: 0, time: .zero, duration: nil,
      bitmap: Bitmap(width: count, height: 1, pixels: Array(repeating: 0, count: count)))
    var frame = DecoderMessage.picture(picture).frame
    // Behind the header, the serial, the time, the missing duration and the number of skipped pictures.
    for (place, side) in [(20, width), (24, height)] {
      for index in 0..<4 {
        frame[place + index] = UInt8(truncatingIfNeeded: side >> (8 * UInt32(index)))
      }
    }
    var assembler = FrameAssembler<DecoderMessage>()
    assembler.append(frame)
    #expect(throws: WireError.malformed(kind: 69)) { try assembler.next() }
  }

  @Test func sound_halfASample_isMalformed() {
    var assembler = FrameAssembler<DecoderMessage>()
    let sound = DecodedSound(serial: 0, time: .zero, samples: [1, 2, 3])
    assembler.append(DecoderMessage.sound(sound).frame)
    #expect(throws: WireError.malformed(kind: 70)) { try assembler.next() }
  }

  @Test(
    arguments: [(0, 1, 1), (1, 0, 1), (1, 1, 0), (1, 1, -1), (1, 1, .nan), (1, 1, .infinity)]
      as [(UInt32, UInt32, Double)])
  func shape_impossible_isMalformed(width: UInt32, height: UInt32, aspect: Double) {
    var assembler = FrameAssembler<PlayerMessage>()
    let shape = PictureRequest(width: width, height: height, pixelAspect: aspect)
    assembler.append(PlayerMessage.shape(shape).frame)
    #expect(throws: WireError.malformed(kind: 5)) { try assembler.next() }
  }

  /// Every byte of every message is set to every value: a message or an error, never a trap.
  @Test func next_everyByteChanged_neverTraps() {
    var outcomes = (messages: 0, errors: 0)
    for original in Samples.decoder.map(\.frame) {
      for index in 4..<min(original.count, 80) {
        for value in 0...UInt8.max {
          var changed = original
          changed[index] = value
          var assembler = FrameAssembler<DecoderMessage>()
          assembler.append(changed)
          do {
            if try assembler.next() != nil { outcomes.messages += 1 }
          } catch {
            outcomes.errors += 1
          }
        }
      }
    }
    #expect(outcomes.messages > 0 && outcomes.errors > 0)
  }

  @Test func next_randomBytes_neverTrapsNorInvents() {
    var random = SeededRandom(seed: 2)
    for _ in 0..<10_000 {
      let count = Int.random(in: 0...200, using: &random)
      var bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      // Most random lengths are refused at once; make half of them fit and the kinds known.
      if count >= 5, Bool.random(using: &random) {
        bytes.replaceSubrange(0..<4, with: [UInt8(count - 5), 0, 0, 0])
        bytes[4] = UInt8.random(in: 63...75, using: &random)
      }
      var assembler = FrameAssembler<DecoderMessage>()
      assembler.append(bytes)
      while let message = try? assembler.next() {
        // What was read is what those bytes say, or another spelling of it.
        var again = FrameAssembler<DecoderMessage>()
        again.append(message.frame)
        let repeated = try? again.next()
        #expect(repeated == message)
      }
    }
  }
}
