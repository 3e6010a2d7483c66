// 2 threads, main being one, times 1 of { lock, add, unlock, atomic add }.
// gabion: verdict=verified runs=4
#define K 2
#define N 1
#include "rounds.h"
