// The file system (Flanagan and Godefroid 2005) with 14 threads.
// gabion: verdict=verified runs=2
#define N 14
#include "filesystem.h"
