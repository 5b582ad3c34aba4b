import DecoderLink
import Testing

@Suite struct DurationTests {
  @Test(
    arguments: [
      (Duration.zero, 0), (.nanoseconds(1), 1), (.nanoseconds(-1), -1),
      (.milliseconds(1500), 1_500_000_000), (.seconds(-2), -2_000_000_000),
      (.nanoseconds(Int64.max), .max), (.nanoseconds(Int64.min), .min),
      (.seconds(Int64.max / 2), .max), (.seconds(Int64.min / 2), .min),
      (.seconds(9_223_372_036) + .nanoseconds(854_775_808), .max),
      (Duration(secondsComponent: 0, attosecondsComponent: 999_999_999), 0),
    ] as [(Duration, Int64)])
  func wholeNanoseconds_anyDuration_isClamped(duration: Duration, expected: Int64) {
    #expect(duration.wholeNanoseconds == expected)
  }
}
