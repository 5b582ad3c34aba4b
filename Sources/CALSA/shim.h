// libasound, loaded when the first sound is to be heard: nothing links it, so that stories start as
// fast as without it, and play on silently where it is missing.
#ifndef STORYTTY_CALSA_H
#define STORYTTY_CALSA_H

#include <alsa/asoundlib.h>
#include <dlfcn.h>
#include <errno.h>

/// The functions that are used, as asoundlib.h declares them.
struct ca_library {
  __typeof__(&snd_asoundlib_version) version;
  __typeof__(&snd_lib_error_set_handler) set_error_handler;
  __typeof__(&snd_strerror) strerror;
  __typeof__(&snd_config_update_free_global) forget_configuration;
  __typeof__(&snd_pcm_open) open;
  __typeof__(&snd_pcm_close) close;
  __typeof__(&snd_pcm_set_params) set_params;
  __typeof__(&snd_pcm_get_params) get_params;
  __typeof__(&snd_pcm_sw_params_malloc) sw_params_malloc;
  __typeof__(&snd_pcm_sw_params_free) sw_params_free;
  __typeof__(&snd_pcm_sw_params_current) sw_params_current;
  __typeof__(&snd_pcm_sw_params_set_start_threshold) sw_params_set_start_threshold;
  __typeof__(&snd_pcm_sw_params) sw_params;
  __typeof__(&snd_pcm_info_malloc) info_malloc;
  __typeof__(&snd_pcm_info_free) info_free;
  __typeof__(&snd_pcm_info) info;
  __typeof__(&snd_pcm_info_get_name) info_get_name;
  __typeof__(&snd_pcm_avail_update) avail_update;
  __typeof__(&snd_pcm_writei) writei;
  __typeof__(&snd_pcm_delay) delay;
  __typeof__(&snd_pcm_start) start;
  __typeof__(&snd_pcm_drop) drop;
  __typeof__(&snd_pcm_prepare) prepare;
};

/// What libasound complains of goes nowhere: the terminal is not its own.
static void ca_ignore(const char *file, int line, const char *function, int code,
                      const char *format, ...) {
  (void)file, (void)line, (void)function, (void)code, (void)format;
}

/// Loads the library for the rest of the process; 0 where it or a function is missing.
static inline int ca_load(struct ca_library *library) {
  void *handle = dlopen("libasound.so.2", RTLD_NOW | RTLD_LOCAL);
  if (!handle) return 0;
#define CA_FIND(member, name) \
  if (!(library->member = (__typeof__(library->member))dlsym(handle, name))) return 0
  CA_FIND(version, "snd_asoundlib_version");
  CA_FIND(set_error_handler, "snd_lib_error_set_handler");
  CA_FIND(strerror, "snd_strerror");
  CA_FIND(forget_configuration, "snd_config_update_free_global");
  CA_FIND(open, "snd_pcm_open");
  CA_FIND(close, "snd_pcm_close");
  CA_FIND(set_params, "snd_pcm_set_params");
  CA_FIND(get_params, "snd_pcm_get_params");
  CA_FIND(sw_params_malloc, "snd_pcm_sw_params_malloc");
  CA_FIND(sw_params_free, "snd_pcm_sw_params_free");
  CA_FIND(sw_params_current, "snd_pcm_sw_params_current");
  CA_FIND(sw_params_set_start_threshold, "snd_pcm_sw_params_set_start_threshold");
  CA_FIND(sw_params, "snd_pcm_sw_params");
  CA_FIND(info_malloc, "snd_pcm_info_malloc");
  CA_FIND(info_free, "snd_pcm_info_free");
  CA_FIND(info, "snd_pcm_info");
  CA_FIND(info_get_name, "snd_pcm_info_get_name");
  CA_FIND(avail_update, "snd_pcm_avail_update");
  CA_FIND(writei, "snd_pcm_writei");
  CA_FIND(delay, "snd_pcm_delay");
  CA_FIND(start, "snd_pcm_start");
  CA_FIND(drop, "snd_pcm_drop");
  CA_FIND(prepare, "snd_pcm_prepare");
#undef CA_FIND
  library->set_error_handler(ca_ignore);
  return 1;
}

/// Lets a device start by itself once it has so many frames; 0 or an error code.
static inline int ca_set_start_threshold(const struct ca_library *library, snd_pcm_t *pcm,
                                         snd_pcm_uframes_t frames) {
  snd_pcm_sw_params_t *params;
  int code = library->sw_params_malloc(&params);
  if (code < 0) return code;
  code = library->sw_params_current(pcm, params);
  if (code >= 0) code = library->sw_params_set_start_threshold(pcm, params, frames);
  if (code >= 0) code = library->sw_params(pcm, params);
  library->sw_params_free(params);
  return code;
}

#endif
