// Wrong only if another thread comes between twice, in the first round: two preemptions.
// gabion: verdict=bug kind=assertion
// gabion: args=--budget-runs 10000
#define COUNT \
    if (round == 0 && me == 0) { \
        int before = hits; \
        if (hits != before) \
            limit_seen = hits; \
    } \
    if (round == 0 && me == 2) \
        hits = 1; \
    if (round == 1 && me == 2) \
        hits = 2;
#define CHECK assert(limit_seen == 0);
#include "hopeless.h"
