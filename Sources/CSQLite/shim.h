// SQLite as Swift sees it: its "copy this" destructor is a cast that Swift cannot import.
#ifndef STORYTTY_CSQLITE_H
#define STORYTTY_CSQLITE_H

#include <sqlite3.h>

static inline int cs_bind_text(sqlite3_stmt *statement, int index, const char *text, int count) {
  return sqlite3_bind_text(statement, index, text, count, SQLITE_TRANSIENT);
}
static inline int cs_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count) {
  return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}

#endif
