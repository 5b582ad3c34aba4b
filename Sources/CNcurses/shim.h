// ncurses as Swift sees it. What is a macro or variadic there is an inline function here.
#ifndef STORYTTY_CNCURSES_H
#define STORYTTY_CNCURSES_H

#define NCURSES_WIDECHAR 1
#define _XOPEN_SOURCE_EXTENDED 1
#include <curses.h>
#include <stdint.h>
#include <term.h>
#include <wchar.h>

// Globals that strict concurrency hides: they belong to the thread that owns the screen.
static inline WINDOW *nc_stdscr(void) { return stdscr; }
static inline WINDOW *nc_curscr(void) { return curscr; }
static inline int nc_lines(void) { return LINES; }
static inline int nc_columns(void) { return COLS; }
static inline int nc_colours(void) { return COLORS; }

static inline attr_t nc_bold(void) { return A_BOLD; }
static inline attr_t nc_dim(void) { return A_DIM; }
static inline attr_t nc_invisible(void) { return A_INVIS; }

/// The columns of a character in ncurses; negative if it is unknown. Declared here because wchar.h
/// offers it only if _XOPEN_SOURCE is defined before all other headers.
int wcwidth(wchar_t character);
static inline int nc_width(uint32_t character) { return wcwidth((wchar_t)character); }

/// Whether the terminal can show an attribute.
static inline bool nc_can_show(attr_t attribute) { return (term_attrs() & attribute) != 0; }

/// Sets the attributes and the colour pair of what is written next.
static inline int nc_style(WINDOW *window, attr_t attributes, short pair) {
  return wattr_set(window, attributes, pair, NULL);
}

/// Puts a text at a column of a window's first row.
static inline int nc_put(WINDOW *window, int column, const char *text) {
  return mvwaddnstr(window, 0, column, text, -1);
}

/// A string of the terminal's description, NULL where it has none.
static inline const char *nc_string(const char *name) {
  const char *value = tigetstr((char *)name);
  return value == (const char *)-1 ? NULL : value;
}

/// A number of the terminal's description, negative where it has none.
static inline int nc_number(const char *name) { return tigetnum((char *)name); }

/// Whether the description has a capability, whatever its type.
static inline bool nc_has(const char *name) {
  return tigetflag((char *)name) > 0 || tigetnum((char *)name) > 0 || nc_string(name) != NULL;
}

/// Keeps ncurses from using `rep` from now on, whatever the description of the terminal in use says.
static inline void nc_never_repeat(void) { repeat_char = NULL; }

/// The description of a terminal, without a screen.
struct nc_description {
  int colours;
  bool direct_colour, places_cursor;
};

/// Looks up a terminal's description without touching the terminal; false if there is none of that
/// name.
static inline bool nc_describe(const char *name, int descriptor, struct nc_description *out) {
  TERMINAL *before = cur_term;
  int error;
  if (setupterm((char *)name, descriptor, &error) != OK) return false;
  out->colours = nc_number("colors");
  out->direct_colour = nc_has("RGB") || nc_has("Tc");
  out->places_cursor = nc_string("cup") != NULL;
  TERMINAL *own = cur_term;
  if (own != before) {
    set_curterm(before);
    del_curterm(own);
  }
  return true;
}

#endif
