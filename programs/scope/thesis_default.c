// gabion: verdict=complete runs=7 compilers=gcc,clang
// gabion: args=--without thr_create --within mutex_lock
// One `within` is enough for a list of what is allowed, wherever it stands: main's own point is sealed. 5 points, start and end.
#include "thesis.h"
