// Three threads on one lock: 3! orders.
// gabion: verdict=verified runs=6
#define N 3
#include "locks.h"
