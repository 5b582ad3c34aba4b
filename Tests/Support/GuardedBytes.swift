import Glibc

/// Passes bytes that end at the end of a memory page, followed by an unreadable page: reading one
/// byte too far ends the process (SIGSEGV), in any build.
public func withGuardedBytes<Result>(
  _ bytes: [UInt8], _ body: (UnsafeRawBufferPointer) throws -> Result
) throws -> Result {
  let page = Int(sysconf(Int32(_SC_PAGESIZE)))
  let room = (bytes.count + page - 1) / page * page
  let memory = mmap(
    nil, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
  guard let memory, memory != MAP_FAILED else { throw SupportError("cannot map memory") }
  defer { munmap(memory, room + page) }
  guard mprotect(memory + room, page, PROT_NONE) == 0 else {
    throw SupportError("cannot protect memory")
  }
  let start = memory + room - bytes.count
  bytes.withUnsafeBytes {
    UnsafeMutableRawBufferPointer(start: start, count: bytes.count).copyMemory(from: $0)
  }
  return try body(UnsafeRawBufferPointer(start: start, count: bytes.count))
}
