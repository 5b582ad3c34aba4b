#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static int argument_count;
static char **arguments;

// Keeps main's arguments before any Swift code runs (glibc passes them to constructors too).
__attribute__((constructor)) static void keep_arguments(int count, char **words) {
  argument_count = count;
  arguments = words;
}

int lx_argument_count(void) { return argument_count; }
const char *lx_argument(int index) { return index >= 0 && index < argument_count ? arguments[index] : NULL; }

// `socket` becomes descriptor 3, and `out` becomes 1 and 2; -1 for none.
static int spawn(const char *path, int in_path, char *const argv[], char *const envp[], int socket,
                 int out, pid_t *pid) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  sigset_t all, blocked;
  sigfillset(&all);
  // A ^Z that comes before the new group exists would stop the child before it runs its program,
  // and then this process too, which waits for that.
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTSTP);
  int error = posix_spawn_file_actions_init(&files);
  if (!error) error = posix_spawnattr_init(&attributes);
  if (error) return error;
  // The given descriptors are copied first: they may be among 0 to 2 if the player was started
  // without those.
  if (out >= 0) error = posix_spawn_file_actions_adddup2(&files, out, 3);
  if (socket >= 0) error = posix_spawn_file_actions_adddup2(&files, socket, 3);
  for (int fd = 0; fd < 3 && !error; fd++)
    error = fd && out >= 0
                ? posix_spawn_file_actions_adddup2(&files, 3, fd)
                : posix_spawn_file_actions_addopen(&files, fd, "/dev/null", fd ? O_WRONLY : O_RDONLY, 0);
  if (!error) error = posix_spawn_file_actions_addclosefrom_np(&files, socket >= 0 ? 4 : 3);
  if (!error) error = posix_spawnattr_setsigdefault(&attributes, &all);
  if (!error) error = posix_spawnattr_setsigmask(&attributes, &blocked);
  // The child gets its own group: ^C and ^Z of the terminal are for the player.
  const short flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP;
  if (!error) error = posix_spawnattr_setflags(&attributes, flags);
  if (!error) error = (in_path ? posix_spawnp : posix_spawn)(pid, path, &files, &attributes, argv, envp);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

int lx_spawn(const char *path, char *const argv[], char *const envp[], int socket, pid_t *pid) {
  return spawn(path, 0, argv, envp, socket, -1, pid);
}

int lx_spawn_detached(const char *name, char *const argv[], pid_t *pid) {
  return spawn(name, 1, argv, environ, -1, -1, pid);
}

int lx_spawn_reading(const char *path, char *const argv[], int *out, pid_t *pid) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC)) return errno;
  int error = spawn(path, 0, argv, environ, -1, ends[1], pid);
  close(ends[1]);
  if (!error) *out = ends[0]; else close(ends[0]);
  return error;
}

int lx_socketpair(int pair[2]) { return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) ? errno : 0; }

// A message of one byte, with room for one descriptor.
struct passing {
  struct msghdr message;
  struct iovec part;
  char byte;
  union {
    struct cmsghdr header;
    char room[CMSG_SPACE(sizeof(int))];
  } control;
};

static void lay_out(struct passing *passing, char byte) {
  *passing = (struct passing){.byte = byte};
  passing->part = (struct iovec){&passing->byte, 1};
  passing->message = (struct msghdr){.msg_iov = &passing->part, .msg_iovlen = 1,
                                     .msg_control = passing->control.room,
                                     .msg_controllen = sizeof passing->control.room};
}

int lx_send_descriptor(int socket, int descriptor, char byte) {
  struct passing passing;
  lay_out(&passing, byte);
  struct cmsghdr *header = CMSG_FIRSTHDR(&passing.message);
  *header = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
  memcpy(CMSG_DATA(header), &descriptor, sizeof(int));
  ssize_t sent;
  do {
    sent = sendmsg(socket, &passing.message, MSG_NOSIGNAL | MSG_DONTWAIT);
  } while (sent < 0 && errno == EINTR);
  return sent == 1 ? 0 : errno;
}

int lx_receive_descriptor(int socket, int *descriptor, char *byte) {
  struct passing passing;
  lay_out(&passing, 0);
  *descriptor = -1;
  ssize_t got;
  do {
    got = recvmsg(socket, &passing.message, MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  if (got < 0) return errno;
  struct cmsghdr *header = CMSG_FIRSTHDR(&passing.message);
  if (got == 1 && header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS)
    memcpy(descriptor, CMSG_DATA(header), sizeof(int));
  *byte = passing.byte;
  return 0;
}

pid_t lx_fork_sibling(void) {
  // glibc keeps the thread's number where the kernel clears it at the thread's end; the new process
  // needs its own there.
  int *own_number = NULL;
  unsigned long flags = CLONE_PARENT;
  if (!prctl(PR_GET_TID_ADDRESS, &own_number) && own_number)
    flags |= CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID;
  // The order of the last two differs (clone(2)).
#if defined(__x86_64__)
  long number = syscall(SYS_clone, flags, NULL, NULL, own_number, NULL);
#elif defined(__aarch64__)
  long number = syscall(SYS_clone, flags, NULL, NULL, NULL, own_number);
#else
#error "say in which order clone takes its arguments on this machine"
#endif
  return number < 0 ? -errno : (pid_t)number;
}

pid_t lx_fork(void) { return fork(); }

int lx_keep_only(int descriptor) {
  if (descriptor != 3 && dup2(descriptor, 3) < 0) return errno;
  if (fcntl(3, F_SETFD, 0) < 0) return errno;
  closefrom(4);
  return 0;
}

ssize_t lx_read_cached(int file, void *bytes, size_t count, int64_t offset) {
  struct iovec part = {bytes, count};
  ssize_t got;
  do {
    got = preadv2(file, &part, 1, offset, RWF_NOWAIT);
  } while (got < 0 && errno == EINTR);
  return got;
}

int lx_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }
const int lx_set_description_lock = F_OFD_SETLK;

int lx_limit_cpu(pid_t pid, uint64_t soft_seconds) {
  struct rlimit limit;
  if (prlimit(pid, RLIMIT_CPU, NULL, &limit)) return errno;
  limit.rlim_cur = soft_seconds < limit.rlim_max ? soft_seconds : limit.rlim_max;
  return prlimit(pid, RLIMIT_CPU, &limit, NULL) ? errno : 0;
}

int lx_die_with_parent(void) { return prctl(PR_SET_PDEATHSIG, SIGKILL) ? errno : 0; }

static struct {
  atomic_int armed;
  int descriptor, flags;
  size_t count;
  char bytes[1024];
  struct termios saved;
} guard;

// Writes the guarded bytes, and waits no longer than that. The descriptor may be shared with the
// shell, so it must block again afterwards.
static int write_guarded(int milliseconds) {
  fcntl(guard.descriptor, F_SETFL, guard.flags | O_NONBLOCK);
  size_t done = 0;
  for (int waited = 0; done < guard.count;) {
    ssize_t written = write(guard.descriptor, guard.bytes + done, guard.count - done);
    if (written > 0) done += (size_t)written;
    else if (written < 0 && errno != EINTR && (errno != EAGAIN || waited >= milliseconds)) break;
    else poll(&(struct pollfd){guard.descriptor, POLLOUT, 0}, 1, 10), waited += 10;
  }
  fcntl(guard.descriptor, F_SETFL, guard.flags);
  return done == guard.count;
}

void lx_restore_terminal(void) {
  if (!atomic_load(&guard.armed)) return;
  if (!write_guarded(400)) {
    // Nobody reads, or the output was stopped: the queued bytes are discarded to make room for
    // these.
    tcflow(guard.descriptor, TCOON);
    tcflush(guard.descriptor, TCOFLUSH);
    write_guarded(100);
  }
  tcsetattr(guard.descriptor, TCSANOW, &guard.saved);
  atomic_store(&guard.armed, 0);  // only now: a signal that ends the process before restores too
}

void lx_guard_terminal(int descriptor, const void *bytes, size_t count,
                       const struct termios *saved) {
  atomic_store(&guard.armed, 0);
  guard.descriptor = descriptor;
  guard.flags = fcntl(descriptor, F_GETFL);
  guard.count = count < sizeof guard.bytes ? count : sizeof guard.bytes;
  memcpy(guard.bytes, bytes, guard.count);
  guard.saved = *saved;
  atomic_store(&guard.armed, 1);
}

void lx_release_terminal(void) { atomic_store(&guard.armed, 0); }

void lx_reraise(int signal) {
  struct sigaction plain = {.sa_handler = SIG_DFL};
  sigaction(signal, &plain, NULL);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  raise(signal);
  sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static void crashed(int signal) {
  lx_restore_terminal();
  lx_reraise(signal);
}

void lx_install_crash_handler(void) {
  static char stack[64 << 10];  // for a stack overflow
  stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
  sigaltstack(&alternate, NULL);
  struct sigaction action = {.sa_handler = crashed, .sa_flags = SA_ONSTACK | SA_RESETHAND};
  // Signals that end a process (signal(7)) and are not watched otherwise; ignored ones stay
  // ignored.
  const int fatal[] = {SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGQUIT, SIGSYS, SIGALRM,
                       SIGVTALRM, SIGPROF, SIGUSR1, SIGUSR2, SIGXCPU, SIGIO, SIGPWR, SIGSTKFLT};
  struct sigaction old;
  for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
    if (!sigaction(fatal[i], NULL, &old) && old.sa_handler != SIG_IGN) sigaction(fatal[i], &action, NULL);
}

static _Atomic uint64_t pending;
static _Atomic int64_t final_since;  // seconds
static atomic_int wake_descriptor = -1;

static void arrived(int signal) {
  int saved = errno;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  uint64_t before = atomic_fetch_or(&pending, 1ull << signal);
  if (signal == SIGINT || signal == SIGTERM || signal == SIGHUP) {
    // When a terminal closes, both kernel and shell send HUP, so only a second signal more than a
    // second later counts as a request to end at once.
    if (!(before >> signal & 1)) atomic_store(&final_since, now.tv_sec);
    else if (now.tv_sec - atomic_load(&final_since) > 1) crashed(signal);
  }
  if (write(atomic_load(&wake_descriptor), &(uint64_t){1}, sizeof(uint64_t)) < 0) errno = saved;
}

int lx_watch_signal(int signal, int wake) {
  atomic_store(&wake_descriptor, wake);
  struct sigaction action = {.sa_handler = arrived, .sa_flags = SA_RESTART};
  return sigaction(signal, &action, NULL) ? errno : 0;
}

uint64_t lx_take_signals(void) { return atomic_exchange(&pending, 0); }

int lx_next_option(int argc, char *const argv[], const char *shorts, const struct lx_option *longs,
                   int count, const char **argument, int *next, int *letter) {
  struct option table[65] = {0};
  for (int i = 0; i < count && i < 64; i++)
    table[i] = (struct option){longs[i].name, longs[i].takes_argument ? required_argument : no_argument,
                               NULL, longs[i].value};
  opterr = 0;
  int value = getopt_long(argc, argv, shorts, table, NULL);
  *argument = optarg;
  *next = optind;
  *letter = optopt;
  return value;
}

int lx_wait(struct pollfd *entries, unsigned long count, int64_t nanoseconds) {
  struct timespec timeout = {nanoseconds / 1000000000, nanoseconds % 1000000000};
  return ppoll(entries, count, nanoseconds < 0 ? NULL : &timeout, NULL);
}
