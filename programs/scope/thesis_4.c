// gabion: verdict=complete runs=7 compilers=gcc,clang
// gabion: args=--without main --within mutex_lock
// Accepts both stacks, whatever main is; main's own point is sealed: 5 points, start and end.
#include "thesis.h"
