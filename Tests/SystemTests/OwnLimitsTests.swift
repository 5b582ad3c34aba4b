import Glibc
import System
import Testing

@Suite struct OwnLimitsTests {
  @Test func addressSpace_limit_refusesMore() async {
    await #expect(processExitsWith: .success) {
      try OwnLimits.addressSpace(64 << 30)
      let size = 65 << 30
      let mapped = mmap(nil, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | 0x4000, -1, 0)
      try #require(mapped == MAP_FAILED)
      try #require(errno == ENOMEM)
    }
  }

  @Test func closeFiles_afterwards_nothingOpens() async {
    await #expect(processExitsWith: .success) {
      try OwnLimits.closeFiles()
      let descriptor = open("/dev/null", O_RDONLY)
      let code = errno
      exit(descriptor == -1 && code == EMFILE ? EXIT_SUCCESS : EXIT_FAILURE)
    }
  }

  @Test func dieWithParent_isAccepted() async {
    await #expect(processExitsWith: .success) { try OwnLimits.dieWithParent() }
  }
}
