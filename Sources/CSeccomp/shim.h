// libseccomp as Swift sees it, and the attempts that prove a closed sandbox.
#ifndef STORYTTY_CSECCOMP_H
#define STORYTTY_CSECCOMP_H

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static inline uint32_t sc_allow(void) { return SCMP_ACT_ALLOW; }
static inline uint32_t sc_fail(int code) { return SCMP_ACT_ERRNO((uint32_t)code); }

/// The argument at `index` equals `value` where `mask` has ones.
static inline struct scmp_arg_cmp sc_masked(unsigned index, uint64_t mask, uint64_t value) {
  struct scmp_arg_cmp test = {index, SCMP_CMP_MASKED_EQ, mask, value};
  return test;
}

/// The flag of clone that makes a thread of this process.
static inline uint64_t sc_thread_flag(void) { return CLONE_THREAD; }

/// Attempts of what a decoder must not be able to do. Each returns 0 if it succeeded, else errno.
static inline int sc_attempt_open(void) {
  int number = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (number < 0) return errno;
  close(number);
  return 0;
}

static inline int sc_attempt_socket(void) {
  int number = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (number < 0) return errno;
  close(number);
  return 0;
}

static inline int sc_attempt_exec(void) {
  char *none[] = {NULL};
  execve("/nonexistent/program", none, none);
  return errno == ENOENT ? 0 : errno;  // the kernel looked for it: the call was let through
}

static inline int sc_attempt_fork(void) {
  long child = syscall(SYS_clone, (long)SIGCHLD, 0L, 0L, 0L, 0L);
  if (child < 0) return errno;
  if (child == 0) _exit(0);
  waitpid((pid_t)child, NULL, 0);
  return 0;
}

static inline int sc_attempt_ptrace(void) {
  return ptrace(PTRACE_TRACEME, 0, NULL, NULL) ? errno : 0;
}

static inline int sc_attempt_kill(void) { return kill(getppid(), 0) ? errno : 0; }

static inline int sc_attempt_executable_memory(void) {
  void *page = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return errno;
  munmap(page, 4096);
  return 0;
}

/// By its path, also with the flag that allows an empty path.
static inline int sc_attempt_stat(void) {
  struct stat about;
  if (!stat("/", &about) || !lstat("/", &about)) return 0;
  const int empty_path = 0x1000;  // AT_EMPTY_PATH, which <fcntl.h> names only with _GNU_SOURCE
  return fstatat(AT_FDCWD, "/", &about, empty_path) ? errno : 0;
}

/// Ignores the signal that ends a process that used up its processor time.
static inline int sc_attempt_handler(void) {
  struct sigaction ignore = {.sa_handler = SIG_IGN};
  return sigaction(SIGXCPU, &ignore, NULL) ? errno : 0;
}

static inline int sc_attempt_block(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGXCPU);
  return sigprocmask(SIG_BLOCK, &set, NULL) ? errno : 0;
}

#endif
