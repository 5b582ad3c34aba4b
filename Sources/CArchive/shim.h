#ifndef STORYTTY_CARCHIVE_H
#define STORYTTY_CARCHIVE_H

#include <archive.h>
#include <archive_entry.h>

#endif
