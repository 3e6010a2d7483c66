// gabion: verdict=complete runs=6 compilers=gcc,clang
// gabion: args=--without cond_wait
// A list of what is denied: stack 1 and main's own point stay: 3 + 1, start and end.
#include "thesis.h"
