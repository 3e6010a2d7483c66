// The file system (Flanagan and Godefroid 2005) with 19 threads.
// gabion: verdict=verified runs=64
#define N 19
#include "filesystem.h"
