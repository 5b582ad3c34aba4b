import Support
import System

@testable import Resources

/// A network whose answers a test waits for, on a cache directory that outlives it.
final class NetworkBench {
  let network: Network

  init(
    _ directory: String?, disk: any Disk = RealDisk(),
    _ change: (inout NetworkOptions) -> Void = { _ in }
  ) throws {
    var options = NetworkOptions(cacheDirectory: directory)
    options.usesProxies = false
    options.backOffMilliseconds = 5
    options.patienceSeconds = 2
    // What is counted must not depend on how slow a disk is.
    options.patienceWithOthers = .seconds(60)
    options.limits.reserve = 0
    change(&options)
    network = try Network(options, disk: disk)
  }

  /// Reads a range and waits for the answer.
  func read(
    _ resource: CachedResource, _ offset: UInt64, _ length: Int
  ) throws -> Result<[UInt8], ResourceError> {
    var answer: Result<[UInt8], ResourceError>?
    resource.read(offset: offset, length: length) { answer = $0 }
    try wait { answer != nil }
    return try answer ?? { throw SupportError("no answer") }()
  }

  /// Reads a range of anything and waits for the answer.
  func bytes(
    _ resource: any Resource, _ offset: UInt64, _ length: Int
  ) throws -> Result<[UInt8], ResourceError> {
    var answer: Result<[UInt8], ResourceError>?
    resource.read(offset: offset, length: length) { answer = $0 }
    try wait { answer != nil }
    return try answer ?? { throw SupportError("no answer") }()
  }

  /// Waits for whether it can be opened; nil where it can.
  func opened(_ resource: any Resource) throws -> ResourceError? {
    var answer: ResourceError??
    resource.whenOpened { answer = .some($0) }
    try wait { answer != nil }
    return answer ?? nil
  }

  /// Reads all, in pieces as a decoder does.
  func readAll(_ resource: CachedResource, piece: Int = 65_536) throws -> [UInt8] {
    var bytes: [UInt8] = []
    while true {
      let part = try read(resource, UInt64(bytes.count), piece).get()
      bytes += part
      if part.count < piece { return bytes }
    }
  }

  func wait(until condition: () -> Bool) throws {
    try [self].wait(until: condition)
  }
}

extension [NetworkBench] {
  /// Waits for what these bring about side by side, as processes do.
  func wait(until condition: () -> Bool) throws {
    func deliver() {
      _ = try? awaitReadiness(
        of: map { Interest($0.network.descriptor) }, until: .now + .milliseconds(20))
      for bench in self { bench.network.deliver() }
    }
    try eventually("the answer", within: .seconds(60), pause: deliver, condition)
  }
}
