import Glibc
import Support
import System
import Testing

@Suite struct PollerTests {
  @Test(arguments: [Duration.zero, .seconds(-5), .milliseconds(30), .microseconds(1500)])
  func await_nothingReady_returnsAtTheDeadline(wait: Duration) throws {
    let waker = try Waker()
    let start = Instant.now
    let ready = try awaitReadiness(of: [Interest(waker.number)], until: start + wait)
    let waited = Instant.now - start
    #expect(ready.map(\.readable) == [false])
    #expect(ready.map(\.writable) == [false])
    #expect(waited >= wait)
    #expect(waited < max(.zero, wait) + .seconds(5))
  }

  @Test func await_farDeadline_doesNotOverflow() throws {
    let waker = try Waker()
    waker.wake()
    let ready = try awaitReadiness(
      of: [Interest(waker.number)], until: .now + .seconds(Int64.max / 4))
    #expect(ready.map(\.readable) == [true])
    #expect(ready.map(\.writable) == [false])
  }

  @Test func await_severalDescriptors_answersInTheirOrder() throws {
    let silent = try Waker()
    let woken = try Waker()
    woken.wake()
    let ready = try awaitReadiness(
      of: [
        Interest(silent.number), Interest(woken.number), Interest(silent.number, writing: true),
        Interest(woken.number, reading: false),
      ], until: nil)
    #expect(ready.map(\.readable) == [false, true, false, false])
    #expect(ready.map(\.writable) == [false, false, true, false])
  }

  @Test func await_closedOtherEnd_isReadable() throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    let reader = Descriptor(adopting: ends[0])
    close(ends[1])
    let ready = try awaitReadiness(of: [Interest(reader.number)], until: nil)
    #expect(ready.map(\.readable) == [true])
  }

  @Test func await_badDescriptor_isReadableNotAnError() throws {
    let ready = try awaitReadiness(of: [Interest(9999)], until: .now + .seconds(5))
    #expect(ready.map(\.readable) == [true])
  }

  @Test func waker_wokenTwice_isSilencedByOneCall() throws {
    let waker = try Waker()
    waker.wake()
    waker.wake()
    waker.silence()
    let ready = try awaitReadiness(of: [Interest(waker.number)], until: .now)
    #expect(ready.map(\.readable) == [false])
    // Silencing a silent waker does not wait.
    waker.silence()
  }

  @Test func waker_wokenByAThread_endsTheWait() throws {
    let waker = try Waker()
    var thread = pthread_t()
    let code = pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        usleep(20_000)
        Unmanaged<Waker>.fromOpaque(context).takeRetainedValue().wake()
        return nil
      }, Unmanaged.passRetained(waker).toOpaque())
    try #require(code == 0)
    let ready = try awaitReadiness(of: [Interest(waker.number)], until: .now + .seconds(10))
    #expect(ready.map(\.readable) == [true])
    pthread_join(thread, nil)
  }

  @Test func instant_arithmetic_agrees() {
    let now = Instant.now
    #expect((now + .milliseconds(5)) - now == .milliseconds(5))
    #expect(now - (now + .milliseconds(5)) == .milliseconds(-5))
  }
}
