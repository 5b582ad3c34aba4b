#ifndef STORYTTY_CWEBP_H
#define STORYTTY_CWEBP_H

#include <webp/decode.h>
#include <webp/demux.h>

#endif
