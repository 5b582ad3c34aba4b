import Glibc
import System

/// The result of a finished command.
public struct CommandResult: Sendable {
  public let ending: Ending
  public let output: [UInt8]
  public let errors: [UInt8]

  public var status: Int32 { ending.shellStatus }
  public var outputText: String { String(decoding: output, as: UTF8.self) }
  public var errorText: String { String(decoding: errors, as: UTF8.self) }
  /// The error output line by line.
  public var errorLines: [String] { errorText.split(separator: "\n").map(String.init) }
}

/// Runs a program without a terminal, with `input` on its standard input, and waits for its end. If
/// it has not ended in time, it is killed and this throws.
public func run(
  _ path: String, _ arguments: [String], environment: [String: String] = plainEnvironment,
  directory: String? = nil, input: [UInt8] = [], within limit: Duration = .seconds(60)
) throws -> CommandResult {
  let (inputReader, inputWriter) = try makePipe()
  let (outputReader, outputWriter) = try makePipe()
  let (errorReader, errorWriter) = try makePipe()
  let process: Spawned
  do {
    defer { for end in [inputReader, outputWriter, errorWriter] { close(end) } }
    process = try Spawned(
      path, arguments, environment: environment, directory: directory,
      descriptors: [inputReader, outputWriter, errorWriter])
  }
  var exchange = Exchange(
    input: input[...], inputWriter: inputWriter, readers: [outputReader, errorReader])
  defer { exchange.close() }
  let deadline = Instant.now + limit
  var ending: Ending?
  while ending == nil || exchange.isOpen {
    exchange.step(milliseconds: ending == nil ? 5 : 1)
    if ending == nil { ending = process.reap() }
    // A grandchild may hold the pipe open for ever; the program's own output has arrived.
    if ending != nil, exchange.isIdle { break }
    if Instant.now >= deadline {
      if ending == nil {
        kill(-process.identifier, SIGKILL)
        while process.reap() == nil { usleep(1000) }
      }
      throw SupportError("\(path) \(arguments.joined(separator: " ")) did not end in \(limit)")
    }
  }
  guard let ending else { throw SupportError("\(path) was not reaped") }
  return CommandResult(
    ending: ending, output: exchange.collected[0], errors: exchange.collected[1])
}

/// The minimal environment of a program.
public let plainEnvironment = ["PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8"]

private func makePipe() throws -> (Int32, Int32) {
  var ends: [Int32] = [-1, -1]
  guard pipe(&ends) == 0 else { throw SupportError("cannot make a pipe") }
  for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
  return (ends[0], ends[1])
}

/// Writes a command's input and reads its outputs, so that none of them blocks another.
private struct Exchange {
  private var input: ArraySlice<UInt8>
  private var inputWriter: Int32
  private var readers: [Int32]
  var collected: [[UInt8]] = [[], []]
  /// Whether the last step had nothing to read.
  private(set) var isIdle = false

  init(input: ArraySlice<UInt8>, inputWriter: Int32, readers: [Int32]) {
    self.input = input
    self.inputWriter = inputWriter
    self.readers = readers
    signal(SIGPIPE, SIG_IGN)
    _ = fcntl(inputWriter, F_SETFL, O_NONBLOCK)
    closeInputWhenWritten()
  }

  var isOpen: Bool { readers.contains { $0 >= 0 } }

  mutating func close() {
    for end in readers + [inputWriter] where end >= 0 { _ = Glibc.close(end) }
  }

  private mutating func closeInputWhenWritten() {
    guard input.isEmpty, inputWriter >= 0 else { return }
    _ = Glibc.close(inputWriter)
    inputWriter = -1
  }

  mutating func step(milliseconds: Int32) {
    var entries = readers.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    entries.append(pollfd(fd: inputWriter, events: Int16(POLLOUT), revents: 0))
    isIdle = poll(&entries, 3, milliseconds) <= 0
    guard !isIdle else { return }
    for index in 0..<2 where entries[index].revents != 0 { read(index) }
    if entries[2].revents != 0 { write() }
  }

  private mutating func read(_ index: Int) {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = Glibc.read(readers[index], &buffer, buffer.count)
    if count > 0 {
      collected[index] += buffer[..<count]
    } else {
      _ = Glibc.close(readers[index])
      readers[index] = -1
    }
  }

  private mutating func write() {
    let count = input.withUnsafeBytes { Glibc.write(inputWriter, $0.baseAddress, $0.count) }
    input = count > 0 ? input.dropFirst(count) : []
    closeInputWhenWritten()
  }
}
