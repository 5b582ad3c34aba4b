#ifndef STORYTTY_CXXHASH_H
#define STORYTTY_CXXHASH_H

#include <xxhash.h>

#endif
