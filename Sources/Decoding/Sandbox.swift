import CSeccomp
import Glibc

/// The seccomp filter around a decoder. Binding file of libseccomp.
enum Sandbox {
  /// Calls that are allowed with any arguments: memory, threads, time (`setitimer` is for `TimeLimit`),
  /// and the socket.
  ///
  /// newfstatat is not among them: a filter cannot see its path. (The C library uses it for fstat;
  /// where that fails, stdio falls back to its usual buffer size.) Nor are rt_sigaction,
  /// rt_sigprocmask and prlimit64: with them a decoder could escape SIGXCPU, by which the kernel ends
  /// it when it uses too much processor time.
  private static let alwaysAllowed = [
    "read", "readv", "write", "writev", "recvfrom", "sendto", "brk", "munmap", "mremap", "madvise",
    "futex", "rseq", "set_robust_list", "get_robust_list", "exit", "exit_group", "restart_syscall",
    "clock_gettime", "clock_nanosleep", "nanosleep", "gettimeofday", "getrandom",
    "sched_getaffinity", "sched_yield", "gettid", "getpid", "fstat", "setitimer",
  ]

  /// Lets fatal signals end this process. Swift's own handlers would start a program that explains the
  /// crash, which takes long and which the sandbox forbids.
  static func dropHandlers() {
    for fatal in [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV] {
      signal(fatal, SIG_DFL)
    }
    // `TimeLimit` ends the process by these.
    for timer in [SIGPROF, SIGALRM] { signal(timer, SIG_DFL) }
  }

  /// Puts this process and all its threads under the filter; nil once that is done, else the reason
  /// why it is not. Forbidden calls fail with EPERM.
  static func confineThisProcess() -> String? {
    guard let filter = seccomp_init(sc_fail(EPERM)) else { return "libseccomp: no memory" }
    defer { seccomp_release(filter) }
    dropHandlers()
    // Threads that libraries have already started are confined as well.
    seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1)
    for name in alwaysAllowed { add(filter, sc_allow(), name) }
    for name in ["mmap", "mprotect"] {
      add(filter, sc_allow(), name, argument(2, masked: UInt64(PROT_EXEC), equals: 0))
    }
    // Threads are allowed, processes are not.
    let thread = sc_thread_flag()
    add(filter, sc_allow(), "clone", argument(0, masked: thread, equals: thread))
    // Its flags lie in memory that a filter cannot read: ENOSYS makes glibc use clone.
    add(filter, sc_fail(ENOSYS), "clone3")
    add(filter, sc_allow(), "prctl", argument(0, masked: .max, equals: UInt64(PR_SET_NAME)))
    let code = seccomp_load(filter)
    return code == 0 ? nil : String(cString: strerror(-code))
  }

  private static func argument(
    _ index: UInt32, masked mask: UInt64, equals value: UInt64
  ) -> scmp_arg_cmp { sc_masked(index, mask, value) }

  /// A call that does not exist on this machine needs no rule.
  private static func add(
    _ filter: scmp_filter_ctx, _ action: UInt32, _ name: String, _ tests: scmp_arg_cmp...
  ) {
    let number = seccomp_syscall_resolve_name(name)
    guard number != __NR_SCMP_ERROR else { return }
    seccomp_rule_add_array(filter, action, number, UInt32(tests.count), tests)
  }
}
