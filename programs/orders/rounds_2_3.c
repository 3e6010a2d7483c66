// 2 threads, main being one, times 3 of { lock, add, unlock, atomic add }.
// gabion: verdict=verified runs=192
#define K 2
#define N 3
#include "rounds.h"
