// Calls to Linux that Swift's Glibc hides, and code that must be safe inside a signal handler.
#ifndef STORYTTY_CLINUX_H
#define STORYTTY_CLINUX_H

#include <fcntl.h>
#include <linux/openat2.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <termios.h>
#include <unistd.h>

/// The arguments of this process, its own name first, as the C library passed them; NULL after the
/// last.
int lx_argument_count(void);
const char *lx_argument(int index);

/// Starts `path` with descriptors 0 to 2 on /dev/null, `socket` as 3 and nothing else open, default
/// signal actions and an empty mask. Returns 0 or an errno value.
int lx_spawn(const char *path, char *const argv[], char *const envp[], int socket, pid_t *pid);

/// Starts a program found in PATH, with /dev/null as 0 to 2, nothing else open, and this process's
/// environment. Returns 0 or an errno value.
int lx_spawn_detached(const char *name, char *const argv[], pid_t *pid);

/// Starts a program whose standard output and error are read from `out`. Returns 0 or an errno value.
int lx_spawn_reading(const char *path, char *const argv[], int *out, pid_t *pid);

/// A connected pair of stream sockets, close-on-exec. Returns 0 or an errno value.
int lx_socketpair(int pair[2]);

/// Reads bytes of a file that the kernel has in memory; -1 if it would wait.
ssize_t lx_read_cached(int file, void *bytes, size_t count, int64_t offset);

/// An eventfd, non-blocking, close-on-exec; -1 on failure.
int lx_eventfd(void);

/// Sets the soft CPU limit of a process in seconds. Returns 0 or an errno value.
int lx_limit_cpu(pid_t pid, uint64_t soft_seconds);

/// Asks the kernel to kill this process when its parent ends. Returns 0 or an errno value.
int lx_die_with_parent(void);

/// Makes `signal` set a bit and write to `wake`. A second INT, TERM or HUP before the set was taken
/// restores the terminal and ends the process at once.
int lx_watch_signal(int signal, int wake);

/// Takes the set of signals that have come, as bits.
uint64_t lx_take_signals(void);

/// The bytes that a fatal signal writes to the terminal, and the attributes that it sets, before the
/// process ends. The bytes are copied; at most 1,024.
void lx_guard_terminal(int descriptor, const void *bytes, size_t count, const struct termios *saved);

/// The terminal needs no restoring any more.
void lx_release_terminal(void);

/// Restores the terminal now; safe in a signal handler. Takes half a second at most: a terminal that
/// accepts nothing loses its queued output.
void lx_restore_terminal(void);

/// Makes the signals that end a process, as SEGV or USR1, restore the terminal first.
void lx_install_crash_handler(void);

/// Restores the default action of a signal and raises it; does not return for a fatal one.
void lx_reraise(int signal);

/// One step of getopt_long over long and short options. Returns the option's value, or -1 at the end;
/// `argument` is the option's, `next` the index of the first operand. '?' or ':' is a mistake, with the
/// option in `letter` if it is a short one; getopt prints nothing.
struct lx_option {
  const char *name;
  int takes_argument;
  int value;
};
int lx_next_option(int argc, char *const argv[], const char *shorts, const struct lx_option *longs,
                   int count, const char **argument, int *next, int *letter);

/// ppoll without a mask; a negative timeout waits for ever.
int lx_wait(struct pollfd *entries, unsigned long count, int64_t nanoseconds);

/// fcntl's command that locks a range for an open file description (F_OFD_SETLK).
extern const int lx_set_description_lock;

/// Opens a file below a directory: the kernel refuses (EXDEV) each `..`, absolute or symbolic path that
/// leads out of it, even while the tree changes (openat2(2), Linux 5.6). `only_look` opens it for
/// fstat alone, without touching it; else it is opened for reading, non-blocking.
static inline int lx_open_beneath(int folder, const char *path, int only_look) {
  struct open_how how = {
      .flags = O_CLOEXEC | (only_look ? __O_PATH : O_RDONLY | O_NONBLOCK | O_NOCTTY),
      .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
  return (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
}

#endif
