// XXH3 as Swift sees it: on x86-64 the variant that uses what the processor has (Debian builds its
// library with it), which the header offers as macros.
#ifndef STORYTTY_CXXHASH_H
#define STORYTTY_CXXHASH_H

#include <xxhash.h>
#if defined(__x86_64__)
#include <xxh_x86dispatch.h>
#endif

static inline uint64_t cx_hash(const void *bytes, size_t count, uint64_t seed) {
  return XXH3_64bits_withSeed(bytes, count, seed);
}
static inline XXH128_hash_t cx_wide_hash(const void *bytes, size_t count, const void *secret,
                                         size_t secret_count) {
  return XXH3_128bits_withSecret(bytes, count, secret, secret_count);
}

#endif
