// An atomic counter that is read, then written: the update in the first round is lost.
// gabion: verdict=bug kind=assertion
// gabion: args=--budget-runs 10000
#define COUNT if (round == 0 && me > 1) __atomic_store_n(&hits, __atomic_load_n(&hits, __ATOMIC_SEQ_CST) + 1, __ATOMIC_SEQ_CST);
#define CHECK (void)limit_seen; assert(hits == 2);
#include "hopeless.h"
