import CSeccomp
import Glibc

/// The seccomp filter around a decoder. Binding file of libseccomp.
enum Sandbox {
  /// What may be called without a look at its arguments: memory, threads, time, and the socket.
  ///
  /// Not among them: newfstatat, whose path a filter cannot see (the C library uses it for fstat,
  /// and where that fails stdio takes a buffer of its usual size), and whatever could keep the
  /// signal away that ends who uses too much processor time.
  private static let free = [
    "read", "readv", "write", "writev", "recvfrom", "sendto", "brk", "munmap", "mremap", "madvise",
    "futex", "rseq", "set_robust_list", "get_robust_list", "exit", "exit_group", "restart_syscall",
    "clock_gettime", "clock_nanosleep", "nanosleep", "gettimeofday", "getrandom",
    "sched_getaffinity", "sched_yield", "gettid", "getpid", "fstat", "setitimer",
  ]

  /// Closes it for this process and all its threads; nil when it is closed, else why it is not.
  /// What is not allowed fails with EPERM.
  static func close() -> String? {
    guard let filter = seccomp_init(sc_fail(EPERM)) else { return "libseccomp: no memory" }
    defer { seccomp_release(filter) }
    // Swift's own handlers would start a program that explains the crash, which nobody can here.
    for fatal in [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGPROF, SIGALRM] {
      signal(fatal, SIG_DFL)
    }
    // Threads that libraries started before are bound as well.
    seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1)
    for name in free { add(filter, sc_allow(), name) }
    for name in ["mmap", "mprotect"] {
      add(filter, sc_allow(), name, sc_masked(2, UInt64(PROT_EXEC), 0))
    }
    // Threads, but no processes. The flags of clone3 lie in memory where a filter cannot look:
    // ENOSYS makes glibc use clone.
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

  /// What must fail inside.
  static let attempts: [(name: String, attempt: @Sendable () -> Int32)] = [
    ("open", sc_attempt_open), ("socket", sc_attempt_socket), ("execve", sc_attempt_exec),
    ("fork", sc_attempt_fork), ("ptrace", sc_attempt_ptrace), ("kill", sc_attempt_kill),
    ("mmap PROT_EXEC", sc_attempt_executable_memory), ("stat", sc_attempt_stat),
    ("sigaction", sc_attempt_handler), ("sigprocmask", sc_attempt_block),
  ]
}
