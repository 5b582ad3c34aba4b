import Glibc
import Sound
import Support
import System
import Testing

@testable import Player

@Suite struct StoredVolumeTests {
  private let directory: TemporaryDirectory
  private let stored: StoredVolume

  init() throws {
    directory = try TemporaryDirectory()
    stored = StoredVolume(folder: directory.path("state"))
  }

  @Test(arguments: [(0, false), (60, true), (100, false)])
  func volume_isReadAsItWasWritten(percent: Int, isMuted: Bool) {
    stored.write(Volume(percent: percent, isMuted: isMuted))
    #expect(stored.read() == Volume(percent: percent, isMuted: isMuted))
  }

  @Test func nothing_isReadWhereNothingWasWritten() {
    #expect(stored.read() == nil)
  }

  @Test(
    arguments: [
      ("volume 60\n", Volume(percent: 60)),
      ("volume 60 muted\n", Volume(percent: 60, isMuted: true)),
      (" volume\t5 ", Volume(percent: 5)), ("volume 101", nil), ("volume -1", nil),
      ("volume", nil), ("volume loud", nil), ("60", nil), ("", nil), ("\u{0}\u{FFFD}", nil),
    ] as [(String, Volume?)])
  func texts_areUnderstood_orIgnored(text: String, expected: Volume?) throws {
    try directory.write(text, to: "state/sound")
    #expect(stored.read() == expected)
  }

  @Test func folder_thatCannotBeWritten_isNoReasonToComplain() throws {
    try directory.write("a file", to: "state")
    stored.write(Volume(percent: 5))
    #expect(stored.read() == nil)
  }
}

@Suite struct LogFileTests {
  private let directory: TemporaryDirectory
  init() throws { directory = try TemporaryDirectory() }

  @Test func lines_haveTimeLevelAndCategory_andAreAppended() throws {
    let path = directory.path("log")
    for run in 1...2 {
      let file = try LogFile(path: path)
      file.log.note(.playback, "run \(run)")
      file.log.note(.http, .warning, "it is slow")
      #expect(file.failure == nil)
    }
    let lines = try readText(path).split(separator: "\n")
    #expect(lines.count == 4)
    for (line, end) in zip(
      lines, ["info playback run 1", "warning http it is slow", "info playback run 2"])
    {
      #expect(line.hasSuffix("Z \(end)") && line.hasPrefix("20"))
    }
  }

  @Test func file_isItsOwnersAlone() throws {
    let path = directory.path("log")
    try LogFile(path: path).log.note(.decoder, "n")
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & 0o077 == 0)
  }

  @Test func categories_thatAreNotChosen_areNotNoted() throws {
    let path = directory.path("log")
    let file = try LogFile(path: path, categories: [.cache])
    file.log.note(.playback, "not this")
    file.log.note(.cache, "but this")
    #expect(try readText(path).hasSuffix("info cache but this\n"))
    #expect(try readText(path).split(separator: "\n").count == 1)
    #expect(!LogFile.usualCategories.contains(.cache) && LogFile.usualCategories.contains(.http))
  }

  /// A stranger's name may hold anything.
  @Test func words_areHarmless_andOneLine() throws {
    let path = directory.path("log")
    try LogFile(path: path).log.note(.playback, "begin a\u{1B}[2J\nfake line\u{202E}")
    let text = try readText(path)
    #expect(text.split(separator: "\n").count == 1 && !text.contains("\u{1B}"))
    #expect(!text.contains("\u{202E}"))
  }

  @Test func fullDisk_isReportedOnce_withItsReason() throws {
    let file = try LogFile(path: "/dev/full")
    file.log.note(.playback, "a")
    file.log.note(.playback, "b")
    let failure = try #require(file.failure)
    #expect(failure.hasPrefix("cannot write the log /dev/full: "))
  }

  @Test func file_thatCannotBeOpened_isAnError() {
    #expect(throws: SystemError.self) { try LogFile(path: directory.path("no/folder/log")) }
  }

  @Test(
    arguments: [
      ("http,cache", [.http, .cache], nil), (" decoder , playback", [.decoder, .playback], nil),
      ("http,htp", [.http], "htp"), ("", [], nil), ("all", [], "all"),
    ] as [(String, Set<Log.Category>, String?)])
  func lists_nameCategories(list: String, expected: Set<Log.Category>, unknown: String?) {
    let found = LogFile.categories(in: list)
    #expect(found.categories == expected && found.unknown == unknown)
  }
}
