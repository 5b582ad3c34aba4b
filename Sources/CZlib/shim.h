#ifndef STORYTTY_CZLIB_H
#define STORYTTY_CZLIB_H

#include <zlib.h>

#endif
