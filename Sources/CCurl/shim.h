// libcurl for Swift. It loads thirty other libraries, so it is loaded at the first use of the network.
// Its setters and getters are variadic, so Swift cannot call them.
#ifndef STORYTTY_CCURL_H
#define STORYTTY_CCURL_H

#include <curl/curl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "../CLateLibrary/late_library.h"

#define CC_FUNCTIONS(each) \
  each(curl_global_init) each(curl_slist_append) each(curl_slist_free_all) \
  each(curl_easy_init) each(curl_easy_setopt) each(curl_easy_getinfo) \
  each(curl_easy_pause) each(curl_easy_cleanup) \
  each(curl_multi_init) each(curl_multi_setopt) each(curl_multi_add_handle) \
  each(curl_multi_remove_handle) each(curl_multi_perform) each(curl_multi_poll) \
  each(curl_multi_info_read) each(curl_multi_cleanup)

LATE_LIBRARY(cc_library, CC_FUNCTIONS)
typedef struct cc_library cc_library;

/// Loads the library; null where it is not installed or lacks a function. It is never unloaded,
/// because OpenSSL leaves handlers behind that run at the end of the program.
static inline const cc_library *cc_load(const char *file) {
  cc_library *library = malloc(sizeof *library);
  if (!library) return 0;
  if (!cc_library_load(library, file) && library->curl_global_init(CURL_GLOBAL_ALL) == CURLE_OK)
    return library;
  free(library);
  return 0;
}

typedef size_t (*cc_receiver)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode cc_set_number(const cc_library *library, CURL *easy, CURLoption option,
                                     long value) {
  return (library->curl_easy_setopt)(easy, option, value);
}
static inline CURLcode cc_set_text(const cc_library *library, CURL *easy, CURLoption option,
                                   const char *value) {
  return (library->curl_easy_setopt)(easy, option, value);
}
static inline CURLcode cc_set_list(const cc_library *library, CURL *easy, CURLoption option,
                                   struct curl_slist *value) {
  return (library->curl_easy_setopt)(easy, option, value);
}
static inline CURLcode cc_set_receivers(const cc_library *library, CURL *easy, cc_receiver head,
                                        cc_receiver body, void *context) {
  (library->curl_easy_setopt)(easy, CURLOPT_HEADERFUNCTION, head);
  (library->curl_easy_setopt)(easy, CURLOPT_HEADERDATA, context);
  (library->curl_easy_setopt)(easy, CURLOPT_WRITEFUNCTION, body);
  return (library->curl_easy_setopt)(easy, CURLOPT_WRITEDATA, context);
}
/// Received bytes that were not read yet are lost when a transfer is cancelled, so the buffer is small.
static inline int cc_limit_buffer(void *unused, curl_socket_t socket, curlsocktype purpose) {
  int size = 256 << 10;
  (void)unused;
  (void)purpose;
  setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
  return CURL_SOCKOPT_OK;
}
static inline CURLcode cc_set_small_buffer(const cc_library *library, CURL *easy) {
  return (library->curl_easy_setopt)(easy, CURLOPT_SOCKOPTFUNCTION, cc_limit_buffer);
}
/// Keeps the other side from sending more than it was already allowed to.
static inline void cc_close_window(const cc_library *library, CURL *easy) {
  curl_socket_t socket = CURL_SOCKET_BAD;
  int least = 1;
  if ((library->curl_easy_getinfo)(easy, CURLINFO_ACTIVESOCKET, &socket) == CURLE_OK &&
      socket != CURL_SOCKET_BAD)
    setsockopt(socket, IPPROTO_TCP, TCP_WINDOW_CLAMP, &least, sizeof least);
}
/// Called with the address that a connection has reached, before anything is sent.
typedef int (*cc_gate)(void *context, char *peer, char *own, int peer_port, int own_port);
static inline CURLcode cc_set_gate(const cc_library *library, CURL *easy, cc_gate gate,
                                   void *context) {
  (library->curl_easy_setopt)(easy, CURLOPT_PREREQFUNCTION, gate);
  return (library->curl_easy_setopt)(easy, CURLOPT_PREREQDATA, context);
}
static inline CURLMcode cc_multi_set_number(const cc_library *library, CURLM *multi,
                                            CURLMoption option, long value) {
  return (library->curl_multi_setopt)(multi, option, value);
}
/// The next transfer that has ended; 0 when there is none.
static inline int cc_next_ended(const cc_library *library, CURLM *multi, CURL **easy,
                                CURLcode *result) {
  int left;
  CURLMsg *message;
  while ((message = library->curl_multi_info_read(multi, &left)))
    if (message->msg == CURLMSG_DONE) {
      *easy = message->easy_handle;
      *result = message->data.result;
      return 1;
    }
  return 0;
}

static inline size_t cc_pause(void) { return CURL_WRITEFUNC_PAUSE; }
/// Requests HTTP/2 over TLS, and HTTP/1.1 where that is refused.
static inline long cc_http2_over_tls(void) { return CURL_HTTP_VERSION_2TLS; }
static inline long cc_auth_basic(void) { return CURLAUTH_BASIC; }

#endif
