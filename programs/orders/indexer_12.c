// The indexer (Flanagan and Godefroid 2005) with 12 threads.
// gabion: verdict=verified runs=8
#define N 12
#include "indexer.h"
