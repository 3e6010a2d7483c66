// The file system (Flanagan and Godefroid 2005) with 16 threads.
// gabion: verdict=verified runs=8
#define N 16
#include "filesystem.h"
