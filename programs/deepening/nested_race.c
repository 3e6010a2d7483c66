// The second race is in code that only runs once the first one has gone wrong (after figure 5 of the report with the proofs):
// its instructions are found as preemption points only in a space that has those of the first.
// gabion: verdict=bug kind=abort location=nested_race.h:18
// gabion: compilers=gcc,clang
#include "nested_race.h"
