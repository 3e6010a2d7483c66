// gabion: verdict=bug kind=assertion compilers=gcc,clang
// gabion: args=--test-locks 'spin_*'
// The lock looks and takes in two steps.
#define TORN
#include "lock.h"
