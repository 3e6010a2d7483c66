// 2 threads, main being one, times 2 of { lock, add, unlock, atomic add }.
// gabion: verdict=verified runs=26
#define K 2
#define N 2
#include "rounds.h"
