// libxml2's SAX parser, opened when the first XML is read: linked, it would bring ICU into every
// start of the program.
#ifndef STORYTTY_CXML2_H
#define STORYTTY_CXML2_H

/// A text being read.
typedef struct cx_parser cx_parser;

/// What is told while a text is read. Names live as long as the parser, the same name at the same
/// place; all else is lent for the call. Attributes are five pointers each: name, prefix,
/// namespace, and where the value begins and ends. A prefix without a namespace was not declared.
/// Text of a CDATA section is literal.
struct cx_receivers {
  void (*start)(void *context, const char *name, const char *prefix, const char *space, int count,
                const char *const *attributes);
  void (*end)(void *context, const char *name, const char *space);
  void (*text)(void *context, const char *bytes, int count, int is_literal);
};

/// Begins a text; NULL where the library is not there or there is no memory. From any thread.
///
/// The parser builds no tree, loads nothing, and knows of no entities but those of XML itself.
cx_parser *cx_begin(const struct cx_receivers *receivers, void *context, int recovers);

/// Takes the next bytes, or with `ends` the end; 0 while the text is well-formed.
int cx_take(cx_parser *parser, const char *bytes, int count, int ends);

/// No more is told.
void cx_stop(cx_parser *parser);

/// 0 for a text that is well-formed, else about the line of the last mistake.
int cx_mistake(const cx_parser *parser);

void cx_end(cx_parser *parser);

#endif
