import Support
import Testing

@Suite struct CommandTests {
  @Test func run_program_givesStatusAndOutputs() throws {
    let result = try run("/bin/sh", ["-c", "cat; echo oops >&2; exit 3"], input: Array("hi".utf8))
    #expect(result.status == 3)
    #expect(result.outputText == "hi")
    #expect(result.errorLines == ["oops"])
  }

  @Test func run_longOutputAndInput_doNotBlockEachOther() throws {
    let input = [UInt8](repeating: 0x61, count: 1 << 20)
    #expect(try run("/bin/cat", [], input: input).output == input)
  }

  @Test func run_overTime_throws() {
    #expect(throws: SupportError.self) {
      try run("/bin/sleep", ["60"], within: .milliseconds(50))
    }
  }

  @Test func run_usage_countsGrandchildren() throws {
    let script = "sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done'; true"
    #expect(try run("/bin/sh", ["-c", script]).ending.processorMilliseconds > 20)
  }

  @Test func temporaryDirectory_released_isGone() throws {
    var directory: TemporaryDirectory? = try TemporaryDirectory()
    let path = try #require(directory?.path)
    try directory?.write("x", to: "a/b/c.txt")
    #expect(directoryEntries("\(path)/a/b") == ["c.txt"])
    directory = nil
    #expect(!fileExists(path))
  }

  @Test func makePNG_quadrants_areReadBackByFFmpeg() throws {
    let directory = try TemporaryDirectory()
    let colors: [UInt32] = [0xFF0000, 0x00FF00, 0x0000FF, 0x123456]
    let png = makePNG(width: 300, height: 200) { x, y in colors[x / 150 + y / 100 * 2] }
    let path = try directory.write(png, to: "q.png")
    let ffmpeg = try #require(Programs.installed("ffmpeg"))
    let raw = try run(
      ffmpeg, ["-v", "error", "-i", path, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    )
    #expect(raw.errors == [])
    #expect(raw.output.count == 180_000)
    #expect(Array(raw.output[..<3]) == [0xFF, 0, 0])
    #expect(Array(raw.output.suffix(3)) == [0x12, 0x34, 0x56])
  }

  @Test func clip_color_isMadeOnce() throws {
    let clip = Clip(.color("red"), width: 64, height: 48, rate: 10, seconds: 0.5, sound: true)
    let path = try clip.file()
    let ffprobe = try #require(Programs.installed("ffprobe"))
    let probed = try run(
      ffprobe,
      [
        "-v", "error", "-count_frames", "-show_entries", "stream=codec_name,nb_read_frames", "-of",
        "csv", path,
      ]
    )
    #expect(probed.outputText.hasPrefix("stream,h264,5\nstream,aac,"))
    #expect(try clip.file() == path)
  }
}
