// gabion: verdict=complete runs=2 compilers=gcc,clang
// gabion: args=--within mutex_lock --without main
// The other way round the last match is main, always: start and end.
#include "thesis.h"
