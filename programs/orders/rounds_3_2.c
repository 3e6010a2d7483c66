// 3 threads, main being one, times 2 of { lock, add, unlock, atomic add }.
// gabion: verdict=verified runs=3606
#define K 3
#define N 2
#include "rounds.h"
