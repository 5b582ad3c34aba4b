import CSeccomp
import Glibc

/// The seccomp filter around a decoder. Binding file of libseccomp.
enum Sandbox {
  /// Calls that are allowed with any arguments: memory, threads, time, and the socket.
  ///
  /// newfstatat is not among them: a filter cannot see its path. (The C library uses it for fstat;
  /// where that fails, stdio falls back to its usual buffer size.) Nor is anything that could block or
  /// handle the signal for too much processor time.
  private static let free = [
    "read", "readv", "write", "writev", "recvfrom", "sendto", "brk", "munmap", "mremap", "madvise",
    "futex", "rseq", "set_robust_list", "get_robust_list", "exit", "exit_group", "restart_syscall",
    "clock_gettime", "clock_nanosleep", "nanosleep", "gettimeofday", "getrandom",
    "sched_getaffinity", "sched_yield", "gettid", "getpid", "fstat", "setitimer",
  ]

  /// Closes the sandbox for this process and all its threads; nil once it is closed, else the reason
  /// why it is not. Forbidden calls fail with EPERM.
  static func close() -> String? {
    guard let filter = seccomp_init(sc_fail(EPERM)) else { return "libseccomp: no memory" }
    defer { seccomp_release(filter) }
    // Swift's own handlers would start a program that explains the crash, which the sandbox forbids.
    for fatal in [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGPROF, SIGALRM] {
      signal(fatal, SIG_DFL)
    }
    // Threads that libraries have already started are confined as well.
    seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1)
    for name in free { add(filter, sc_allow(), name) }
    for name in ["mmap", "mprotect"] {
      add(filter, sc_allow(), name, sc_masked(2, UInt64(PROT_EXEC), 0))
    }
    // Threads are allowed, processes are not. The flags of clone3 lie in memory that a filter cannot
    // read: ENOSYS makes glibc use clone.
    let thread = sc_thread_flag()
    add(filter, sc_allow(), "clone", sc_masked(0, thread, thread))
    add(filter, sc_fail(ENOSYS), "clone3")
    add(filter, sc_allow(), "prctl", sc_masked(0, .max, UInt64(PR_SET_NAME)))
    let code = seccomp_load(filter)
    return code == 0 ? nil : String(cString: strerror(-code))
  }

  /// A call that does not exist on this machine needs no rule.
  private static func add(
    _ filter: scmp_filter_ctx, _ action: UInt32, _ name: String, _ tests: scmp_arg_cmp...
  ) {
    let number = seccomp_syscall_resolve_name(name)
    guard number != __NR_SCMP_ERROR else { return }
    seccomp_rule_add_array(filter, action, number, UInt32(tests.count), tests)
  }

  /// Calls that must fail inside the sandbox.
  static let attempts: [(name: String, attempt: @Sendable () -> Int32)] = [
    ("open", sc_attempt_open), ("socket", sc_attempt_socket), ("execve", sc_attempt_exec),
    ("fork", sc_attempt_fork), ("ptrace", sc_attempt_ptrace), ("kill", sc_attempt_kill),
    ("mmap PROT_EXEC", sc_attempt_executable_memory), ("stat", sc_attempt_stat),
    ("sigaction", sc_attempt_handler), ("sigprocmask", sc_attempt_block),
  ]
}
