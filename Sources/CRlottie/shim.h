#ifndef STORYTTY_CRLOTTIE_H
#define STORYTTY_CRLOTTIE_H

#include <malloc.h>
#include <pthread.h>
#include <rlottie_capi.h>

// glibc declares it only with _GNU_SOURCE.
extern int pthread_setattr_default_np(const pthread_attr_t *attributes);

/// Makes threads that are started from now on use little address space: no heaps of their own, and
/// stacks of 256 KiB.
static inline void rl_keep_threads_small(void) {
  mallopt(M_ARENA_MAX, 1);
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes)) return;
  pthread_attr_setstacksize(&attributes, 256 << 10);
  pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
}

#endif
