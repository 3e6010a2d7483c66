// gabion: verdict=complete runs=4 compilers=gcc,clang
// gabion: args=--within mutex_lock --without allocate
// Rejects stack 1, whose last match is allocate; accepts stack 2. main's own point is in no list: 2 points, start and end.
#include "thesis.h"
