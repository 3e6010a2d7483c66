// gabion: verdict=complete compilers=gcc,clang
// gabion: args=--test-locks spin_lock,spin_unlock
// The lock is right. Points in it alone, and where threads give way.
#include "lock.h"
