// libmicrohttpd as Swift sees it: its start is variadic, and it is loaded only by who serves, since
// it brings ten more libraries along.
#ifndef STORYTTY_CMICROHTTPD_H
#define STORYTTY_CMICROHTTPD_H

#include <dlfcn.h>
#include <microhttpd.h>

/// The functions of the loaded library.
struct mh_library {
  struct MHD_Daemon *(*start_daemon)(unsigned flags, uint16_t port, MHD_AcceptPolicyCallback policy,
                                     void *policy_context, MHD_AccessHandlerCallback handler,
                                     void *context, ...);
  MHD_socket (*quiesce_daemon)(struct MHD_Daemon *);
  void (*stop_daemon)(struct MHD_Daemon *);
  int (*get_connection_values)(struct MHD_Connection *, enum MHD_ValueKind, MHD_KeyValueIterator,
                               void *);
  const union MHD_ConnectionInfo *(*get_connection_info)(struct MHD_Connection *,
                                                         enum MHD_ConnectionInfoType, ...);
  struct MHD_Response *(*from_file)(uint64_t size, int descriptor, uint64_t offset);
  struct MHD_Response *(*from_bytes)(size_t size, void *bytes,
                                     MHD_ContentReaderFreeCallback free, void *context);
  enum MHD_Result (*add_header)(struct MHD_Response *, const char *name, const char *value);
  enum MHD_Result (*queue)(struct MHD_Connection *, unsigned status, struct MHD_Response *);
  void (*destroy_response)(struct MHD_Response *);
  const char *(*get_version)(void);
};

/// Loads the library, once for good. Returns NULL, or why not: valid until the next dl call.
static inline const char *mh_load(struct mh_library *library) {
  void *handle = dlopen("libmicrohttpd.so.12", RTLD_NOW | RTLD_LOCAL);
  if (!handle) return dlerror();
  const struct {
    const char *name;
    void *place;
  } wanted[] = {
      {"MHD_start_daemon", &library->start_daemon},
      {"MHD_quiesce_daemon", &library->quiesce_daemon},
      {"MHD_stop_daemon", &library->stop_daemon},
      {"MHD_get_connection_values", &library->get_connection_values},
      {"MHD_get_connection_info", &library->get_connection_info},
      {"MHD_create_response_from_fd_at_offset64", &library->from_file},
      {"MHD_create_response_from_buffer_with_free_callback_cls", &library->from_bytes},
      {"MHD_add_response_header", &library->add_header},
      {"MHD_queue_response", &library->queue},
      {"MHD_destroy_response", &library->destroy_response},
      {"MHD_get_version", &library->get_version},
  };
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    void *found = dlsym(handle, wanted[i].name);
    if (!found) return dlerror();
    // POSIX (dlsym): a function's address may be kept where a void * fits.
    *(void **)wanted[i].place = found;
  }
  return NULL;
}

/// How much is taken from clients.
struct mh_limits {
  unsigned connections, connections_per_address, idle_seconds, threads;
  size_t head_bytes;
};

/// What is called, on the daemon's threads, with `context`.
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
  return library->start_daemon(
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

/// The socket of a connection; -1 where that is not known.
static inline int mh_socket(const struct mh_library *library, struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      library->get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}

/// The client's address, NULL where that is not known; valid as long as the connection.
static inline const struct sockaddr *mh_client(const struct mh_library *library,
                                               struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      library->get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  return info ? info->client_addr : NULL;
}

#endif
