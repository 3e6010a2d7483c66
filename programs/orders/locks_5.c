// Five threads on one lock: 5! orders.
// gabion: verdict=verified runs=120
#define N 5
#include "locks.h"
