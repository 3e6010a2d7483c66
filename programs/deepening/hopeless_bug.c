// The same with a bug that one preemption at a data race shows: found at once, however large the rest.
// gabion: verdict=bug kind=assertion
// gabion: args=--budget-runs 3000
#define COUNT if (round == 2) hits++;
#define CHECK (void)limit_seen; assert(hits == WORKERS);
#include "hopeless.h"
