// The last-zero program (Abdulla et al. 2014) with 5 writers.
// gabion: verdict=verified runs=64
#define N 5
#include "last_zero.h"
