#ifndef STORYTTY_CZLIB_H
#define STORYTTY_CZLIB_H

#include <zlib.h>

/// Begins to unpack gzip (RFC 1952); zlib has a macro for it.
static inline int cz_begin_gunzip(z_stream *stream) { return inflateInit2(stream, 15 + 16); }

#endif
