// One writer and three readers, each before or after it.
// gabion: verdict=verified runs=8
#define N 3
#include "readers.h"
