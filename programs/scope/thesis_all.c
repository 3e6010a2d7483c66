// gabion: verdict=verified runs=8 compilers=gcc,clang
// Nothing is sealed: 1 + 3 + 2 points, start and end.
#include "thesis.h"
