#ifndef STORYTTY_CRLOTTIE_H
#define STORYTTY_CRLOTTIE_H

#include <rlottie_capi.h>

#endif
