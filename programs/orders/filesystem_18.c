// The file system (Flanagan and Godefroid 2005) with 18 threads.
// gabion: verdict=verified runs=32
#define N 18
#include "filesystem.h"
