// FFmpeg as Swift sees it. What is a macro or variadic there is an inline function here.
#ifndef STORYTTY_CFFMPEG_H
#define STORYTTY_CFFMPEG_H

#include <errno.h>
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/aes.h>
#include <libavutil/cpu.h>
#include <libavutil/display.h>
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswresample/swresample.h>
#include <libswscale/swscale.h>
#include <malloc.h>

static inline int ff_error_again(void) { return AVERROR(EAGAIN); }
static inline int ff_error_eof(void) { return AVERROR_EOF; }
static inline int ff_error_io(void) { return AVERROR(EIO); }
static inline int ff_error_invalid(void) { return AVERROR(EINVAL); }
static inline int ff_error_unsupported(void) { return AVERROR(ENOSYS); }
static inline int ff_error_memory(void) { return AVERROR(ENOMEM); }
static inline int ff_error_refused(void) { return AVERROR(EACCES); }
static inline int ff_error_invalid_data(void) { return AVERROR_INVALIDDATA; }
static inline int64_t ff_no_time(void) { return AV_NOPTS_VALUE; }

/// The planes of a frame.
static inline uint8_t *ff_plane(const AVFrame *frame, int index) { return frame->data[index]; }
static inline int ff_stride(const AVFrame *frame, int index) { return frame->linesize[index]; }

static inline void ff_give_back_memory(void) { malloc_trim(0); }

#endif
