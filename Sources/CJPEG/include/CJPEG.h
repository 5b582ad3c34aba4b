// Decodes whole JPEG pictures by libjpeg-turbo. Its errors leave by longjmp, which must not cross Swift
// code.
#ifndef STORYTTY_CJPEG_H
#define STORYTTY_CJPEG_H

#include <stddef.h>
#include <stdint.h>

/// The result of decoding.
enum cj_outcome {
  CJ_WHOLE = 0,
  /// A part was decoded, the rest is gray.
  CJ_CUT_OFF = 1,
  CJ_DAMAGED = 2,
  CJ_NO_MEMORY = 3,
};

/// The size of a JPEG with each side divided by 1, 2, 4 or 8 and rounded up. Returns 0 if the bytes are
/// not a JPEG.
int cj_size(const uint8_t *bytes, size_t count, unsigned divisor, unsigned *width, unsigned *height);

/// Decodes a JPEG of that size into rows of `width` pixels of red, green and blue.
enum cj_outcome cj_decode(const uint8_t *bytes, size_t count, unsigned divisor, uint8_t *pixels,
                          unsigned width, unsigned height);

#endif
