#ifndef STORYTTY_CSECCOMP_H
#define STORYTTY_CSECCOMP_H

#include <seccomp.h>

#endif
