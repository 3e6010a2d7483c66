// The update that is lost is in the first round: whoever reverses the end of the run first takes for ever to come back to it.
// gabion: verdict=bug kind=assertion
// gabion: args=--budget-runs 10000
#define COUNT if (round == 0 && me < 2) hits++;
#define CHECK (void)limit_seen; assert(hits == 2);
#include "hopeless.h"
