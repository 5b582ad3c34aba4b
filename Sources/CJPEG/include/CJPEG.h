// Whole JPEG pictures by libjpeg-turbo, whose errors leave by longjmp, which Swift must not see.
#ifndef STORYTTY_CJPEG_H
#define STORYTTY_CJPEG_H

#include <stddef.h>
#include <stdint.h>

/// What became of a picture.
enum cj_outcome {
  CJ_WHOLE = 0,
  /// What is there was decoded, the rest is gray.
  CJ_CUT_OFF = 1,
  CJ_DAMAGED = 2,
  CJ_NO_MEMORY = 3,
};

/// The size that a JPEG has when each side is divided by 1, 2, 4 or 8, rounded up; 0 where the bytes
/// are no JPEG.
int cj_size(const uint8_t *bytes, size_t count, unsigned divisor, unsigned *width, unsigned *height);

/// Decodes a JPEG of that size into rows of `width` pixels of red, green and blue.
enum cj_outcome cj_decode(const uint8_t *bytes, size_t count, unsigned divisor, uint8_t *pixels,
                          unsigned width, unsigned height);

#endif
