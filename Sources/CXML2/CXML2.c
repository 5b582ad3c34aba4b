#include "CXML2.h"

#include <libxml/parser.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "../CLateLibrary/late_library.h"

struct cx_parser {
  xmlParserCtxtPtr raw;
  struct cx_receivers receivers;
  void *context;
};

#define CX_FUNCTIONS(each) \
  each(xmlInitParser) each(xmlCreatePushParserCtxt) each(xmlCtxtUseOptions) each(xmlParseChunk) \
  each(xmlStopParser) each(xmlFreeParserCtxt)

LATE_LIBRARY(cx_library, CX_FUNCTIONS)

static struct cx_library library;
static int is_open;
static pthread_once_t opening = PTHREAD_ONCE_INIT;

static void open_library(void) {
  is_open = !cx_library_load(&library, "libxml2.so.2");
  if (is_open) library.xmlInitParser();
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
  cx_parser *parser = is_open ? calloc(1, sizeof *parser) : NULL;
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
  parser->raw = library.xmlCreatePushParserCtxt(&handler, parser, NULL, 0, NULL);
  if (!parser->raw) {
    free(parser);
    return NULL;
  }
  library.xmlCtxtUseOptions(parser->raw, XML_PARSE_NONET | (recovers ? XML_PARSE_RECOVER : 0));
  return parser;
}

int cx_take(cx_parser *parser, const char *bytes, int count, int ends) {
  return library.xmlParseChunk(parser->raw, bytes, count, ends);
}

void cx_stop(cx_parser *parser) { library.xmlStopParser(parser->raw); }

int cx_mistake(const cx_parser *parser) {
  if (parser->raw->wellFormed) return 0;
  return parser->raw->lastError.line > 0 ? parser->raw->lastError.line : 1;
}

void cx_end(cx_parser *parser) {
  library.xmlFreeParserCtxt(parser->raw);
  free(parser);
}
