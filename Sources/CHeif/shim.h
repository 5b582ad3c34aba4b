#ifndef STORYTTY_CHEIF_H
#define STORYTTY_CHEIF_H

#include <libheif/heif.h>

#endif
