// libheif for Swift. It is loaded when a decoder may need it and not linked: it takes 4 ms of the start
// of a program, most of it to build tables of libde265 that only HEIC pictures need.
#ifndef STORYTTY_CHEIF_H
#define STORYTTY_CHEIF_H

#include <libheif/heif.h>

#include "../CLateLibrary/late_library.h"

#define CH_FUNCTIONS(each) \
  each(heif_get_version_number) each(heif_init) each(heif_context_alloc) each(heif_context_free) \
  each(heif_context_set_max_decoding_threads) \
  each(heif_context_read_from_memory_without_copy) \
  each(heif_context_get_primary_image_handle) each(heif_image_handle_release) \
  each(heif_image_handle_get_width) each(heif_image_handle_get_height) \
  each(heif_image_handle_has_alpha_channel) each(heif_decode_image) each(heif_image_release) \
  each(heif_image_get_plane) each(heif_image_get_chroma_format) each(heif_image_get_width) \
  each(heif_image_get_height) each(heif_image_is_premultiplied_alpha)

LATE_LIBRARY(ch_library, CH_FUNCTIONS)

/// Loads the library and what it loads itself; 0 where it or a function is missing.
static inline int ch_load(struct ch_library *library) {
  if (ch_library_load(library, "libheif.so.1")) return 0;
  library->heif_init(NULL);
  return 1;
}

#endif
