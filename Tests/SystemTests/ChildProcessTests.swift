import Glibc
import Support
import System
import Testing

@Suite struct ChildProcessTests {
  /// Runs a shell script as the child; gives what it wrote to descriptor 3 and how it ended.
  private func script(_ text: String, environment: [String] = ["PATH=/usr/bin:/bin"]) throws
    -> (output: String, ending: ChildProcess.Ending?)
  {
    let started = try ChildProcess.start(
      "/bin/sh", arguments: ["-c", text], environment: environment)
    var bytes: [UInt8] = []
    while case .bytes = try started.socket.read(upTo: 4096, into: &bytes) {}
    return (String(decoding: bytes, as: UTF8.self), awaitEnding(started.process))
  }

  private func awaitEnding(_ process: ChildProcess) -> ChildProcess.Ending? {
    awaitValue { process.poll() }
  }

  @Test func start_child_hasFourDescriptorsOnly() throws {
    // Descriptors that a careless library left open must not reach it.
    let careless = (0..<5).map { _ in open("/dev/zero", O_RDONLY) }
    defer { for descriptor in careless { close(descriptor) } }
    let listed = try script("(ls -l /proc/$$/fd 1>&3); true").output
    let links = listed.split(separator: "\n").compactMap { line -> String? in
      let words = line.split(separator: " ").map(String.init)
      guard let arrow = words.firstIndex(of: "->") else { return nil }
      return "\(words[arrow - 1]) \(words[arrow + 1].prefix { $0 != ":" })"
    }
    #expect(links == ["0 /dev/null", "1 /dev/null", "2 /dev/null", "3 socket"])
  }

  @Test func start_child_hasDefaultSignals() throws {
    signal(SIGPIPE, SIG_IGN)
    let status = try script("grep -E '^Sig(Blk|Ign)' /proc/self/status 1>&3; true").output
    let masks = status.split(separator: "\n").compactMap { UInt64($0.dropFirst(8), radix: 16) }
    // Signals beyond 31 belong to the C library.
    #expect(masks.map { $0 & 0x7FFF_FFFF } == [0, 0])
  }

  @Test func start_child_hasTheEnvironmentAndArgumentsGiven() throws {
    let started = try ChildProcess.start(
      "/bin/sh", arguments: ["-c", "echo \"$0|$1|$(env -u PWD -u _ | sort)\" >&3", "a b", "c"],
      environment: ["PATH=/usr/bin:/bin", "X=1 2"])
    var bytes: [UInt8] = []
    while case .bytes = try started.socket.read(upTo: 4096, into: &bytes) {}
    #expect(String(decoding: bytes, as: UTF8.self) == "a b|c|PATH=/usr/bin:/bin\nX=1 2\n")
  }

  @Test func start_child_leadsAProcessGroup() throws {
    let started = try ChildProcess.start(
      "/bin/sleep", arguments: ["60"], environment: [])
    #expect(getpgid(started.process.identifier) == started.process.identifier)
  }

  @Test func start_missingProgram_namesIt() {
    #expect(throws: SystemError(step: "start", subject: "/nowhere/x", code: ENOENT)) {
      _ = try ChildProcess.start("/nowhere/x", arguments: [], environment: [])
    }
  }

  @Test func socket_bytes_goBothWays() throws {
    let started = try ChildProcess.start(
      "/bin/sh", arguments: ["-c", "read line <&3; echo got $line >&3"], environment: [])
    #expect(try started.socket.write(Array("hello\n".utf8)[...]) == .bytes(6))
    var bytes: [UInt8] = []
    while case .bytes = try started.socket.read(upTo: 4096, into: &bytes) {}
    #expect(String(decoding: bytes, as: UTF8.self) == "got hello\n")
  }

  /// As it is where the starter of this program ignores SIGCHLD: the number may be another's soon.
  @Test func poll_ofAProcessThatTheKernelReaped_forgetsItsNumber() async {
    await #expect(processExitsWith: .success) {
      signal(SIGCHLD, SIG_IGN)
      let started = try ChildProcess.start("/bin/true", arguments: [], environment: [])
      try #require(holds { started.process.poll() == nil && started.process.identifier == 0 })
      try #require(started.process.reaped == nil)
    }
  }

  @Test(arguments: [
    ("exit 0", ChildProcess.Ending.exited(status: 0)), ("exit 7", .exited(status: 7)),
    ("kill -SEGV $$", .killed(signal: SIGSEGV)), ("kill -TERM $$", .killed(signal: SIGTERM)),
  ])
  func poll_endedChild_saysHow(text: String, expected: ChildProcess.Ending) throws {
    #expect(try script(text).ending == expected)
  }

  @Test func kill_runningChild_reapsIt() throws {
    let started = try ChildProcess.start("/bin/sleep", arguments: ["60"], environment: [])
    let identifier = started.process.identifier
    #expect(started.process.poll() == nil)
    #expect(started.process.kill() == .killed(signal: SIGKILL))
    #expect(started.process.identifier == 0)
    #expect(started.process.kill() == nil)
    #expect(Glibc.kill(identifier, 0) == -1)
  }

  @Test func release_runningChild_endsAndReapsIt() throws {
    var identifier: pid_t = 0
    do {
      let started = try ChildProcess.start("/bin/sleep", arguments: ["60"], environment: [])
      identifier = started.process.identifier
      #expect(Glibc.kill(identifier, 0) == 0)
    }
    #expect(Glibc.kill(identifier, 0) == -1)
  }

  @Test func limitProcessorTime_spinningChild_isEnded() throws {
    let started = try ChildProcess.start(
      "/bin/sh", arguments: ["-c", "while :; do :; done"], environment: [])
    started.process.limitProcessorTime(seconds: 1)
    #expect(awaitEnding(started.process) == .killed(signal: SIGXCPU))
  }

  @Test func output_ofAProgramThatWritesWithoutEnd_endsIt() throws {
    let result = try ChildProcess.output(of: "/usr/bin/yes", arguments: ["yes"])
    #expect(result.text.utf8.count >= 64 << 10 && result.text.utf8.count < 128 << 10)
    #expect(result.text.hasPrefix("yes\nyes\n"))
    #expect(result.ending == .killed(signal: SIGKILL))
  }

  @Test func output_ofAProgramThatEnds_isWhole() throws {
    let result = try ChildProcess.output(
      of: "/bin/sh", arguments: ["-c", "echo one; echo two >&2; exit 3"])
    #expect(result.text == "one\ntwo\n")
    #expect(result.ending == .exited(status: 3))
  }

  @Test func peak_ofAChild_isItsOwn() throws {
    let ballast = [UInt8](repeating: 1, count: 100 << 20)
    let started = try ChildProcess.start("/bin/sleep", arguments: ["60"], environment: [])
    // It has just begun: its memory grows until its libraries are there.
    #expect(holds { started.process.peakKibibytes > 500 })
    #expect(started.process.peakKibibytes < 50_000)
    started.process.kill()
    #expect(started.process.peakKibibytes == 0)
    #expect(ballast.last == 1)
  }

  @Test func usage_peak_isNotTheStarters() async {
    let ballast = [UInt8](repeating: 1, count: 400 << 20)
    #expect(ballast.last == 1)
    await #expect(processExitsWith: .success) {
      try #require(ResourceUsage.own.peakKibibytes > 1000)
      try #require(ResourceUsage.own.peakKibibytes < 300_000)
    }
  }

  @Test func usage_workDone_isCounted() throws {
    let before = (ResourceUsage.own, ResourceUsage.reapedChildren)
    #expect(before.0.peakKibibytes > 1000)
    let deadline = Instant.now + .milliseconds(60)
    while Instant.now < deadline {}
    _ = try script("i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done")
    #expect(
      ResourceUsage.own.processorMilliseconds > before.0.processorMilliseconds)
    #expect(
      ResourceUsage.reapedChildren.processorMilliseconds > before.1.processorMilliseconds)
    #expect(ResourceUsage.reapedChildren.peakKibibytes > 100)
  }
}
