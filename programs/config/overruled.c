// gabion: verdict=complete runs=3 compilers=gcc,clang
// gabion: args=--without bump --within bump_quietly
// The command line comes after gabion.toml: the point in bump_quietly, start and end.
#include "program.h"
