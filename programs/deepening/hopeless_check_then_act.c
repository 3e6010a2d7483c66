// Two threads both see that nobody was there, in the first round.
// gabion: verdict=bug kind=assertion
// gabion: args=--budget-runs 10000
#define COUNT if (round == 0 && me != 1 && hits == 0) { limit_seen++; hits = 1; }
#define CHECK assert(limit_seen == 1);
#include "hopeless.h"
