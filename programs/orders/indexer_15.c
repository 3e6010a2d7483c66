// The indexer (Flanagan and Godefroid 2005) with 15 threads.
// gabion: verdict=verified runs=4096
#define N 15
#include "indexer.h"
