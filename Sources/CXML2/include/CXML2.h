// libxml2's SAX parser, loaded when the first XML is read: if it were linked, it would load ICU at
// every start of the program.
#ifndef STORYTTY_CXML2_H
#define STORYTTY_CXML2_H

/// A parser of one text.
typedef struct cx_parser cx_parser;

/// Callbacks while a text is read. Names live as long as the parser, and the same name has the same
/// address; all other pointers are valid only during the call. Attributes are five pointers each:
/// name, prefix, namespace, start and end of the value. A prefix without a namespace was not
/// declared. Text of a CDATA section is literal.
struct cx_receivers {
  void (*start)(void *context, const char *name, const char *prefix, const char *space, int count,
                const char *const *attributes);
  void (*end)(void *context, const char *name, const char *space);
  void (*text)(void *context, const char *bytes, int count, int is_literal);
};

/// Begins a text; NULL where the library or memory is missing. May be called from any thread.
///
/// The parser builds no tree, loads nothing, and knows only XML's own entities.
cx_parser *cx_begin(const struct cx_receivers *receivers, void *context, int recovers);

/// Takes the next bytes, or with `ends` the end of the text; gives 0 while the text is well-formed.
int cx_take(cx_parser *parser, const char *bytes, int count, int ends);

/// No more callbacks are made.
void cx_stop(cx_parser *parser);

/// Gives 0 for a well-formed text, otherwise the approximate line of the last mistake.
int cx_mistake(const cx_parser *parser);

void cx_end(cx_parser *parser);

#endif
