// libmicrohttpd for Swift. Its start function is variadic; and it is loaded only by `serve`, since it
// loads ten more libraries.
#ifndef STORYTTY_CMICROHTTPD_H
#define STORYTTY_CMICROHTTPD_H

#include <microhttpd.h>

#include "../CLateLibrary/late_library.h"

#define MH_FUNCTIONS(each) \
  each(MHD_start_daemon) each(MHD_quiesce_daemon) each(MHD_stop_daemon) \
  each(MHD_get_connection_values) each(MHD_get_connection_info) \
  each(MHD_create_response_from_fd_at_offset64) \
  each(MHD_create_response_from_buffer_with_free_callback_cls) each(MHD_add_response_header) \
  each(MHD_queue_response) each(MHD_destroy_response) each(MHD_get_version)

LATE_LIBRARY(mh_library, MH_FUNCTIONS)

/// Loads the library. Returns NULL, or the reason why it failed, which is valid until the next dl call.
static inline const char *mh_load(struct mh_library *library) {
  return mh_library_load(library, "libmicrohttpd.so.12");
}

/// Limits for clients.
struct mh_limits {
  unsigned connections, connections_per_address, idle_seconds, threads;
  size_t head_bytes;
};

/// Callbacks, which get `context` and run on the daemon's threads.
struct mh_callbacks {
  void *context;
  /// A request line has come; what it returns is the request's own pointer from then on.
  void *(*request_began)(void *context, const char *target, struct MHD_Connection *);
  MHD_AccessHandlerCallback handle;
  MHD_RequestCompletedCallback request_completed;
  MHD_NotifyConnectionCallback connection_changed;
};

/// Starts a daemon that takes connections from `socket`, which stays the caller's until quiesced.
static inline struct MHD_Daemon *mh_start(const struct mh_library *library, int socket,
                                          struct mh_limits limits, struct mh_callbacks hooks) {
  return library->MHD_start_daemon(
      MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ITC, 0, NULL, NULL, hooks.handle, hooks.context,
      MHD_OPTION_LISTEN_SOCKET, (MHD_socket)socket,
      MHD_OPTION_CONNECTION_LIMIT, limits.connections,
      MHD_OPTION_PER_IP_CONNECTION_LIMIT, limits.connections_per_address,
      MHD_OPTION_CONNECTION_TIMEOUT, limits.idle_seconds,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, limits.head_bytes,
      MHD_OPTION_THREAD_POOL_SIZE, limits.threads,
      MHD_OPTION_STRICT_FOR_CLIENT, 1,
      MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1,
      MHD_OPTION_URI_LOG_CALLBACK, hooks.request_began, hooks.context,
      MHD_OPTION_NOTIFY_COMPLETED, hooks.request_completed, hooks.context,
      MHD_OPTION_NOTIFY_CONNECTION, hooks.connection_changed, hooks.context,
      MHD_OPTION_END);
}

/// The socket of a connection; -1 if unknown.
static inline int mh_socket(const struct mh_library *library, struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      library->MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}

/// The client's address, valid as long as the connection; NULL if unknown.
static inline const struct sockaddr *mh_client(const struct mh_library *library,
                                               struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      library->MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  return info ? info->client_addr : NULL;
}

#endif
