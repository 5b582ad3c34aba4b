// Decodes large PNG pictures by libpng and reduces them row by row. libpng's errors leave by longjmp,
// which must not cross Swift code.
#ifndef STORYTTY_CPNG_H
#define STORYTTY_CPNG_H

#include <stddef.h>
#include <stdint.h>

/// The state after the bytes so far.
enum cp_outcome {
  /// More may follow.
  CP_READING = 0,
  /// The picture has ended.
  CP_WHOLE = 1,
  CP_DAMAGED = 2,
  CP_NO_MEMORY = 3,
};

struct cp_reader;

/// Begins to read a picture; `width` and `height` are those in its header, `divisor` (1 to 16) is the
/// side in pixels of the squares that become one pixel. NULL without memory.
struct cp_reader *cp_open(unsigned width, unsigned height, unsigned divisor);

/// Takes the next bytes of the file.
enum cp_outcome cp_take(struct cp_reader *reader, const uint8_t *bytes, size_t count);

/// The number of rows that were read; of an interlaced file, in all passes.
size_t cp_rows(const struct cp_reader *reader);

/// The file's EXIF data, which may contain an orientation; NULL if there are none. They belong to the
/// reader.
const uint8_t *cp_exif(struct cp_reader *reader, size_t *count);

/// The picture over black as rows of red, green, blue and an unused byte, each side divided and rounded
/// up. It belongs to the reader, which takes no more bytes.
uint8_t *cp_pixels(struct cp_reader *reader);

void cp_close(struct cp_reader *reader);

#endif
