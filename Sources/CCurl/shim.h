// libcurl as Swift sees it: its setters and getters are variadic.
#ifndef STORYTTY_CCURL_H
#define STORYTTY_CCURL_H

#include <curl/curl.h>
#include <sys/socket.h>

typedef size_t (*cc_receiver)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode cc_global_init(void) { return curl_global_init(CURL_GLOBAL_ALL); }

static inline CURLcode cc_set_number(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}
static inline CURLcode cc_set_text(CURL *easy, CURLoption option, const char *value) {
  return curl_easy_setopt(easy, option, value);
}
static inline CURLcode cc_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(easy, option, value);
}
static inline CURLcode cc_set_receivers(CURL *easy, cc_receiver head, cc_receiver body,
                                        void *context) {
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, head);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, context);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, body);
  return curl_easy_setopt(easy, CURLOPT_WRITEDATA, context);
}
/// What has come but was not taken yet is lost when a transfer is given up: not much should be.
static inline int cc_limit_buffer(void *unused, curl_socket_t socket, curlsocktype purpose) {
  int size = 256 << 10;
  (void)unused;
  (void)purpose;
  setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
  return CURL_SOCKOPT_OK;
}
static inline CURLcode cc_set_small_buffer(CURL *easy) {
  return curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, cc_limit_buffer);
}
/// Asked with the address that a connection has reached, before anything is sent.
typedef int (*cc_gate)(void *context, char *peer, char *own, int peer_port, int own_port);
static inline CURLcode cc_set_gate(CURL *easy, cc_gate gate, void *context) {
  curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, gate);
  return curl_easy_setopt(easy, CURLOPT_PREREQDATA, context);
}
static inline CURLMcode cc_multi_set_number(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}
/// The next transfer that has ended; 0 when there is none.
static inline int cc_next_ended(CURLM *multi, CURL **easy, CURLcode *result) {
  int left;
  CURLMsg *message;
  while ((message = curl_multi_info_read(multi, &left)))
    if (message->msg == CURLMSG_DONE) {
      *easy = message->easy_handle;
      *result = message->data.result;
      return 1;
    }
  return 0;
}

static inline size_t cc_pause(void) { return CURL_WRITEFUNC_PAUSE; }
/// Asks for HTTP/2 over TLS, with HTTP/1.1 where that is refused.
static inline long cc_http2_over_tls(void) { return CURL_HTTP_VERSION_2TLS; }
static inline long cc_auth_basic(void) { return CURLAUTH_BASIC; }
static inline long cc_auth_digest(void) { return CURLAUTH_DIGEST; }

#endif
