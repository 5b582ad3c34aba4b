// FFmpeg as Swift sees it. What is a macro or variadic there is an inline function here.
#ifndef STORYTTY_CFFMPEG_H
#define STORYTTY_CFFMPEG_H

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/display.h>
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswresample/swresample.h>
#include <libswscale/swscale.h>

#endif
