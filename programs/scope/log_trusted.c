// gabion: verdict=complete runs=6 compilers=gcc,clang
// gabion: args=--max-runs 5000 --trust note
// What note calls is trusted too; left are the orders of three atomic additions: 3!.
#include "log.h"
