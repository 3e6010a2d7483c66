// gabion: verdict=complete runs=6 compilers=gcc,clang
// gabion: args=--max-runs 5000 --ignore-symbol noted --ignore-symbol las?
// The same by the names of what is noted.
#include "log.h"
