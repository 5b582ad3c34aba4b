// How a library is loaded that no program waits for before it is needed: by a list of its functions.
// Included by the modules of such libraries.
#ifndef STORYTTY_LATE_LIBRARY_H
#define STORYTTY_LATE_LIBRARY_H

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

/// Declares `struct NAME`, which has a member for each function that `LIST(each)` names, called as the
/// function and of the type that its header declares; and `NAME_load`, which fills it from the shared
/// object `file`. That returns NULL, or why not, which is valid until the next dl call. The library is
/// never unloaded.
#define LATE_LIBRARY(NAME, LIST)                                                              \
  struct NAME {                                                                               \
    LIST(LATE_LIBRARY_MEMBER)                                                                 \
  };                                                                                          \
  static inline const char *NAME##_load(struct NAME *library, const char *file) {             \
    static const char *const names[] = {LIST(LATE_LIBRARY_NAME)};                             \
    return late_library_find(library, names, sizeof names / sizeof *names, file);             \
  }
#define LATE_LIBRARY_MEMBER(function) __typeof__(&function) function;
#define LATE_LIBRARY_NAME(function) #function,

static inline const char *late_library_find(void *table, const char *const *names, size_t count,
                                            const char *file) {
  void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!handle) return dlerror();
  for (size_t index = 0; index < count; index++) {
    void *function = dlsym(handle, names[index]);
    if (!function) return dlerror();
    // POSIX (dlsym): a void * holds the address of a function.
    memcpy((char *)table + index * sizeof function, &function, sizeof function);
  }
  return NULL;
}

#endif
