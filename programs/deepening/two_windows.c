// A locked update meets an atomic one twice: the bug needs a preemption before the plain write, and another before the
// last read, neither of which is at a synchronisation (after figure 1 of the paper on Iterative Deepening).
// gabion: verdict=bug kind=assertion location=two_windows.h:20
// gabion: compilers=gcc,clang
#include "two_windows.h"
