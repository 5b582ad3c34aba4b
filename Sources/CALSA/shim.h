// libasound for Swift. It is loaded when the first sound is played and not linked, so that stories
// start fast without it, and play silently if it is missing.
#ifndef STORYTTY_CALSA_H
#define STORYTTY_CALSA_H

#include <alsa/asoundlib.h>
#include <errno.h>

#include "../CLateLibrary/late_library.h"

#define CA_FUNCTIONS(each) \
  each(snd_asoundlib_version) each(snd_lib_error_set_handler) each(snd_strerror) \
  each(snd_config_update_free_global) each(snd_pcm_open) each(snd_pcm_close) \
  each(snd_pcm_set_params) each(snd_pcm_get_params) each(snd_pcm_sw_params_malloc) \
  each(snd_pcm_sw_params_free) each(snd_pcm_sw_params_current) \
  each(snd_pcm_sw_params_set_start_threshold) each(snd_pcm_sw_params) each(snd_pcm_info_malloc) \
  each(snd_pcm_info_free) each(snd_pcm_info) each(snd_pcm_info_get_name) \
  each(snd_pcm_avail_update) each(snd_pcm_writei) each(snd_pcm_delay) each(snd_pcm_start) \
  each(snd_pcm_drop) each(snd_pcm_prepare)

LATE_LIBRARY(ca_library, CA_FUNCTIONS)

/// Drops libasound's messages, which would otherwise appear on the terminal.
static void ca_ignore(const char *file, int line, const char *function, int code,
                      const char *format, ...) {
  (void)file, (void)line, (void)function, (void)code, (void)format;
}

/// Loads the library; 0 where it or a function is missing.
static inline int ca_load(struct ca_library *library) {
  if (ca_library_load(library, "libasound.so.2")) return 0;
  library->snd_lib_error_set_handler(ca_ignore);
  return 1;
}

/// Makes a device start by itself once it has so many frames; returns 0 or an error code.
static inline int ca_set_start_threshold(const struct ca_library *library, snd_pcm_t *pcm,
                                         snd_pcm_uframes_t frames) {
  snd_pcm_sw_params_t *params;
  int code = library->snd_pcm_sw_params_malloc(&params);
  if (code < 0) return code;
  code = library->snd_pcm_sw_params_current(pcm, params);
  if (code >= 0) code = library->snd_pcm_sw_params_set_start_threshold(pcm, params, frames);
  if (code >= 0) code = library->snd_pcm_sw_params(pcm, params);
  library->snd_pcm_sw_params_free(params);
  return code;
}

#endif
