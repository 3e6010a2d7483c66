// The last-zero program (Abdulla et al. 2014) with 10 writers.
// gabion: verdict=verified runs=3328
#define N 10
#include "last_zero.h"
