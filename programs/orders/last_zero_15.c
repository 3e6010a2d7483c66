// The last-zero program (Abdulla et al. 2014) with 15 writers.
// gabion: verdict=verified runs=147456
#define N 15
#include "last_zero.h"
