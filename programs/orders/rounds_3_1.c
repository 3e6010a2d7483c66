// 3 threads, main being one, times 1 of { lock, add, unlock, atomic add }.
// gabion: verdict=verified runs=36
#define K 3
#define N 1
#include "rounds.h"
