import Glibc
import Support
import System
import Testing

@testable import Resources

private let canMount: Bool = {
  guard let folder = try? TemporaryDirectory() else { return false }
  let path = folder.path("volume")
  guard (try? mount(path, kibibytes: 16)) == true else { return false }
  try? unmount(path)
  return true
}()

/// Mounts a small volume; false where this user may not.
private func mount(_ path: String, kibibytes: Int) throws -> Bool {
  mkdir(path, 0o700)
  guard let program = Programs.installed("mount") else { return false }
  let mounted = try run(
    program, ["-t", "tmpfs", "-o", "size=\(kibibytes)k", "tmpfs", path])
  return mounted.status == 0
}

private func unmount(_ path: String) throws {
  let program = try #require(Programs.installed("umount"))
  #expect(try run(program, ["-l", path]).status == 0)
}

/// A volume that is really full, index and journal included.
@Suite(
  .serialized, .timeLimit(.minutes(4)),
  .enabled(if: canMount, "this user may not mount a volume"))
struct FullVolumeTests {
  private static let size: UInt64 = 6_000_000

  /// From no room for an index to room for all but the last bytes.
  @Test(arguments: [4, 16, 40, 64, 100, 300, 1000, 3000, 5800])
  func fullVolume_playsAndSaysSoAtMostThreeTimes(kibibytes: Int) throws {
    let file = ServedFile(sampleBytes(0..<FullVolumeTests.size))
    let server = try FaultServer { file.reply(to: $0) }
    defer { server.close() }
    let folder = try TemporaryDirectory()
    let volume = folder.path("volume")
    try #require(try mount(volume, kibibytes: kibibytes))
    defer { try? unmount(volume) }
    let bench = try NetworkBench(volume + "/cache")
    let resource = try bench.network.open(server.url + "/a")
    #expect(isSample(try bench.readAll(resource), 0..<FullVolumeTests.size))
    bench.network.close()
    #expect(server.bodyBytes == Int(FullVolumeTests.size))
    // What is stored is right, and a second run says no more than the first one.
    var notices: [String] = []
    let again = try NetworkBench(volume + "/cache")
    let second = try again.network.open(server.url + "/a")
    #expect(isSample(try again.readAll(second), 0..<FullVolumeTests.size))
    try again.wait {
      notices += again.network.takeNotices()
      return !notices.isEmpty
    }
    again.network.close()
    #expect((1...3).contains(notices.count), "\(notices)")
  }

  /// What is whole and fresh there needs no server; the rest is fetched, and nothing is stored.
  @Test func readOnlyVolume_givesWhatIsWhole() throws {
    let file = ServedFile(sampleBytes(0..<FullVolumeTests.size))
    let server = try FaultServer { file.reply(to: $0) }
    defer { server.close() }
    let folder = try TemporaryDirectory()
    let volume = folder.path("volume")
    try #require(try mount(volume, kibibytes: 20_000))
    defer { try? unmount(volume) }
    let first = try NetworkBench(volume + "/cache")
    _ = try first.readAll(first.network.open(server.url + "/a"))
    _ = try first.read(first.network.open(server.url + "/part"), 0, 1000).get()
    first.network.close()
    let program = try #require(Programs.installed("mount"))
    #expect(try run(program, ["-o", "remount,ro", volume]).status == 0)
    var notices: [String] = []
    let requests = server.requests.count
    let bench = try NetworkBench(volume + "/cache")
    let resource = try bench.network.open(server.url + "/a")
    #expect(isSample(try bench.readAll(resource), 0..<FullVolumeTests.size))
    #expect(server.requests.count == requests && bench.network.saving.fetched == 0)
    #expect(bench.network.takeNotices().isEmpty)
    for name in ["/part", "/new"] {
      let other = try bench.network.open(server.url + name)
      #expect(isSample(try bench.readAll(other), 0..<FullVolumeTests.size))
    }
    try bench.wait {
      notices += bench.network.takeNotices()
      return !notices.isEmpty
    }
    bench.network.close()
    #expect(notices == ["no cache: its directory cannot be written"])
  }
}
