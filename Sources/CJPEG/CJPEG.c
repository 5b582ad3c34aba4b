#include "CJPEG.h"

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <jpeglib.h>

#include <jerror.h>

struct reader {
  struct jpeg_decompress_struct info;
  struct jpeg_error_mgr errors;
  jmp_buf escape;
  int out_of_memory;
};

static void escape(j_common_ptr info) {
  struct reader *reader = info->client_data;
  reader->out_of_memory = info->err->msg_code == JERR_OUT_OF_MEMORY;
  longjmp(reader->escape, 1);
}

static void say_nothing(j_common_ptr info, int level) {
  if (level < 0) info->err->num_warnings++;
}

static void print_nothing(j_common_ptr info) { (void)info; }

/// Reads the header; the caller has set the place to escape to.
static void begin(struct reader *reader, const uint8_t *bytes, size_t count, unsigned divisor) {
  jpeg_create_decompress(&reader->info);
  reader->info.client_data = reader;
  jpeg_mem_src(&reader->info, bytes, count);
  jpeg_read_header(&reader->info, TRUE);
  reader->info.scale_num = 1;
  reader->info.scale_denom = divisor;
  int is_four = reader->info.jpeg_color_space == JCS_CMYK
    || reader->info.jpeg_color_space == JCS_YCCK;
  reader->info.out_color_space = is_four ? JCS_CMYK : JCS_RGB;
  jpeg_calc_output_dimensions(&reader->info);
}

static void prepare(struct reader *reader) {
  memset(reader, 0, sizeof *reader);
  reader->info.err = jpeg_std_error(&reader->errors);
  reader->errors.error_exit = escape;
  reader->errors.emit_message = say_nothing;
  reader->errors.output_message = print_nothing;
  reader->info.client_data = reader;
}

int cj_size(
  const uint8_t *bytes, size_t count, unsigned divisor, unsigned *width, unsigned *height
) {
  struct reader reader;
  prepare(&reader);
  volatile int is_read = 0;
  if (!setjmp(reader.escape)) {
    begin(&reader, bytes, count, divisor);
    *width = reader.info.output_width;
    *height = reader.info.output_height;
    is_read = 1;
  }
  jpeg_destroy_decompress(&reader.info);
  return is_read;
}

/// Converts inks to light. Adobe's programs store inks inverted, and nearly all such files are Adobe's.
static void convert(uint8_t *out, const uint8_t *inks, unsigned width, int is_inverted) {
  for (unsigned x = 0; x < width; x++, out += 3, inks += 4) {
    unsigned key = is_inverted ? inks[3] : 255u - inks[3];
    for (int part = 0; part < 3; part++) {
      unsigned light = is_inverted ? inks[part] : 255u - inks[part];
      out[part] = (uint8_t)((light * key + 127) / 255);
    }
  }
}

enum cj_outcome cj_decode(
  const uint8_t *bytes, size_t count, unsigned divisor, uint8_t *pixels, unsigned width,
  unsigned height
) {
  struct reader reader;
  prepare(&reader);
  volatile enum cj_outcome outcome = CJ_DAMAGED;
  memset(pixels, 0x80, (size_t)width * height * 3);
  if (!setjmp(reader.escape)) {
    begin(&reader, bytes, count, divisor);
    if (reader.info.output_width == width && reader.info.output_height == height) {
      jpeg_start_decompress(&reader.info);
      int is_four = reader.info.out_color_components == 4;
      JSAMPARRAY inks = is_four
        ? reader.info.mem->alloc_sarray((j_common_ptr)&reader.info, JPOOL_IMAGE, width * 4, 1)
        : NULL;
      while (reader.info.output_scanline < height) {
        uint8_t *row = pixels + (size_t)reader.info.output_scanline * width * 3;
        JSAMPROW target = is_four ? inks[0] : row;
        if (jpeg_read_scanlines(&reader.info, &target, 1) != 1) break;
        if (is_four) convert(row, inks[0], width, reader.info.saw_Adobe_marker);
        // With one row there is something to show.
        outcome = CJ_CUT_OFF;
      }
      if (reader.info.output_scanline == height && reader.errors.num_warnings == 0) {
        outcome = CJ_WHOLE;
      }
    }
  } else if (reader.out_of_memory) {
    outcome = CJ_NO_MEMORY;
  }
  jpeg_destroy_decompress(&reader.info);
  return outcome;
}
