// gabion: verdict=complete runs=1
// gabion: args=--trust note --ignore-symbol total
// Atomics on an ignored variable are left out too: nothing is left.
#include "log.h"
