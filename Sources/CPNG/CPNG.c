#include "CPNG.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

/// For each pixel of the result: the sums of red, green and blue, and the number of pixels in them.
enum { PARTS = 4, COUNT = 3 };

struct cp_reader {
  png_structp png;
  png_infop info;
  unsigned width, height, divisor;
  /// The size of the result.
  size_t columns, lines;
  /// The sums for each pixel of the result, over black: 16 times 16 times 255 fits.
  uint16_t *sums;
  size_t rows;
  int is_whole;
  int is_out_of_memory;
};

static void fail(png_structp png, png_const_charp words) {
  struct cp_reader *reader = png_get_error_ptr(png);
  if (strstr(words, "emory")) reader->is_out_of_memory = 1;
  png_longjmp(png, 1);
}

static void say_nothing(png_structp png, png_const_charp words) {
  (void)png;
  (void)words;
}

static void take_info(png_structp png, png_infop info) {
  struct cp_reader *reader = png_get_progressive_ptr(png);
  if (png_get_image_width(png, info) != reader->width
      || png_get_image_height(png, info) != reader->height) {
    png_error(png, "another size");
  }
  // All formats are converted to four channels of eight bits.
  png_set_expand(png);
  png_set_scale_16(png);
  png_set_gray_to_rgb(png);
  png_set_add_alpha(png, 0xFF, PNG_FILLER_AFTER);
  png_read_update_info(png, info);
  if (png_get_rowbytes(png, info) != (size_t)reader->width * 4) png_error(png, "another row");
}

/// Adds a row's pixels to the sums. In an interlaced file it is a row of one pass: every second, fourth
/// or eighth pixel (PNG specification, 8.2).
static void take_row(png_structp png, png_bytep row, png_uint_32 number, int pass) {
  struct cp_reader *reader = png_get_progressive_ptr(png);
  if (!row) return;
  int is_interlaced = png_get_interlace_type(png, reader->info) != PNG_INTERLACE_NONE;
  size_t first = is_interlaced ? PNG_PASS_START_COL(pass) : 0;
  size_t step = is_interlaced ? 1u << PNG_PASS_COL_SHIFT(pass) : 1;
  size_t y = is_interlaced ? PNG_ROW_FROM_PASS_ROW(number, pass) : number;
  if (y >= reader->height) return;
  uint16_t *line = reader->sums + y / reader->divisor * reader->columns * PARTS;
  size_t column = first / reader->divisor;
  size_t in_square = first % reader->divisor;
  for (size_t x = first; x < reader->width; x += step, row += 4) {
    uint16_t *sum = line + column * PARTS;
    unsigned alpha = row[3];
    for (int part = 0; part < COUNT; part++) {
      sum[part] += alpha == 0xFF ? row[part] : (row[part] * alpha + 127) / 255;
    }
    sum[COUNT]++;
    in_square += step;
    while (in_square >= reader->divisor) {
      in_square -= reader->divisor;
      column++;
    }
  }
  reader->rows++;
}

static void take_end(png_structp png, png_infop info) {
  (void)info;
  struct cp_reader *reader = png_get_progressive_ptr(png);
  reader->is_whole = 1;
}

struct cp_reader *cp_open(unsigned width, unsigned height, unsigned divisor) {
  struct cp_reader *volatile reader = calloc(1, sizeof *reader);
  if (!reader) return NULL;
  reader->width = width;
  reader->height = height;
  reader->divisor = divisor;
  reader->columns = ((size_t)width + divisor - 1) / divisor;
  reader->lines = ((size_t)height + divisor - 1) / divisor;
  reader->sums = calloc(reader->columns * reader->lines, PARTS * sizeof *reader->sums);
  reader->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, reader, fail, say_nothing);
  if (reader->png) reader->info = png_create_info_struct(reader->png);
  if (!reader->sums || !reader->info) {
    cp_close(reader);
    return NULL;
  }
  png_set_user_limits(reader->png, 0x7FFFFFFF, 0x7FFFFFFF);
  // Data with wrong check sums are shown all the same, as by other programs.
  png_set_crc_action(reader->png, PNG_CRC_QUIET_USE, PNG_CRC_QUIET_USE);
  if (setjmp(png_jmpbuf(reader->png))) {
    cp_close(reader);
    return NULL;
  }
  // The progressive reader of older versions lacks this option.
  png_set_keep_unknown_chunks(reader->png, PNG_HANDLE_CHUNK_ALWAYS, (png_const_bytep)"eXIf", 1);
  png_set_progressive_read_fn(reader->png, reader, take_info, take_row, take_end);
  return reader;
}

enum cp_outcome cp_take(struct cp_reader *reader, const uint8_t *bytes, size_t count) {
  if (setjmp(png_jmpbuf(reader->png))) {
    return reader->is_out_of_memory ? CP_NO_MEMORY : CP_DAMAGED;
  }
  png_process_data(reader->png, reader->info, (png_bytep)bytes, count);
  return reader->is_whole ? CP_WHOLE : CP_READING;
}

size_t cp_rows(const struct cp_reader *reader) { return reader->rows; }

const uint8_t *cp_exif(struct cp_reader *reader, size_t *count) {
  png_unknown_chunkp chunks = NULL;
  int found = png_get_unknown_chunks(reader->png, reader->info, &chunks);
  for (int index = 0; index < found; index++) {
    if (memcmp(chunks[index].name, "eXIf", 5) != 0) continue;
    *count = chunks[index].size;
    return chunks[index].data;
  }
  return NULL;
}

/// Fills missing pixels of an interlaced picture with the pixel of an earlier pass beside them: these
/// are at every second, fourth and eighth place.
static void fill(const struct cp_reader *reader, uint8_t *pixels, size_t column, size_t line) {
  uint8_t *pixel = pixels + (line * reader->columns + column) * PARTS;
  for (size_t step = 2; step <= 8; step *= 2) {
    size_t x = column * reader->divisor / step * step / reader->divisor;
    size_t y = line * reader->divisor / step * step / reader->divisor;
    const uint8_t *other = pixels + (y * reader->columns + x) * PARTS;
    if (other < pixel && other[COUNT]) {
      memcpy(pixel, other, PARTS);
      return;
    }
  }
}

uint8_t *cp_pixels(struct cp_reader *reader) {
  // Four bytes replace eight: what is overwritten was read before.
  uint8_t *pixels = (uint8_t *)reader->sums;
  int is_interlaced =
    png_get_interlace_type(reader->png, reader->info) != PNG_INTERLACE_NONE;
  size_t place = 0;
  for (size_t line = 0; line < reader->lines; line++) {
    for (size_t column = 0; column < reader->columns; column++, place += PARTS) {
      unsigned count = reader->sums[place + COUNT];
      uint8_t mean[PARTS] = {0};
      for (int part = 0; part < COUNT && count > 0; part++) {
        mean[part] = (uint8_t)((reader->sums[place + part] + count / 2) / count);
      }
      mean[COUNT] = count > 0 ? 0xFF : 0;
      memcpy(pixels + place, mean, PARTS);
      if (count == 0 && is_interlaced) fill(reader, pixels, column, line);
    }
  }
  return pixels;
}

void cp_close(struct cp_reader *reader) {
  if (reader->png) png_destroy_read_struct(&reader->png, &reader->info, NULL);
  free(reader->sums);
  free(reader);
}
