// Linux functions that Swift's Glibc module lacks, and code that must be safe in a signal handler.
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

/// The arguments of this process, the program's name first, as the C library got them; NULL beyond
/// the last.
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

/// Reads from a file at an offset only bytes that the kernel has in memory; -1 where it would wait.
ssize_t lx_read_cached(int file, void *bytes, size_t count, int64_t offset);

/// An eventfd, non-blocking, close-on-exec; -1 on failure.
int lx_eventfd(void);

/// Sets the soft CPU limit of a process in seconds. Returns 0 or an errno value.
int lx_limit_cpu(pid_t pid, uint64_t soft_seconds);

/// Sends a descriptor, and a byte whose meaning is the caller's, through a Unix socket, without waiting.
/// Returns 0 or an errno value.
int lx_send_descriptor(int socket, int descriptor, char byte);

/// Waits for one byte and the descriptor that comes with it, close-on-exec; -1 in `descriptor` where
/// none came, and 0 in `byte` at the end. Returns 0 or an errno value.
int lx_receive_descriptor(int socket, int *descriptor, char *byte);

/// Forks a process whose parent is this one's parent (CLONE_PARENT). Only for a process with one
/// thread: another one's locks, of malloc or stdio, would be held for ever in the new process. Gives
/// 0 in the new process, its number in this one, or a negative errno value.
pid_t lx_fork_sibling(void);

/// fork, which Swift leaves out. Only for a process with one thread. Gives -1 on failure.
pid_t lx_fork(void);

/// Makes `descriptor` number 3 and closes all others above 2. Returns 0 or an errno value.
int lx_keep_only(int descriptor);

/// Asks the kernel to kill this process when its parent ends. Returns 0 or an errno value.
int lx_die_with_parent(void);

/// Delivers `signal` as a bit in a set and a write to `wake`. If INT, TERM or HUP comes again after
/// more than a second, before the set was taken, it restores the terminal and ends the process at
/// once.
int lx_watch_signal(int signal, int wake);

/// Takes the set of pending signals, as bits.
uint64_t lx_take_signals(void);

/// Sets what a fatal signal writes to the terminal, and the attributes it sets, before the process
/// ends. The bytes are copied; at most 1,024.
void lx_guard_terminal(int descriptor, const void *bytes, size_t count, const struct termios *saved);

/// The terminal needs no restoring any more.
void lx_release_terminal(void);

/// Restores the guarded terminal now; safe in a signal handler. Takes at most half a second: a
/// terminal that accepts nothing loses its queued output.
void lx_restore_terminal(void);

/// Makes signals that end a process, such as SEGV or USR1, restore the terminal first.
void lx_install_crash_handler(void);

/// Restores the default action of a signal and raises it; does not return for a fatal one.
void lx_reraise(int signal);

/// One step of getopt_long over long and short options. Gives the option's value, or -1 at the end;
/// `argument` is the option's argument, and `next` where the operands begin. For a mistake it gives
/// '?' or ':', with the letter in `letter` if a short option is wrong. getopt prints nothing.
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

/// Opens something below a directory, and nothing else: the kernel refuses (EXDEV) each `..`,
/// absolute path or symbolic link that leads out of it, even while the tree changes (openat2(2),
/// Linux 5.6). With `only_look` it is opened for fstat alone, without touching it; otherwise for
/// reading, without blocking.
static inline int lx_open_beneath(int folder, const char *path, int only_look) {
  struct open_how how = {
      .flags = O_CLOEXEC | (only_look ? __O_PATH : O_RDONLY | O_NONBLOCK | O_NOCTTY),
      .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
  return (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
}

#endif
