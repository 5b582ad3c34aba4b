// libxml2's SAX parser. The library is loaded when the first XML is read: linked, it would load ICU at
// every start of the program.
#ifndef STORYTTY_CXML2_H
#define STORYTTY_CXML2_H

/// A parser of one text.
typedef struct cx_parser cx_parser;

/// Callbacks while a text is read. Names live as long as the parser, and equal names are the same
/// pointer; everything else is valid only during the call. Attributes are five pointers each: name,
/// prefix, namespace, and beginning and end of the value. A prefix without a namespace was not
/// declared. Text of a CDATA section is literal.
struct cx_receivers {
  void (*start)(void *context, const char *name, const char *prefix, const char *space, int count,
                const char *const *attributes);
  void (*end)(void *context, const char *name, const char *space);
  void (*text)(void *context, const char *bytes, int count, int is_literal);
};

/// Begins a text; NULL if the library or memory is missing. Can be called on any thread.
///
/// The parser builds no tree, loads nothing, and expands only the entities of XML itself.
cx_parser *cx_begin(const struct cx_receivers *receivers, void *context, int recovers);

/// Parses the next bytes, or with `ends` the end; 0 while the text is well-formed.
int cx_take(cx_parser *parser, const char *bytes, int count, int ends);

/// Stops the callbacks.
void cx_stop(cx_parser *parser);

/// 0 for a text that is well-formed, else about the line of the last mistake.
int cx_mistake(const cx_parser *parser);

void cx_end(cx_parser *parser);

#endif
