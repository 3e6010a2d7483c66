// gabion: verdict=complete runs=4 compilers=gcc,clang
// gabion.toml says where threads are switched: twice in bump, and at start and end. What note does and to hits is left out.
#include "program.h"
