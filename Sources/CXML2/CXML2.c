#include "CXML2.h"

#include <dlfcn.h>
#include <libxml/parser.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct cx_parser {
  xmlParserCtxtPtr raw;
  struct cx_receivers receivers;
  void *context;
};

static struct {
  void (*init)(void);
  xmlParserCtxtPtr (*create)(xmlSAXHandlerPtr, void *, const char *, int, const char *);
  int (*use_options)(xmlParserCtxtPtr, int);
  int (*parse)(xmlParserCtxtPtr, const char *, int, int);
  void (*stop)(xmlParserCtxtPtr);
  void (*free)(xmlParserCtxtPtr);
  int is_open;
} library;

static pthread_once_t opening = PTHREAD_ONCE_INIT;

static void *find(void *handle, const char *name) { return handle ? dlsym(handle, name) : NULL; }

static void open_library(void) {
  void *handle = dlopen("libxml2.so.2", RTLD_NOW | RTLD_LOCAL);
  *(void **)&library.init = find(handle, "xmlInitParser");
  *(void **)&library.create = find(handle, "xmlCreatePushParserCtxt");
  *(void **)&library.use_options = find(handle, "xmlCtxtUseOptions");
  *(void **)&library.parse = find(handle, "xmlParseChunk");
  *(void **)&library.stop = find(handle, "xmlStopParser");
  *(void **)&library.free = find(handle, "xmlFreeParserCtxt");
  library.is_open = library.init && library.create && library.use_options && library.parse
                    && library.stop && library.free;
  if (library.is_open) library.init();
}

static void started(void *raw, const xmlChar *name, const xmlChar *prefix, const xmlChar *space,
                    int space_count, const xmlChar **spaces, int count, int defaulted,
                    const xmlChar **attributes) {
  cx_parser *parser = raw;
  (void)space_count, (void)spaces, (void)defaulted;
  parser->receivers.start(parser->context, (const char *)name, (const char *)prefix,
                          (const char *)space, count, (const char *const *)attributes);
}

static void ended(void *raw, const xmlChar *name, const xmlChar *prefix, const xmlChar *space) {
  cx_parser *parser = raw;
  (void)prefix;
  parser->receivers.end(parser->context, (const char *)name, (const char *)space);
}

static void characters(void *raw, const xmlChar *bytes, int count) {
  cx_parser *parser = raw;
  parser->receivers.text(parser->context, (const char *)bytes, count, 0);
}

static void literal(void *raw, const xmlChar *bytes, int count) {
  cx_parser *parser = raw;
  parser->receivers.text(parser->context, (const char *)bytes, count, 1);
}

// The parser's own message would go to standard error.
static void ignore(void *raw, xmlErrorPtr error) { (void)raw, (void)error; }

cx_parser *cx_begin(const struct cx_receivers *receivers, void *context, int recovers) {
  pthread_once(&opening, open_library);
  cx_parser *parser = library.is_open ? calloc(1, sizeof *parser) : NULL;
  if (!parser) return NULL;
  parser->receivers = *receivers;
  parser->context = context;
  // The handlers that would declare or load entities are left out.
  xmlSAXHandler handler;
  memset(&handler, 0, sizeof handler);
  handler.initialized = XML_SAX2_MAGIC;
  handler.startElementNs = started;
  handler.endElementNs = ended;
  handler.characters = characters;
  handler.ignorableWhitespace = characters;
  handler.cdataBlock = literal;
  handler.serror = ignore;
  parser->raw = library.create(&handler, parser, NULL, 0, NULL);
  if (!parser->raw) {
    free(parser);
    return NULL;
  }
  library.use_options(parser->raw, XML_PARSE_NONET | (recovers ? XML_PARSE_RECOVER : 0));
  return parser;
}

int cx_take(cx_parser *parser, const char *bytes, int count, int ends) {
  return library.parse(parser->raw, bytes, count, ends);
}

void cx_stop(cx_parser *parser) { library.stop(parser->raw); }

int cx_mistake(const cx_parser *parser) {
  if (parser->raw->wellFormed) return 0;
  return parser->raw->lastError.line > 0 ? parser->raw->lastError.line : 1;
}

void cx_end(cx_parser *parser) {
  library.free(parser->raw);
  free(parser);
}
