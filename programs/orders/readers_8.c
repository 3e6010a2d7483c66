// One writer and eight readers, each before or after it.
// gabion: verdict=verified runs=256
#define N 8
#include "readers.h"
