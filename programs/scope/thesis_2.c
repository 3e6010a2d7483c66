// gabion: verdict=complete runs=4 compilers=gcc,clang
// gabion: args=--within thr_join
// A list of what is allowed: stack 2. 2 points, start and end.
#include "thesis.h"
