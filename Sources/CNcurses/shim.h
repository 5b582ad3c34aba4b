// ncurses as Swift sees it. What is a macro or variadic there is an inline function here.
#ifndef STORYTTY_CNCURSES_H
#define STORYTTY_CNCURSES_H

#define NCURSES_WIDECHAR 1
#define _XOPEN_SOURCE_EXTENDED 1
#include <curses.h>
#include <term.h>

#endif
